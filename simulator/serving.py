"""What the simulator's small servers have in common: a thread per connection, and no fuss about clients that leave."""

from __future__ import annotations

import socketserver
import ssl
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket


class ServingThreads(socketserver.ThreadingMixIn, socketserver.BaseServer):
    """Mixed into a server: each connection has a thread that does not hold up the end of the process."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Write a traceback to standard error, unless the connection merely broke or its handshake failed."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError | ssl.SSLError):
            super().handle_error(request, client_address)
