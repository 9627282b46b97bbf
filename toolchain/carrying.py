"""Bytes from one connection to another, both ways."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 64 * 1024
"""Bytes carried at a time."""


def nothing() -> None:
    """What is done before an answer that need not wait."""


def carry(one: socket.socket, other: socket.socket, before_answers: Callable[[], None] = nothing) -> None:
    """Carry bytes both ways between two TCP or unix connections until both sides are done.

    What comes from the `other` is carried after `before_answers` has returned.
    """
    back = threading.Thread(target=_pump, args=(other, one, before_answers), name="carrying-back", daemon=True)
    back.start()
    _pump(one, other, nothing)
    back.join()


def _pump(source: socket.socket, sink: socket.socket, before: Callable[[], None]) -> None:
    """Carry until the source has ended, and say so to the sink; a side that went away ends both directions."""
    try:
        while data := source.recv(_CHUNK):
            before()
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        end(source)
        end(sink)


def end(side: socket.socket) -> None:
    """End a socket, so that whoever waits for it goes on; it may have ended."""
    with suppress(OSError):
        side.shutdown(socket.SHUT_RDWR)
