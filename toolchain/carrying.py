"""Bytes from one connection to another, both ways."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Final

_CHUNK: Final = 64 * 1024
"""Bytes carried at a time."""


def carry(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways between two TCP or unix connections until both sides are done."""
    back = threading.Thread(target=_pump, args=(other, one), name="carrying-back", daemon=True)
    back.start()
    _pump(one, other)
    back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Carry until the source has ended, and say so to the sink; a side that went away ends both directions."""
    try:
        while data := source.recv(_CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        end(source)
        end(sink)


def end(side: socket.socket) -> None:
    """End a socket, so that whoever waits for it goes on; it may have ended."""
    with suppress(OSError):
        side.shutdown(socket.SHUT_RDWR)
