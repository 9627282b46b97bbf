"""From what Workloads did with chips to the two pictures of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from tpu.pictures.areas import Steps, areas
from tpu.pictures.gantt import Bar, Row, gantt
from tpu.pictures.page import Section

if TYPE_CHECKING:
    from tpu.chip_hours.spans import Span
    from tpu.pictures.axis import Axis

_MOST_ROWS: Final = 60
_WAITING: Final = "waiting"


class Sketch:
    """Collects bars, and draws them."""

    def __init__(self, unit: str = "chips") -> None:
        self._unit = unit
        self._bars: dict[str, list[Bar]] = {}
        self._teams: defaultdict[str, Steps] = defaultdict(Counter)

    def add(self, job: str, team: str, bar: Bar) -> None:
        """A job did something; bars of a job come in the order of time."""
        if bar.part != _WAITING and bar.chips:
            self._teams[team][bar.start] += bar.chips
            self._teams[team][bar.end] -= bar.chips
        bars = self._bars.setdefault(job, [])
        if bars and (bars[-1].end, bars[-1].part, bars[-1].chips) == (bar.start, bar.part, bar.chips):
            bar = Bar(bars.pop().start, bar.end, bar.part, bar.chips)
        bars.append(bar)

    def keep(self, span: Span) -> None:
        """The same of a span of a record."""
        self.add(span.owner.job, span.owner.team, Bar(span.start, span.end, span.part.value, span.chips))

    def sections(self, axis: Axis, capacity: Steps | None = None) -> list[Section]:
        """Both pictures; the jobs are those with the most chip-time, in the order in which they began.

        Args:
            axis: the time that is drawn.
            capacity: how many chips more there are from a moment on; None draws no line.
        """
        there = Counter[int]() if capacity is None else capacity
        names = sorted(self._bars, key=lambda job: (-_chip_time(self._bars[job]), job))
        left_out = len(names) - _MOST_ROWS
        order = sorted(names[:_MOST_ROWS], key=lambda job: (self._bars[job][0].start, job))
        rows = [Row(job, self._bars[job]) for job in order]
        remark = f"{left_out} more jobs took fewer chip-hours than these {_MOST_ROWS}." if left_out > 0 else ""
        return [
            Section(f"{self._unit} by job", gantt(rows, axis, self._unit), remarks=[remark] if remark else []),
            Section(f"{self._unit} by team", areas(self._teams, there, axis, self._unit)),
        ]


def _chip_time(bars: list[Bar]) -> int:
    return sum((bar.end - bar.start) * bar.chips for bar in bars)
