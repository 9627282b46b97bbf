"""What the simulator's small servers have in common: a thread per connection, and no fuss about clients that leave."""

from __future__ import annotations

import socketserver
import ssl
import sys
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import socket

_POLL_SECONDS: Final = 0.05
"""How long the end of a server may take to be noticed."""


class ServingThreads(socketserver.ThreadingMixIn, socketserver.BaseServer):
    """Mixed into a server: each connection has a thread that does not hold up the end of the process."""

    daemon_threads = True
    request_queue_size = 128

    def begin(self, name: str) -> None:
        """Serve from a thread of that name."""
        threading.Thread(target=self.serve_forever, args=(_POLL_SECONDS,), name=name, daemon=True).start()

    def end(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Write a traceback to standard error, unless the connection merely broke or its handshake failed."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError | ssl.SSLError):
            super().handle_error(request, client_address)
