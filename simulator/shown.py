"""The moments that a reader is shown: the cluster's own, or simulated ones, where its time runs differently.

A simulator writes down every turn of its clock: another pace, or a skip. The file is named by `WATCH_CLOCK`; each of
its lines is a JSON array of three numbers, a `Turn`. Where the variable is not set, real time is shown.
"""

from __future__ import annotations

import contextlib
import json
import os
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLE: Final = "WATCH_CLOCK"


class Turn(NamedTuple):
    """From a real moment on, time is shown from another moment on, or runs at another pace."""

    real: float
    """Seconds since the epoch."""
    shown: float
    """The moment that is shown for it, in seconds since the epoch."""
    pace: float
    """Shown seconds per real second from then on; 0 while the clock stands still."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown for real moments; without turns, these themselves."""

    turns: Sequence[Turn] = ()
    """In the order of time."""

    def at(self, real: float) -> float:
        """The moment that is shown for a real one, both in seconds since the epoch; before the first turn, at pace 1.

        >>> Shown([Turn(100, 100, 10), Turn(102, 500, 10)]).at(101), Shown([Turn(100, 500, 10)]).at(102)
        (110.0, 520.0)
        """
        if not self.turns:
            return real
        index = bisect_right(self.turns, real, key=lambda turn: turn.real) - 1
        if index < 0:
            return self.turns[0].shown - (self.turns[0].real - real)
        turn = self.turns[index]
        return turn.shown + float(real - turn.real) * turn.pace

    def real(self, shown: float) -> float:
        """The real moment at which the clock had come to a shown one; that of the skip for one that was skipped.

        >>> Shown([Turn(100, 100, 10), Turn(102, 500, 10)]).real(300)
        102
        """
        index = bisect_right(self.turns, shown, key=lambda turn: turn.shown) - 1
        if index < 0:
            return shown if not self.turns else self.turns[0].real - (self.turns[0].shown - shown)
        turn, following = self.turns[index], self.turns[index + 1 :][:1]
        come = turn.real + (shown - turn.shown) / turn.pace if turn.pace else float("inf")
        return min([come, *(each.real for each in following)])

    def pace(self, since: float, until: float) -> float:
        """The greatest pace from the real moment `since` to `until`."""
        begun = max(0, bisect_right(self.turns, since, key=lambda turn: turn.real) - 1)
        return max((turn.pace for turn in self.turns[begun:] if turn.real <= until), default=1.0)


REAL: Final = Shown()
"""Real time."""


def turns_in(path: Path) -> list[Turn]:
    """The turns that a file names; none when there is no such file.

    A line that is still being written is left out, and so is one that a full disk or a crash cut short.
    """
    if not path.exists():
        return []
    turns: list[Turn] = []
    for line in path.read_text(errors="replace").split("\n")[:-1]:
        with contextlib.suppress(TypeError, ValueError):
            turns.append(Turn(*json.loads(line)))
    return turns


def shown_here() -> Shown:
    """What the environment says."""
    path = os.environ.get(VARIABLE)
    return Shown(turns_in(Path(path))) if path else REAL
