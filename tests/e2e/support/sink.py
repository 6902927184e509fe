"""A Blob service that takes everything, keeps nothing, and is fast about it: for sizes that Azurite would store."""

import socket
import threading

from . import http1
from .http1 import Answer


class Sink:
    """Says 404 to a look, 201 to every write. `at_commit` is called while the client waits for the commit's answer."""

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
        headers = [("x-ms-request-id", "1"), ("x-ms-version", "2023-11-03")]
        if request.operation == "Get Blob Properties":
            return Answer(404, "Not Found", headers + [("x-ms-error-code", "BlobNotFound")], b"").encode(head_only=True)
        if request.operation == "Put Block List":
            self._at_commit()
        return Answer(201, "Created", headers + [("ETag", '"0x1"')], b"").encode()
