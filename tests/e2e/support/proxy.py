"""A reverse proxy in front of Azurite that records every request and fails by script.

Every scripted fault must have happened by the end of the test, or the test fails: see Proxy.unfired().
"""

import socket
import ssl
import struct
import threading
import time

from . import http1
from .http1 import Broken

UPSTREAM_SECONDS = 120


class Rule:
    """What happens to requests number `first` to `first + times - 1` of those that match."""

    def __init__(self, what, fault, first, times, needed):
        self.needed = needed
        self._what = what
        self._first = first
        self._last = first + times - 1 if times else None
        self._seen = 0
        self.fault = fault
        self.fired = 0
        self._happened = threading.Event()

    def __repr__(self):
        return f"{getattr(self.fault, '__name__', self.fault)} on {self._what} number {self._first}"

    def takes(self, request):
        matches = request.operation == self._what if isinstance(self._what, str) else self._what(request)
        if not matches:
            return False
        self._seen += 1
        if self._seen < self._first or (self._last is not None and self._seen > self._last):
            return False
        self.fired += 1
        return True

    def happened(self):
        self._happened.set()

    def missing(self):
        """True if the fault did not happen, or not as often as it should."""
        wanted = 1 if self._last is None else self._last - self._first + 1
        return self.needed and self.fired < wanted

    def wait(self, seconds=60):
        """Waits until the fault is in effect; a stall counts as soon as the request has come."""
        if not self._happened.wait(seconds):
            raise AssertionError(f"within {seconds} s this did not happen: {self}")


class Exchange:
    """One request at the proxy, in the hands of a fault."""

    def __init__(self, proxy, request, client, stream):
        self.request = request
        self.open = True
        self.happened = lambda: None
        self.stopping = proxy.stopping
        self._proxy = proxy
        self._client = client
        self._stream = stream

    def read_body(self, count=None):
        """The whole body, or only its first `count` bytes."""
        if count is not None:
            return http1.exactly(self._stream, min(count, self.request.length))
        if self.request.body is None:
            self.request.body = http1.exactly(self._stream, self.request.length)
        return self.request.body

    def forward(self):
        """Carries it out at Azurite; returns the answer."""
        body = self.read_body()
        headers = self.request.headers.without("Connection") + [("Connection", "close")]
        head = f"{self.request.method} {self.request.target} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        with self._proxy.connect_upstream() as upstream:
            upstream.sendall(head.encode("latin-1") + body)
            with upstream.makefile("rb") as stream:
                answer = http1.read_answer(stream, self.request.method)
        answer.headers = answer.headers.without("Connection", "Keep-Alive")
        self.request.status = answer.status
        return answer

    def reply(self, answer):
        self.send(answer.encode(head_only=self.request.method == "HEAD"))

    def send(self, data):
        self._client.sendall(data)

    def close(self):
        self.open = False

    def reset(self):
        """Closes with a reset (RST) instead of an orderly end."""
        self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.open = False


class Proxy:
    """Listens on 127.0.0.1:port. `upstream_port` None: nothing is behind it, and every request needs a rule. With a
    certificate (its file and its key's) both sides are https."""

    def __init__(self, upstream_port=None, certificate=None):
        self.upstream_port = upstream_port
        self._tls = None
        if certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(*certificate)
        self.requests = []
        self.connections = 0
        self.stopping = threading.Event()
        self.problems = []
        self._rules = []
        self._lock = threading.Lock()
        self._clients = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def on(self, what, fault, nth=1, times=1, needed=True):
        """`what`: an operation's name or a predicate. `times` None: always, from the nth on. `needed` False: the fault
        need not happen."""
        rule = Rule(what, fault, nth, times, needed)
        with self._lock:
            self._rules.append(rule)
        return rule

    def answer(self, exchange):
        """What a request gets that no rule takes."""
        return exchange.forward()

    def connect_upstream(self):
        upstream = socket.create_connection(("127.0.0.1", self.upstream_port), UPSTREAM_SECONDS)
        if not self._tls:
            return upstream
        anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        return anyone.wrap_socket(upstream)

    def unfired(self):
        """The scripted faults that did not happen as often as they should, and those that failed themselves."""
        with self._lock:
            return self.problems + [rule for rule in self._rules if rule.missing()]

    def operations(self):
        with self._lock:
            return [request.operation for request in self.requests]

    def count(self, operation):
        return self.operations().count(operation)

    def carried_out(self, operation):
        """How many requests of the operation Azurite answered with success, whatever happened to the answer."""
        with self._lock:
            return sum(r.operation == operation and r.status in range(200, 300) for r in self.requests)

    def clear(self):
        with self._lock:
            self.requests, self.connections = [], 0

    def stop(self):
        self.stopping.set()
        self._listener.close()
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            _shut(client)

    def finish(self, seconds=60):
        """Stops, and returns when the last request that came in whole has been carried out."""
        self.stop()
        end = time.monotonic() + seconds
        while True:
            with self._lock:
                if not self._clients:
                    return
            if time.monotonic() > end:
                raise AssertionError("a request is still being carried out")
            time.sleep(0.01)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                number = self.connections
                self._clients.add(client)
            if self.stopping.is_set():
                _shut(client)
            threading.Thread(target=self._serve, args=(client, number), daemon=True).start()

    def _serve(self, client, number):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain = client
        try:
            if self._tls:
                client = self._tls.wrap_socket(client, server_side=True)
            with client, client.makefile("rb", 256 * 1024) as stream:
                while (request := http1.read_request(stream, number)) is not None:
                    exchange = Exchange(self, request, client, stream)
                    self._handle(exchange)
                    if not exchange.open:
                        return
        except (OSError, Broken, ValueError):
            pass  # the client went away, as clients do
        finally:
            plain.close()
            with self._lock:
                self._clients.discard(plain)

    def _handle(self, exchange):
        with self._lock:
            self.requests.append(exchange.request)
            rule = next((rule for rule in self._rules if rule.takes(exchange.request)), None)
        if rule is None:
            exchange.reply(self.answer(exchange))
        else:
            exchange.happened = rule.happened
            try:
                rule.fault(exchange)
            except (AssertionError, LookupError, TypeError) as error:  # of a test's own action
                self.problems.append(f"{rule}: {error!r}")
                raise Broken("the fault failed") from error
            finally:
                rule.happened()
        exchange.request.body = None


def _shut(client):
    try:
        client.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
