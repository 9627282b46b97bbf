"""A row for each job: when it waited, had quota, ran, and lost what it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tpu.pictures.axis import LEFT, TICK, Axis, svg, text

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS: Final = ("waiting", "reserved", "used", "lost")
"""What a bar shows; each has a color in `page.css`."""
_WORDS: Final = {
    "waiting": "waits",
    "reserved": "has quota, its pods do not run yet",
    "used": "runs",
    "lost": "ran, and was evicted",
}
_ROW: Final = 22
_BAR: Final = 14
_LEGEND: Final = 30
_NAME: Final = 32
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What a job did from one moment to another, in milliseconds."""

    start: int
    end: int
    part: str
    chips: int


@dataclass(frozen=True, slots=True)
class Row:
    """A job."""

    name: str
    bars: Sequence[Bar]


def gantt(rows: Sequence[Row], axis: Axis, unit: str) -> str:
    """The picture; `unit` is what chips are called, such as GPUs."""
    bottom = _LEGEND + _ROW * len(rows)
    parts = [*_legend(), *axis.drawn(_LEGEND, bottom)]
    for index, row in enumerate(rows):
        top = _LEGEND + _ROW * index
        name = text(row.name, longest=_NAME)
        parts.append(f'<text class="end" x="{LEFT - 8}" y="{top + 15}">{name}</text>')
        parts += [_bar(row, bar, axis, top + (_ROW - _BAR) / 2, unit) for bar in row.bars]
    about = f"{len(rows)} jobs: when each waited, had quota, ran, and lost work."
    return svg(bottom + TICK, "Chips by job over time", about, parts)


def _bar(row: Row, bar: Bar, axis: Axis, top: float, unit: str) -> str:
    left, right = axis.x(bar.start), axis.x(bar.end)
    width = max(0.6, round(right - left, 2))
    chips = f" with {bar.chips} {unit}" if bar.chips else ""
    seconds = round((bar.end - bar.start) / 1000)
    title = f"{text(row.name)} {_WORDS[bar.part]}{chips} for {seconds} s"
    return (
        f'<rect class="{bar.part}" x="{left}" y="{top:g}" width="{width}" height="{_BAR}" rx="2">'
        f"<title>{title}</title></rect>"
    )


def _legend() -> list[str]:
    found: list[str] = []
    x = LEFT
    for part in PARTS:
        word = _WORDS[part]
        found.append(f'<rect class="{part}" x="{x}" y="6" width="12" height="12" rx="2"/>')
        found.append(f'<text x="{x + 17}" y="16">{word}</text>')
        x += 40 + round(6.6 * len(word))
    return found
