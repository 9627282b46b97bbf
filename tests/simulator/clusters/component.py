"""Doubles any process of a control plane, started as `component.py NAME FLAGS`.

It listens where the real one would (kwok nowhere), says that it is ready, and as kube-apiserver takes what is applied
to it. A file
`NAME.fails` in its working directory makes it end at once. Standard library only: it is started five times for a test.
"""

from __future__ import annotations

import http.server
import json
import signal
import ssl
import sys
from pathlib import Path


class Handler(http.server.BaseHTTPRequestHandler):
    """Ready, and content with everything."""

    def do_GET(self) -> None:
        """Health, or an empty list; a watch of it is over before it begins."""
        if "watch=true" in self.path:
            self.send_error(410)
            return
        self._answer({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []})

    def do_PATCH(self) -> None:
        """Server-side apply."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with Path("applied.jsonl").open("ab") as file:
            file.write(body + b"\n")
        self._answer(json.loads(body))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Requests are not logged."""

    def _answer(self, document: object) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def flag(*names: str) -> str:
    """The value of the one of these flags that is given."""
    parts = [word.removeprefix("--").partition("=") for word in sys.argv[2:]]
    return next(value for name, _, value in parts if name in names)


def main() -> None:
    """Serve."""
    name = sys.argv[1]
    if Path(f"{name}.fails").exists():
        sys.stdout.write(f"{name}: listen tcp 127.0.0.1: bind: address already in use\n")
        raise SystemExit(1)
    if name == "kwok":
        signal.pause()
    port = int(flag("secure-port", "listen-client-urls").rpartition(":")[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(flag("tls-cert-file", "cert-file"), flag("tls-private-key-file", "key-file"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


main()
