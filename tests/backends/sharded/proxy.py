"""A real network between an index and its server: it can stall, and it can break."""

from __future__ import annotations

import socket
import threading


class Proxy:
    """Passes bytes on between a port of this machine and the socket of a server, while it is told to."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._flowing = threading.Event()
        self._flowing.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Pass nothing on any more, and answer nobody; connections stay as they are."""
        self._flowing.clear()

    def flow(self) -> None:
        self._flowing.set()

    def close(self) -> None:
        self._flowing.set()
        self._listener.close()
        for one in self._sockets:
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            self._sockets += [client, server]
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                self._flowing.wait()
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass
