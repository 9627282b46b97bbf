"""A comparison in plain words, as tables, as a page with pictures, and as data for programs."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from components.model.findings import counted
from tpu.chip_hours.summary import HELD, FlavorRow
from tpu.pictures.axis import Axis
from tpu.pictures.page import Section, page
from tpu.rehearsal.times import spoken
from tpu.trace.lines import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpu.rehearsal.change.comparing import Comparison, Fidelity
    from tpu.rehearsal.change.sides import Team

_IDLE: Final = "idle"


def sentences(found: Comparison) -> list[str]:
    """The changes for each team."""
    return [
        f"{name} {'; '.join(said)}." if (said := list(_differences(before, after))) else f"For {name} nothing changes."
        for name, before, after in _teams(found)
    ]


def _differences(before: Team, after: Team) -> Iterator[str]:
    if before.median is not None and after.median is None:
        yield f"starts fewer than half of its jobs (before, half of them within {spoken(before.median)})"
    elif before.median is None and after.median is not None:
        yield f"starts half of its jobs within {spoken(after.median)} (before, fewer than half)"
    for old, new, where in (
        (before.median, after.median, "in the median"),
        (before.most, after.most, "at the 95th percentile"),
    ):
        if old is not None and new is not None and old != new:
            word = "longer" if new > old else "shorter"
            yield f"waits {spoken(abs(new - old))} {word} {where} ({spoken(old)} before, {spoken(new)} after)"
    for old, new, what, which in (
        (before.evictions, after.evictions, "eviction", ""),
        (before.never, after.never, "job", " without a start"),
    ):
        if old != new:
            more = "more" if new > old else "fewer"
            yield f"has {counted(abs(new - old), f'{more} {what}')}{which} ({old} before, {new} after)"


def _teams(found: Comparison) -> list[tuple[str, Team, Team]]:
    return [(name, team, found.after.teams[name]) for name, team in found.before.teams.items()]


def _flavors(found: Comparison) -> list[tuple[str, dict[str, float], dict[str, float]]]:
    before, after = found.before.flavors, found.after.flavors
    return [(name, _hours(before.get(name)), _hours(after.get(name))) for name in sorted(before.keys() | after.keys())]


def _hours(row: FlavorRow | None) -> dict[str, float]:
    """Chip-hours of a flavor; those of one that a side does not have are 0."""
    held = {part.value: 0.0 if row is None else row.parts[part] for part in HELD}
    return {**held, _IDLE: 0.0 if row is None else row.idle}


def tables(found: Comparison) -> list[tuple[str, list[list[str]]]]:
    """The tables with their titles; the first row of each is its header."""
    teams = [["team", "jobs", "median wait", "95% wait", "evictions", "without a start"]]
    for name, before, after in _teams(found):
        waits = [
            _times(before, after, old, new) for old, new in ((before.median, after.median), (before.most, after.most))
        ]
        counts = [_counts(before.evictions, after.evictions), _counts(before.never, after.never)]
        teams.append([name, str(before.jobs), *waits, *counts])
    flavors = [["flavor (chip-hours)", *(part.value for part in HELD), _IDLE]]
    flavors += [[name, *(_amounts(old[key], new[key]) for key in old)] for name, old, new in _flavors(found)]
    return [("by team", teams), ("by flavor", flavors)]


def _times(before: Team, after: Team, old: int | None, new: int | None) -> str:
    was, is_now = _wait(before, old), _wait(after, new)
    if old is None or new is None:
        return _both(was, is_now)
    return _both(was, is_now, f"{'+' if new > old else '-'}{spoken(abs(new - old))}")


def _wait(team: Team, wait: int | None) -> str:
    """The time; a dash for a team without jobs that wait."""
    return spoken(wait) if wait is not None else "no start" if team.never else "-"


def _counts(old: int, new: int) -> str:
    return _both(str(old), str(new), f"{new - old:+}")


def _amounts(old: float, new: float) -> str:
    return _both(f"{old:,.1f}", f"{new:,.1f}", f"{new - old:+,.1f}")


def _both(old: str, new: str, difference: str = "") -> str:
    """Both sides, or one where they do not differ."""
    return old if old == new else f"{old} → {new}{f' ({difference})' if difference else ''}"


def check(found: Fidelity) -> str:
    """How well the rehearsal repeats the record."""
    parts = [
        (
            f"Check against the record, with the stack before: of {counted(found.jobs, 'job')}, the record and the "
            f"rehearsal both admit {found.admitted}, {found.same_flavors} of them in the same flavor. "
            f"{found.same_evictions} are evicted equally often."
        )
    ]
    if found.median is not None and found.most is not None:
        parts.append(
            f"The times of admission differ by {spoken(found.median)} in the median and by {spoken(found.most)} at "
            "the 95th percentile."
        )
    if found.only_recorded or found.only_rehearsed:
        parts.append(f"Only the record admits {found.only_recorded}, only the rehearsal {found.only_rehearsed}.")
    return " ".join(parts)


def heading(found: Comparison) -> str:
    """The subject of the comparison."""
    week = found.week
    return (
        f"{counted(len(week.jobs), 'job')} from {written(week.start)} to {written(week.end)}, decided by Kueue "
        f"{found.before.outcome.kueue}: before is {found.names[0]}, after is {found.names[1]}"
    )


def data(found: Comparison) -> dict[str, Any]:
    """The comparison for programs: times in seconds, chips in chip-hours; and its words, for the preview report."""
    return {
        "from": written(found.week.start),
        "until": written(found.week.end),
        "kueue": found.before.outcome.kueue,
        "teams": [
            {"name": name, "before": asdict(before), "after": asdict(after)} for name, before, after in _teams(found)
        ],
        "flavors": [{"name": name, "before": before, "after": after} for name, before, after in _flavors(found)],
        "fidelity": asdict(found.fidelity),
        "heading": heading(found),
        "sentences": sentences(found),
        "tables": [{"title": title, "rows": rows} for title, rows in tables(found)],
        "check": check(found.fidelity),
        "remarks": list(found.remarks),
    }


def html(found: Comparison) -> str:
    """The page, with the pictures of both sides."""
    drawn = [
        replace(each, title=f"{side}: {each.title}")
        for side, pictures in (("before", found.before), ("after", found.after))
        for each in pictures.sketch.sections(Axis(found.week.start, found.week.end), pictures.capacity)
    ]
    return page(
        "What the change does to those who queue",
        [
            Section("summary", remarks=[heading(found), *sentences(found)]),
            *(Section(title, rows=rows) for title, rows in tables(found)),
            *drawn,
            Section("how exact this is", remarks=[check(found.fidelity), *found.remarks]),
        ],
    )
