"""The base of the simulator's small servers: a thread per connection, web pages refused, broken connections ignored."""

from __future__ import annotations

import ipaddress
import socketserver
import ssl
import sys
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import socket
    from email.message import Message

_POLL_SECONDS: Final = 0.05
"""The most time that a server takes to notice its end."""


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


def may_be_a_page(headers: Message, *ports: int) -> bool:
    """Whether a web page may have sent a request to a server on `ports`.

    A browser names the page's `Origin` in every request that a page can send to change something. A page whose own name
    leads to this machine shows that name as the `Host`; the clients of these servers show an address and the port.
    """
    address, _, port = str(headers.get("Host", "")).rpartition(":")
    return "Origin" in headers or port not in map(str, ports) or not _is_address(address.strip("[]"))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
