"""Signed requests directly to Azurite: tests set things up and look at them without azlock."""

import base64
import http.client
import ssl
import xml.etree.ElementTree as ET
from email.utils import formatdate
from urllib.parse import quote, urlencode

from . import signer
from .azurite import ACCOUNT, KEY


class Refused(AssertionError):
    """An answer with a status that the test did not expect."""


class Rest:
    def __init__(self, port, tls=False):
        self._port = port
        self._tls = tls

    def _connect(self):
        if not self._tls:
            return http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self._port, timeout=60, context=anyone)

    def request(self, method, container, blob=None, query=None, headers=None, body=b"", expect=range(200, 300)):
        """Returns (status, headers, body). A status that is not in `expect` raises Refused."""
        path = f"/{ACCOUNT}/{container}" + ("" if blob is None else "/" + quote(blob, safe="/~"))
        target = path + ("?" + urlencode(query, quote_via=quote) if query else "")
        fields = [("x-ms-date", formatdate(usegmt=True)), ("x-ms-version", "2023-11-03")]
        fields += [(name, str(value)) for name, value in (headers or {}).items()]
        if method == "PUT" or body:
            fields.append(("Content-Length", str(len(body))))
        fields.append(("Authorization", signer.authorization(method, target, fields, ACCOUNT, KEY)))
        connection = self._connect()
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for name, value in fields:
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            result = answer.status, answer.headers, answer.read()
        finally:
            connection.close()
        if answer.status not in expect:
            raise Refused(f"{method} {target}: HTTP {answer.status} {result[2][:500]!r}")
        return result

    def create_container(self, name):
        self.request("PUT", name, query={"restype": "container"})

    def put(self, container, blob, content, **headers):
        """Writes a whole block blob; returns its ETag."""
        fields = {"x-ms-blob-type": "BlockBlob", **{n.replace("_", "-"): v for n, v in headers.items()}}
        return self.request("PUT", container, blob, headers=fields, body=content)[1]["ETag"]

    def get(self, container, blob):
        return self.request("GET", container, blob)[2]

    def head(self, container, blob, expect=(200,)):
        return self.request("HEAD", container, blob, expect=expect)[1]

    def exists(self, container, blob):
        return self.request("HEAD", container, blob, expect=(200, 404))[0] == 200

    def blocks(self, container, blob):
        """(committed, uncommitted) as lists of (id, size)."""
        xml = self.request("GET", container, blob, query={"comp": "blocklist", "blocklisttype": "all"})[2]
        tree = ET.fromstring(xml.decode("utf-8-sig"))
        return tuple([(block.findtext("Name"), int(block.findtext("Size"))) for block in tree.findall(f"{kind}/Block")]
                     for kind in ("CommittedBlocks", "UncommittedBlocks"))

    def stage(self, container, blob, block_id, content, **headers):
        self.request("PUT", container, blob, query={"comp": "block", "blockid": base64.b64encode(block_id).decode()},
                     headers=headers, body=content)

    def lease(self, container, blob, action, **headers):
        fields = {"x-ms-lease-" + name.replace("_", "-"): value for name, value in headers.items()}
        fields["x-ms-lease-action"] = action
        return self.request("PUT", container, blob, query={"comp": "lease"}, headers=fields)[1].get("x-ms-lease-id")
