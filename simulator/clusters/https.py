"""A small HTTPS server on loopback for what only the API server calls: kubelet endpoints and admission.

Requests are handled in threads. Nobody gets further than the handshake without a client certificate of the cluster's
authority, and nobody but the API server gets an answer. It presents its certificate to kubelets, and to these webhooks
(`configuration.py`).
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from simulator.nodes import KUBELET_PORT
from simulator.serving import ServingThreads, may_be_a_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.clusters.pki import ClusterFiles


_API_SERVER: Final = "kube-apiserver-node-client"
"""The common name of the API server's certificate."""


class Request:
    """One request as a handler sees it."""

    def __init__(self, method: str, target: str, body: bytes) -> None:
        parts = urlsplit(target)
        self.method = method
        self.path = parts.path
        self.query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        self.body = body


class Response:
    """An answer: whole when `body` is bytes, streamed as it comes when it is an iterator."""

    def __init__(self, status: int, body: bytes | Iterator[bytes], content_type: str = "text/plain") -> None:
        self.status = status
        self.body = body
        self.content_type = content_type


Handler = Callable[[Request], Response]
"""Answers every request of the server; may be called from many threads."""


class LoopbackServer:
    """The server of one cluster; serves from its own threads until closed."""

    def __init__(self, port: int, files: ClusterFiles, handler: Handler) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.path("node-api.crt"), files.path("node-api.key"))
        context.load_verify_locations(files.path("cluster-ca.crt"))
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            self._server = _Server(("127.0.0.1", port), context, handler)
        except OSError as error:
            raise OSError(error.errno, f"port {port} of the node API: {error.strerror}") from error
        self._server.begin("node-api")

    def close(self) -> None:
        """Stop listening."""
        self._server.end()


class _Server(ServingThreads, HTTPServer):
    def __init__(self, address: tuple[str, int], context: ssl.SSLContext, handler: Handler) -> None:
        super().__init__(address, _Exchange)
        self.context = context
        self.answer = handler


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait 40 ms for the first
    timeout = 60

    def setup(self) -> None:
        # The handshake belongs in the connection's own thread: in accept() one stalled client would stop all others.
        assert isinstance(self.server, _Server)  # noqa: S101  tells the type checker what the server is
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.request.close()  # the server only knows the socket from before the handshake

    def do_GET(self) -> None:
        self._exchange()

    def do_POST(self) -> None:
        self._exchange()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Requests are not logged: a log line per pod would drown what matters."""

    def _exchange(self) -> None:
        assert isinstance(self.server, _Server)  # noqa: S101  tells the type checker what the server is
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_api_server = _client_name(self.connection) == _API_SERVER
        if is_api_server and not may_be_a_page(self.headers, self.server.server_port, KUBELET_PORT):
            response = self.server.answer(Request(self.command, self.path, body))
        else:
            response = Response(403, b"only the cluster's API server may ask\n")
        self.send_response(response.status)
        self.send_header("Content-Type", response.content_type)
        if isinstance(response.body, bytes):
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)
        else:
            self._stream(response.body)

    def _stream(self, body: Iterator[bytes]) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for chunk in body:
                self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True  # the reader went away, as after Ctrl-C in kubectl logs -f


def _client_name(connection: object) -> str | None:
    certificate = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    if not certificate:
        return None
    subject = certificate.get("subject", ())
    return next((str(value) for rdn in subject for key, value in rdn if key == "commonName"), None)
