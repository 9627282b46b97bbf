"""Bytes from one connection to another, both ways."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_CHUNK: Final = 64 * 1024
"""Bytes carried at a time."""


def chunks(source: socket.socket) -> Iterator[bytes]:
    """The bytes of a connection, as they come, until its other side has ended.

    Raises:
        OSError: the connection was lost.
    """
    while data := source.recv(_CHUNK):
        yield data


def carry(
    one: socket.socket, other: socket.socket, answers: Callable[[socket.socket], Iterable[bytes]] = chunks
) -> None:
    """Carry bytes both ways between two TCP or unix connections until both sides are done.

    `answers` reads the `other` connection and yields the bytes for `one`.
    """
    back = threading.Thread(target=_pump, args=(answers, other, one), name="carrying-back", daemon=True)
    back.start()
    _pump(chunks, one, other)
    back.join()


def _pump(read: Callable[[socket.socket], Iterable[bytes]], source: socket.socket, sink: socket.socket) -> None:
    """Carry until the source has ended, and say so to the sink; a side that went away ends both directions."""
    try:
        for data in read(source):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        end(source)
        end(sink)


def end(side: socket.socket) -> None:
    """End a socket, so that whoever waits for it continues; it may have ended already."""
    with suppress(OSError):
        side.shutdown(socket.SHUT_RDWR)
