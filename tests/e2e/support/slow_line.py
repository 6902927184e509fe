"""A line in front of Azurite that carries few bytes per second, shared by all connections and both directions."""

import socket
import threading
import time

PIECE = 4 * 1024
BUFFER = 8 * 1024  # small, so that what a client has sent has also arrived


class SlowLine:
    """Listens on 127.0.0.1:port. Who waits longest sends the next piece."""

    def __init__(self, upstream_port, rate):
        self.rate = rate
        self._upstream_port = upstream_port
        self._turn = threading.Lock()
        self._free_at = time.monotonic()
        self._ends = []
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._listener.close()
        for end in self._ends:
            end.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            upstream = socket.create_connection(("127.0.0.1", self._upstream_port))
            self._ends += [client, upstream]
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
            for source, sink in ((client, upstream), (upstream, client)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source, sink):
        try:
            while data := source.recv(PIECE):
                with self._turn:
                    self._free_at = max(self._free_at, time.monotonic()) + len(data) / self.rate
                    wait = self._free_at - time.monotonic()
                if wait > 0:
                    time.sleep(wait)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
