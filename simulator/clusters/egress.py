"""The network between an API server and what is behind it: webhook services and the kubelets of the nodes.

Neither a Service nor a simulated node has an address on this machine. The API server's egress selector leads to both
through an HTTP CONNECT proxy; this is that proxy. It listens on a unix socket, asks `route` for the loopback port of
`host:port`, and carries bytes.
"""

from __future__ import annotations

import os
import socket
import socketserver
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from simulator.clusters.network import carry
from simulator.serving import ServingThreads

if TYPE_CHECKING:
    from pathlib import Path

_HEAD_LIMIT: Final = 8192
"""Bytes of a CONNECT request; the API server sends some hundred."""
_DIAL_SECONDS: Final = 5.0
_SOCKET_PATH_LIMIT: Final = 100
"""Bytes that a unix socket's path may have everywhere (104 on macOS, 108 on Linux, with a margin)."""


Route = Callable[[str, int], int | str]
"""Where a connection to a host and port of the cluster's network ends: a port on loopback, or why nothing answers."""


class EgressProxy:
    """One proxy on one socket; serves from its own threads until closed."""

    def __init__(self, path: Path, route: Route) -> None:
        """Listen on the socket `path`, replacing one that a dead daemon left."""
        path.unlink(missing_ok=True)
        self._path = path
        with _ShortAddress(path) as address:
            self._server = _Server(address, route)
        self._server.begin("egress")

    def close(self) -> None:
        """Stop listening and remove the socket."""
        self._server.end()
        self._path.unlink(missing_ok=True)


class _ShortAddress:
    """An address for a socket whose path may be longer than a socket address holds.

    Linux reaches the folder through an open descriptor; elsewhere a long path is refused with what to do.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder: int | None = None

    def __enter__(self) -> str:
        if len(os.fsencode(self._path)) <= _SOCKET_PATH_LIMIT:
            return str(self._path)
        if sys.platform != "linux":
            raise OSError(f"{self._path} is too long for a unix socket: set TPU_SIMULATOR_HOME to a shorter folder")
        self._folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            os.close(self._folder)


class _Server(ServingThreads, socketserver.UnixStreamServer):
    def __init__(self, address: str, route: Route) -> None:
        super().__init__(address, _Connection)
        self.route = route


class _Connection(socketserver.StreamRequestHandler):
    rbufsize = 0  # what comes right behind the request belongs to the other end

    def handle(self) -> None:
        assert isinstance(self.server, _Server)  # noqa: S101  tells the type checker what the server is
        target = self._requested()
        if target is None:
            self.wfile.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return
        port = self.server.route(*target)
        if isinstance(port, str):
            self._refuse(port)
            return
        try:
            remote = socket.create_connection(("127.0.0.1", port), timeout=_DIAL_SECONDS)
        except OSError as error:
            self._refuse(f"{target[0]}:{target[1]}: {error.strerror or error}")
            return
        with remote:
            remote.settimeout(None)
            remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.wfile.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
            carry(self.connection, remote)

    def _requested(self) -> tuple[str, int] | None:
        """Host and port of the CONNECT request; the headers are read and left."""
        words = self.rfile.readline(_HEAD_LIMIT).decode("latin-1").split()
        while self.rfile.readline(_HEAD_LIMIT).strip():
            pass
        if len(words) < 2 or words[0] != "CONNECT":  # noqa: PLR2004  method and target
            return None
        host, _, port = words[1].rpartition(":")
        return (host.strip("[]"), int(port)) if port.isdecimal() else None

    def _refuse(self, reason: str) -> None:
        self.wfile.write(f"HTTP/1.1 503 {reason}\r\nContent-Length: 0\r\n\r\n".encode("latin-1", "replace"))
