"""HTTP/1.1 messages on sockets: only what a proxy and a sink need."""

from urllib.parse import parse_qsl, urlsplit

MAX_LINE = 64 * 1024


class Broken(Exception):
    """The peer closed in the middle of a message, or sent something that is not HTTP."""


class Headers(list):
    """(name, value) pairs in the order in which they came."""

    def get(self, name, default=None):
        for key, value in self:
            if key.lower() == name.lower():
                return value
        return default

    def without(self, *names):
        dropped = {name.lower() for name in names}
        return Headers((key, value) for key, value in self if key.lower() not in dropped)


class Request:
    """One request as it came over the wire; the body is added once it has been read."""

    def __init__(self, method, target, headers, connection=0):
        self.method = method
        self.target = target
        self.headers = headers
        self.connection = connection
        self.body = None
        self.status = None  # of the answer behind the proxy
        self.length = int(headers.get("Content-Length", "0"))
        parts = urlsplit("http://h" + target)
        self.raw_path = parts.path
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.operation = operation_of(method, parts.path, self.query)

    def __repr__(self):
        return f"{self.operation} ({self.method} {self.target}, {self.length} bytes)"


class Answer:
    def __init__(self, status, reason, headers, body):
        self.status = status
        self.reason = reason
        self.headers = Headers(headers)
        self.body = body

    def encode(self, head_only=False):
        headers = self.headers.without("Transfer-Encoding")
        if headers.get("Content-Length") is None:
            headers.append(("Content-Length", str(len(self.body))))
        lines = [f"HTTP/1.1 {self.status} {self.reason}"] + [f"{name}: {value}" for name, value in headers]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (b"" if head_only else self.body)


def operation_of(method, path, query):
    """The REST operation of a path-style request (/account/container/blob)."""
    comp, restype = query.get("comp"), query.get("restype")
    verbs = {"PUT": "Put", "GET": "Get", "HEAD": "Get", "DELETE": "Delete"}
    if comp == "list":
        return "List Blobs" if restype == "container" else "List Containers"
    if comp == "lease":
        return "Lease"
    if restype == "container":
        return {"PUT": "Create Container", "DELETE": "Delete Container"}.get(method, "Get Container Properties")
    if comp in ("block", "blocklist"):
        return verbs[method] + (" Block" if comp == "block" else " Block List")
    if comp in ("appendblock", "seal"):
        return "Append Block" if comp == "appendblock" else "Append Blob Seal"
    if path.count("/") < 3:
        return f"{method} {path}"
    if method == "HEAD":
        return "Get Blob Properties"
    return verbs.get(method, method) + " Blob"


def _line(stream):
    line = stream.readline(MAX_LINE)
    if not line.endswith(b"\n"):
        raise Broken("the connection ended in a line")
    return line.rstrip(b"\r\n").decode("latin-1")


def _headers(stream):
    headers = Headers()
    while line := _line(stream):
        name, colon, value = line.partition(":")
        if not colon:
            raise Broken(f"no header: {line!r}")
        headers.append((name, value.strip(" ")))
    return headers


def exactly(stream, count):
    data = stream.read(count)
    if len(data) != count:
        raise Broken(f"{len(data)} of {count} bytes came")
    return data


def read_request(stream, connection=0):
    """None if the peer closed between two requests."""
    if not stream.peek(1):
        return None
    try:
        method, target, _version = _line(stream).split(" ")
    except ValueError as error:
        raise Broken("no request line") from error
    return Request(method, target, _headers(stream), connection)


def read_answer(stream, method):
    version, status, reason = (_line(stream) + " ").split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise Broken(f"no status line: {version!r}")
    headers = _headers(stream)
    if method == "HEAD" or status in ("204", "304"):
        body = b""
    elif headers.get("Transfer-Encoding", "").lower() == "chunked":
        body = _chunks(stream)
    else:
        body = exactly(stream, int(headers.get("Content-Length", "0")))
    return Answer(int(status), reason.strip(), headers, body)


def _chunks(stream):
    body = b""
    while size := int(_line(stream).split(";")[0], 16):
        body += exactly(stream, size)
        _line(stream)
    _headers(stream)
    return body
