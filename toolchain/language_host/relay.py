"""A port that leads to another one, which may change."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolchain.carrying import carry, end, nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_HOME: Final = "127.0.0.1"


class Relay:
    """Leads each connection to the port that was the target when it was made."""

    def __init__(self, port: int) -> None:
        """Lead connections to `port` of this machine."""
        self._target = port, nothing

    def lead_to(self, port: int, before_answers: Callable[[], None] = nothing) -> None:
        """Lead connections that are made from now on to `port`; those that are there stay where they are.

        What comes from there is carried after `before_answers` has returned.
        """
        self._target = port, before_answers

    @contextmanager
    def serving(self) -> Generator[int]:
        """Take connections on a port, which is the value; those there are at the end last as long as their sides."""
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
        port, before_answers = self._target
        with caller:
            try:
                called = socket.create_connection((_HOME, port))
            except OSError:
                return  # closed at once, as if nobody listened
            with called:
                for side in (caller, called):
                    side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # each call waits for its answer
                carry(caller, called, before_answers)
