"""A port for HTTP/2 that leads to another one, which may change."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolchain.connections import carry, chunks, end

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

_HOME: Final = "127.0.0.1"
_FRAME_HEADER: Final = 9
"""Bytes before the content of a frame of HTTP/2; the first three give the content's length (RFC 9113, 4.1)."""
_CONNECT_ANEW: Final = bytes.fromhex("000008 07 00 00000000 7fffffff 00000000")
"""GOAWAY without an error: calls that are under way on the connection get their answers, new ones need another."""


def nothing() -> None:
    """A step before an answer, without a wait."""


@dataclass(frozen=True, eq=False)
class _Target:
    port: int
    before_answers: Callable[[], None] = nothing


class Relay:
    """Leads each connection to the port that was the target when it was made."""

    def __init__(self, port: int) -> None:
        """Lead connections to `port` of this machine."""
        self._target = _Target(port)

    def lead_to(self, port: int, before_answers: Callable[[], None] = nothing) -> None:
        """Lead connections that are made from now on to `port`.

        Existing connections stay, and with their next answer their callers are asked to connect anew. Bytes from `port`
        are carried after `before_answers` has returned.
        """
        self._target = _Target(port, before_answers)

    @contextmanager
    def serving(self) -> Generator[int]:
        """Accept connections on a port, which is the value; those that exist at the end last as long as their sides."""
        with socket.create_server((_HOME, 0)) as listener:
            threading.Thread(target=self._accept, args=(listener,), name="relay", daemon=True).start()
            try:
                yield listener.getsockname()[1]
            finally:
                end(listener)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return  # the end of the listener
            threading.Thread(target=self._lead, args=(caller,), name="relay-connection", daemon=True).start()

    def _lead(self, caller: socket.socket) -> None:
        """Carry between the caller and the target, until both sides are done."""
        target = self._target
        with caller:
            try:
                called = socket.create_connection((_HOME, target.port))
            except OSError:
                return  # closed at once, as if nobody listened
            with called:
                for side in (caller, called):
                    side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # each call waits for its answer
                carry(caller, called, lambda source: self._answers(source, target))

    def _answers(self, source: socket.socket, target: _Target) -> Iterator[bytes]:
        """The frames that the target sends; a GOAWAY precedes the first that comes after the target was changed."""
        asked = False
        for number, frames in enumerate(_whole_frames(chunks(source))):
            target.before_answers()
            if number and not asked and self._target is not target:  # the first frame has to be the settings
                yield _CONNECT_ANEW
                asked = True
            yield frames


def _whole_frames(data: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut where a frame ends."""
    kept = b""
    for chunk in data:
        kept += chunk
        end_of_frame = following = 0
        while following <= len(kept):
            end_of_frame = following
            following += _FRAME_HEADER + int.from_bytes(kept[following : following + 3])
        if end_of_frame:
            yield kept[:end_of_frame]
            kept = kept[end_of_frame:]
