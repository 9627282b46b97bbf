"""Loopback ports for servers that are started later."""

from __future__ import annotations

import secrets
import socket
from contextlib import ExitStack, suppress
from typing import Final

_PORTS: Final = range(10_000, 30_000)
"""Below those that Linux gives to outgoing connections (`ip_local_port_range`, by default from 32768 on). A connection
could take one of those before its server binds it, even a probe of the server: one that gets the port it asks for as
its own is connected to itself."""


def free_ports(count: int) -> list[int]:
    """Loopback ports that nobody listens on now, none of them twice."""
    found: list[int] = []
    with ExitStack() as bound:
        while len(found) < count:
            port, probe = secrets.choice(_PORTS), bound.enter_context(socket.socket())
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                found.append(port)
    return found


def free_port() -> int:
    """One such port."""
    return free_ports(1)[0]
