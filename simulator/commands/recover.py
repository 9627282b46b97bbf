"""`recover`: make a stack whose update was killed whole again, without losing or doubling anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.home import Home


class RecoveryError(Exception):
    """The stack cannot be repaired now; the text says why."""


def recover(home: Home, stack: str) -> Iterator[str]:
    """."""
    yield ""
