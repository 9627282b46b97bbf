"""Chips of teams over time, stacked, below the line of those that there are."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tpu.pictures.axis import LEFT, RIGHT, TICK, Axis, svg, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COLORS: Final = 8
"""Teams with a color of their own, in `page.css`; the others share the last."""
OTHERS: Final = "other teams"
_TOP: Final = 12
_HEIGHT: Final = 220
_LEGEND_ROW: Final = 20
_LINES: Final = 5
"""Lines across, at most, with the number of chips."""
_COLUMNS: Final = 480
"""Time is drawn in so many columns at most, each with its mean."""
Steps = Counter[int]
"""By moment in milliseconds: how many chips more from then on."""


def areas(teams: Mapping[str, Steps], capacity: Steps, axis: Axis, unit: str) -> str:
    """The picture of chips that teams hold; an empty `capacity` draws no line."""
    shown = _largest(teams, axis)
    cuts = _cuts([*shown.values(), capacity], axis)
    values = {team: _means(steps, cuts) for team, steps in shown.items()}
    there = _means(capacity, cuts) if capacity else []
    stacked = [sum(column) for column in zip(*values.values(), strict=True)] if values else [0.0]
    most = max([1.0, *stacked, *there])
    parts = [*_scale(most, unit), *axis.drawn(_TOP, _TOP + _HEIGHT)]
    base = [0.0] * (len(cuts) - 1)
    for index, (team, heights) in enumerate(values.items()):
        top = [low + high for low, high in zip(base, heights, strict=True)]
        shape = _shape(base, top, cuts, axis, most)
        parts.append(f'<path class="c{index}" d="{shape}"><title>{text(team)}</title></path>')
        base = top
    if there:
        parts.append(f'<path class="capacity" d="M{_outline(there, cuts, axis, most)}"/>')
    bottom = _TOP + _HEIGHT + TICK
    parts += _legend(list(values), bottom, has_capacity=bool(there))
    rows = (len(values) + bool(there) + 3) // 4
    about = f"{unit} that {len(values)} teams hold, stacked."
    return svg(bottom + _LEGEND_ROW * rows + 4, "Chips by team over time", about, parts)


def _largest(teams: Mapping[str, Steps], axis: Axis) -> dict[str, Steps]:
    """The teams with the most chip-time, largest first, and the others together."""
    ends = [axis.start, axis.end]
    order = sorted(teams, key=lambda team: (-_means(teams[team], ends)[0], team))
    if len(order) <= COLORS:
        return {team: teams[team] for team in order}
    rest: Steps = Counter()
    for team in order[COLORS - 1 :]:
        rest.update(teams[team])
    return {**{team: teams[team] for team in order[: COLORS - 1]}, OTHERS: rest}


def _cuts(steps: Sequence[Steps], axis: Axis) -> list[int]:
    """The moments between columns: those of the steps, or even ones where these are too many."""
    moments = {at for each in steps for at in each if axis.start < at < axis.end}
    if len(moments) < _COLUMNS:
        return sorted({axis.start, *moments, max(axis.end, axis.start + 1)})
    span = axis.end - axis.start
    return [axis.start + span * column // _COLUMNS for column in range(_COLUMNS + 1)]


def _means(steps: Steps, cuts: Sequence[int]) -> list[float]:
    """The mean of a step function between each two cuts."""
    moments, now, found = sorted(steps), 0, list[float]()
    index = 0
    for begin, stop in pairwise(cuts):
        at, time = begin, 0
        while index < len(moments) and moments[index] < stop:
            moment = max(begin, moments[index])
            time += now * (moment - at)
            at, now = moment, now + steps[moments[index]]
            index += 1
        found.append((time + now * (stop - at)) / max(1, stop - begin))
    return found


def _y(value: float, most: float) -> float:
    return round(_TOP + _HEIGHT * (1 - value / most), 2)


def _outline(values: Sequence[float], cuts: Sequence[int], axis: Axis, most: float) -> str:
    """A stepped line from left to right, without the command that begins it."""
    points = [f"{axis.x(cuts[0])} {_y(values[0], most)}"]
    points += [f"H{axis.x(stop)}V{_y(after, most)}" for stop, after in zip(cuts[1:], values[1:], strict=False)]
    return f"{''.join(points)}H{axis.x(cuts[-1])}"


def _shape(base: Sequence[float], top: Sequence[float], cuts: Sequence[int], axis: Axis, most: float) -> str:
    """The area between two stepped lines."""
    back = [f"V{_y(low, most)}H{axis.x(start)}" for low, start in zip(reversed(base), reversed(cuts[:-1]), strict=True)]
    return f"M{_outline(top, cuts, axis, most)}{''.join(back)}Z"


def _scale(most: float, unit: str) -> list[str]:
    step = next(each * 10**power for power in range(12) for each in (1, 2, 5) if most <= _LINES * each * 10**power)
    found: list[str] = []
    for value in range(0, int(most) + 1, step):
        y = _y(value, most)
        found.append(f'<path class="grid" d="M{LEFT} {y}H{RIGHT}"/>')
        found.append(f'<text class="dim end" x="{LEFT - 8}" y="{y + 4}">{value} {unit}</text>')
    return found


def _legend(names: Sequence[str], top: float, *, has_capacity: bool) -> list[str]:
    found: list[str] = []
    width = (RIGHT - LEFT) // 4
    for index, name in enumerate(names):
        x, y = LEFT + width * (index % 4), top + _LEGEND_ROW * (index // 4)
        found.append(f'<rect class="c{index}" x="{x}" y="{y + 4}" width="12" height="12" rx="2"/>')
        found.append(f'<text x="{x + 17}" y="{y + 14}">{text(name, longest=22)}</text>')
    if has_capacity:
        x, y = LEFT + width * (len(names) % 4), top + _LEGEND_ROW * (len(names) // 4)
        found.append(f'<path class="capacity" d="M{x} {y + 10}h12"/><text x="{x + 17}" y="{y + 14}">there are</text>')
    return found
