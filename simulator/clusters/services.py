"""Services on this machine: for each port of a Service a loopback port that leads to a ready pod.

This replaces kube-proxy and the cluster's DNS: a host pod gets these addresses in the variables of its Services, and
`tpu simulator address` prints them. A connection is carried to an endpoint that is ready when it arrives, so an
address keeps working while pods come and go, and after a restart of the simulator.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from typing import TYPE_CHECKING, Final

from simulator.clusters.network import SERVICE_DOMAIN, carry
from simulator.clusters.settings import MADE_ANEW
from simulator.files import read_json, write_whole
from simulator.serving import ServingThreads

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.clusters.egress import Route

_LOOPBACK: Final = "127.0.0.1"
_DIAL_SECONDS: Final = 5.0


class ServiceAddressError(Exception):
    """No port of a Service fits, or several do; the text lists them."""


class ServicePorts:
    """The loopback ports of one cluster's Services, listened on until closed."""

    def __init__(self, record: Path, route: Route) -> None:
        """`record` is the file with the ports that were given out; `route` knows the pods behind a Service."""
        self._record = record
        self._route = route
        self._lock = threading.Lock()
        self._servers: dict[str, _Server] = {}
        self._given: dict[str, int] = read_json(record, MADE_ANEW) if record.exists() else {}

    def start(self) -> None:
        """Listen again on the ports that were given out by an earlier simulator."""
        with self._lock:
            for target in self._given:
                self._listen(target)

    def port(self, namespace: str, service: str, port: int) -> int:
        """The loopback port that leads to `port` of a Service, which need not exist yet."""
        target = f"{service}.{namespace}{SERVICE_DOMAIN}:{port}"
        with self._lock:
            if target not in self._servers:
                self._listen(target)
                write_whole(self._record, json.dumps(self._given))
            return self._given[target]

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            servers = list(self._servers.values())
            self._servers.clear()
        for server in servers:
            server.end()

    def _listen(self, target: str) -> None:
        """Take the port that the target had, or another one when somebody else took that meanwhile."""
        try:
            server = _Server(self._given.get(target, 0), target, self._route)
        except OSError:
            server = _Server(0, target, self._route)
        server.begin("service")
        self._servers[target] = server
        self._given[target] = int(server.server_address[1])


class _Server(ServingThreads, socketserver.TCPServer):
    allow_reuse_address = True  # connections of before a restart do not keep the port

    def __init__(self, port: int, target: str, route: Route) -> None:
        super().__init__((_LOOPBACK, port), _Connection)
        self.target = target
        self.route = route


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Server)  # noqa: S101  tells the type checker what the server is
        host, _, port = self.server.target.rpartition(":")
        behind = self.server.route(host, int(port))
        if isinstance(behind, str):
            return  # nothing is ready: the connection is closed at once, as kube-proxy rejects it
        try:
            remote = socket.create_connection((_LOOPBACK, behind), timeout=_DIAL_SECONDS)
        except OSError:
            return
        with remote:
            remote.settimeout(None)
            remote.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            carry(self.request, remote)
