"""A fast Blob service that takes everything and keeps nothing: for sizes that Azurite would have to store."""

import socket
import threading
from email.utils import formatdate

from . import http1
from .http1 import Answer

NOT_FOUND = ("\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>BlobNotFound</Code>"
             "<Message>The specified blob does not exist.</Message></Error>").encode()


class Sink:
    """Answers 404 to a look and to a block list, and 201 to every write. `at_commit` is called while the client waits
    for the answer to the commit."""

    def __init__(self, at_commit):
        self.blocks = []
        self.operations = []
        self._at_commit = at_commit
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        waste = memoryview(bytearray(1024 * 1024))
        try:
            with client, client.makefile("rb", 64 * 1024) as stream:
                while (request := http1.read_request(stream)) is not None:
                    left = request.length
                    while left:
                        got = stream.readinto1(waste[:min(left, len(waste))])
                        if not got:
                            return
                        left -= got
                    client.sendall(self._answer(request))
        except (OSError, http1.Broken):
            pass

    def _answer(self, request):
        with self._lock:
            self.operations.append(request.operation)
            if request.operation == "Put Block":
                self.blocks.append(request.length)
        headers = [("x-ms-request-id", "1"), ("x-ms-version", "2023-11-03"), ("Date", formatdate(usegmt=True))]
        if request.method in ("GET", "HEAD"):
            headers += [("x-ms-error-code", "BlobNotFound"), ("Content-Type", "application/xml")]
            return Answer(404, "The specified blob does not exist.", headers,
                          NOT_FOUND).encode(head_only=request.method == "HEAD")
        if request.operation == "Put Block List":
            self._at_commit()
        return Answer(201, "Created", headers + [("ETag", '"0x1"')], b"").encode()
