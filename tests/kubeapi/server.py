"""An HTTPS server whose answers a test writes."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from cryptography import x509
from cryptography.x509.oid import NameOID

from components.kubeapi import Connection, Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.certificates import Pair
    from simulator.clusters.pki import ClusterFiles

Answer: TypeAlias = "Document | str | tuple[int, Document | str] | Iterator[Document]"
"""A document or text, with a status other than 200 before it; or the events of a watch, one chunk each."""
Route: TypeAlias = "Answer | Callable[[Asked], Answer]"


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    """The JSON document, None without one."""
    user: str | None
    """Common name of the client certificate."""


@dataclass
class FakeApiServer:
    """Doubles an API server's HTTPS side: real TLS and sockets, each answer given by the test.

    `routes` maps `GET /path` to the answer or to a function of the request.
    """

    files: ClusterFiles
    routes: dict[str, Route] = field(default_factory=dict[str, "Route"])
    asked: list[Asked] = field(default_factory=list[Asked])

    def __post_init__(self) -> None:
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_port}"

    def connection(self, token: str | None = None, pair: Pair | None = None) -> Connection:
        """A connection that trusts the server, with a token or a client certificate."""
        return Connection(
            server=self.url,
            certificate_authority=self.files.path("cluster-ca.crt").read_text(),
            token=token,
            client_certificate=pair.certificate if pair else None,
            client_key=pair.key if pair else None,
        )

    def kubeconfig(self) -> str:
        """The text of a kubeconfig that trusts the server, with no credential."""
        authority = str(self.files.path("cluster-ca.crt"))
        cluster = {"server": self.url, "certificate-authority": authority}
        contexts = [{"name": "c", "context": {"cluster": "k"}}]
        clusters = [{"name": "k", "cluster": cluster}]
        return json.dumps({"clusters": clusters, "contexts": contexts, "current-context": "c"})

    def paths(self) -> list[str]:
        """Method and path of every request so far."""
        return [f"{each.method} {each.path}" for each in self.asked]

    def close(self) -> None:
        """Stop listening and break every connection off."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        for connection in list(self._server.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, fake: FakeApiServer) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.fake = fake
        files = fake.files
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.path("api-server.crt"), files.path("api-server.key"))
        context.load_verify_locations(files.path("cluster-ca.crt"))
        context.verify_mode = ssl.CERT_OPTIONAL
        self.context = context
        self.connections: set[socket.socket] = set()

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """A client that does not trust the server, or goes away, is no error here."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        assert isinstance(self.server, _Server)
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        self.server.connections.add(self.request)
        super().setup()

    def finish(self) -> None:
        assert isinstance(self.server, _Server)
        with contextlib.suppress(OSError):
            super().finish()
        self.server.connections.discard(self.request)
        self.request.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        pass

    def _exchange(self) -> None:
        assert isinstance(self.server, _Server)
        fake = self.server.fake
        parts = urlsplit(self.path)
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            headers={key.lower(): value for key, value in self.headers.items()},
            body=json.loads(data) if data else None,
            user=_common_name(self.connection),
        )
        fake.asked.append(asked)
        route = fake.routes.get(f"{asked.method} {asked.path}", (404, {"message": f"no {asked.path}"}))
        answer = route(asked) if callable(route) else route
        match answer:
            case (status, body):
                self._whole(status, body)
            case dict() | str():
                self._whole(200, answer)
            case _:
                self._stream(answer)

    def do_GET(self) -> None:
        self._exchange()

    def do_POST(self) -> None:
        self._exchange()

    def do_PATCH(self) -> None:
        self._exchange()

    def do_DELETE(self) -> None:
        self._exchange()

    def _whole(self, status: int, body: Document | str) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[Document]) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for event in events:
                line = json.dumps(event).encode() + b"\n"
                self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True


def _common_name(connection: socket.socket) -> str | None:
    der = connection.getpeercert(binary_form=True) if isinstance(connection, ssl.SSLSocket) else None
    if der is None:
        return None
    subject = x509.load_der_x509_certificate(der).subject
    return str(subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


def listed(kind: str, *items: Document, api_version: str = "v1", version: str = "1") -> Document:
    """A list as an API server sends it: its items bear neither apiVersion nor kind."""
    return {
        "apiVersion": api_version,
        "kind": f"{kind}List",
        "metadata": {"resourceVersion": version},
        "items": list(items),
    }


def one_after_another(*answers: Route) -> Callable[[Asked], Answer]:
    """A route that gives the next answer at each request, and the last one from then on."""
    left = list(answers)

    def answer(asked: Asked) -> Answer:
        chosen = left.pop(0) if len(left) > 1 else left[0]
        return chosen(asked) if callable(chosen) else chosen

    return answer
