"""Time from left to right, with ticks at round moments."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from components.model.stack_file.report import visible
from tpu.trace.lines import SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH: Final = 960
LEFT: Final = 230
"""Room for names."""
RIGHT: Final = WIDTH - 24
TICK: Final = 20
"""Height of the labels of the ticks."""
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_STEPS: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(_MINUTE * each for each in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * each for each in (1, 2, 3, 6, 12)),
    *(_DAY * each for each in (1, 2, 7, 14, 28, 91, 364)),
)
_MOST_TICKS: Final = 8


@dataclass(frozen=True, slots=True)
class Axis:
    """From one moment to another, both in milliseconds."""

    start: int
    end: int
    is_relative: bool = False
    """Whether ticks count from the start; else they are dates in UTC."""

    def x(self, at: int) -> float:
        """Where a moment is."""
        share = (min(max(at, self.start), self.end) - self.start) / max(1, self.end - self.start)
        return round(LEFT + share * (RIGHT - LEFT), 2)

    def ticks(self) -> list[tuple[int, str]]:
        """Round moments with their labels, at most eight."""
        seconds = max(1, (self.end - self.start) // SECOND)
        step = next((each for each in _STEPS if seconds / each <= _MOST_TICKS), seconds) * SECOND
        zero = self.start if self.is_relative else 0
        first = self.start + (zero - self.start) % step
        return [(at, self._label(at, step)) for at in range(first, self.end + 1, step)]

    def drawn(self, top: float, bottom: float) -> Iterator[str]:
        """The ticks as lines from top to bottom, with labels below."""
        for at, label in self.ticks():
            x = self.x(at)
            yield f'<path class="grid" d="M{x} {top}V{bottom}"/>'
            yield f'<text class="dim middle" x="{x}" y="{bottom + TICK - 6}">{label}</text>'

    def _label(self, at: int, step: int) -> str:
        if self.is_relative:
            return f"+{_short((at - self.start) // SECOND)}"
        moment = dt.datetime.fromtimestamp(at // SECOND, dt.UTC)
        return f"{moment:%a %d %b}" if step >= _DAY * SECOND or at % (_DAY * SECOND) == 0 else f"{moment:%H:%M}"


def _short(seconds: int) -> str:
    """Seconds as people say them.

    >>> [_short(each) for each in (0, 90, 3600, 5400, 86400)]
    ['0 s', '90 s', '1 h', '90 min', '1 d']
    """
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"


def text(value: str, *, longest: int | None = None) -> str:
    """A text as it may stand in a picture, shortened in the middle where it is too long."""
    shown = visible(value)
    if longest is not None and len(shown) > longest:
        half = (longest - 1) // 2
        shown = f"{shown[: longest - 1 - half]}\u2026{shown[len(shown) - half :]}"
    return escape(shown)


def svg(height: float, title: str, description: str, parts: list[str]) -> str:
    """A whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img">'
        f"<title>{text(title)}</title><desc>{text(description)}</desc>\n" + "\n".join(parts) + "\n</svg>"
    )
