"""A call of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Call:
    """Doubles a call of the engine, which the test gives up."""

    def __init__(self) -> None:
        self.is_up = True
        self._callbacks: list[Callable[[], None]] = []

    def add_callback(self, callback: Callable[[], None]) -> bool:
        if self.is_up:
            self._callbacks.append(callback)
        return self.is_up

    def give_up(self) -> None:
        self.is_up = False
        for callback in self._callbacks:
            callback()
