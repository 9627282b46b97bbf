"""Chip-hours: each part, by an example; and that they add up, against a count of every minute."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings, strategies as st

from tpu.chip_hours import ledger as ledgers
from tpu.chip_hours.ledger import Ledger, UnbalancedError, ledger
from tpu.chip_hours.spans import Part
from tpu.trace.lines import (
    HOUR,
    Admitted,
    Asked,
    Assignment,
    Begun,
    Capacity,
    Evicted,
    Finished,
    Flavor,
    Gone,
    Paused,
    PodSet,
    Ready,
    Reclaimed,
    Released,
    Reserved,
    Resumed,
    Seen,
    Trace,
    Unready,
    moment,
)
from tpu.trace.reading import Remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpu.trace.lines import Line

_START: Final = moment("2026-11-16T00:00:00Z")
_MINUTE: Final = 60_000
_TPU: Final = "google.com/tpu"


def at(minute: int) -> int:
    return _START + minute * _MINUTE


def asked(minute: int, uid: str = "a", *, chips: int = 8, team: str = "team-a", queue: str | None = "cq") -> Asked:
    pods = PodSet(name="slice", count=chips // 4, requests={_TPU: "4"})
    return Asked(
        at=at(minute),
        uid=uid,
        namespace=team,
        name=uid,
        job=f"Job/{uid}",
        team=team,
        queue="lq",
        cluster_queue=queue,
        pod_sets=(pods,),
    )


def reserved(minute: int, uid: str = "a", *, chips: int = 8, flavor: str = "v5e") -> Reserved:
    place = Assignment(name="slice", count=chips // 4, flavors={_TPU: flavor}, usage={_TPU: str(chips)})
    return Reserved(at=at(minute), uid=uid, cluster_queue="cq", pod_sets=(place,))


def capacity(minute: int, chips: int, flavor: str = "v5e") -> Capacity:
    return Capacity(at=at(minute), flavors=(Flavor(name=flavor, nodes={_TPU: chips}),))


def made(*lines: Line, end: int, remarks: Remarks | None = None, since: int | None = None) -> Ledger:
    """The ledger of a record of 16 chips that begins at minute 0."""
    head = (Trace(at=at(0)), capacity(0, 16))
    noted = Remarks() if remarks is None else remarks
    return ledger([*head, *lines, Seen(at=at(end))], noted, since=None if since is None else at(since))


def parts(found: Ledger) -> dict[str, float]:
    """Chip-minutes by part, with idle and beyond."""
    sums: Counter[str] = Counter()
    for key, time in found.parts.items():
        sums[key.part.value] += time
    sums["idle"], sums["beyond"] = found.idle.total(), found.beyond.total()
    return {name: time / _MINUTE for name, time in sums.items() if time}


def test_a_life_is_divided_into_its_parts() -> None:
    found = made(
        asked(0),
        reserved(10),
        Admitted(at=at(12), uid="a"),
        Ready(at=at(15), uid="a"),
        Evicted(at=at(70), reason="Preempted", uid="a"),
        Released(at=at(75), uid="a"),
        reserved(80),
        Admitted(at=at(80), uid="a"),
        Ready(at=at(90), uid="a"),
        Unready(at=at(95), uid="a"),
        Ready(at=at(96), uid="a"),
        Finished(at=at(120), reason="Succeeded", uid="a"),
        end=120,
    )
    assert parts(found) == {
        "waiting": 8 * (10 + 5),
        "reserved": 8 * (5 + 10 + 1),
        "lost": 8 * 60,
        "used": 8 * (5 + 24),
        "idle": 16 * 120 - 8 * 105,
    }
    assert {(key.hour * HOUR - _START) // HOUR for key in found.parts} == {0, 1}
    assert found.by("queue").keys() == {"cq"}


def test_what_goes_on_counts_up_to_the_end_and_from_the_beginning_alone() -> None:
    lines = [asked(0), reserved(10), Ready(at=at(10), uid="a"), asked(5, "b")]
    assert parts(made(*lines, end=60)) == {"waiting": 8 * 65, "used": 8 * 50, "idle": 16 * 60 - 8 * 50}
    assert parts(made(*lines, end=60, since=40)) == {"waiting": 160, "used": 160, "idle": 160}


def test_quota_beyond_the_nodes_is_said_apart() -> None:
    lines = [asked(0, chips=24), reserved(0, chips=24), capacity(30, 32), Ready(at=at(30), uid="a")]
    assert parts(made(*lines, end=60)) == {"reserved": 720, "used": 720, "idle": 8 * 30, "beyond": 8 * 30}


def test_succeeded_pods_and_paused_workloads_take_no_chips() -> None:
    lines = [
        asked(0),
        Paused(at=at(5), uid="a"),
        Resumed(at=at(15), uid="a"),
        reserved(20),
        Ready(at=at(20), uid="a"),
        Reclaimed(at=at(40), pods={"slice": 1}, uid="a"),
    ]
    assert parts(made(*lines, end=60)) == {"waiting": 8 * 10, "used": 160 + 80, "idle": 16 * 60 - 240}


def test_a_job_whose_pods_nobody_saw_used_its_chips_since_it_was_admitted() -> None:
    remarks = Remarks()
    lines = [asked(0), reserved(0), Admitted(at=at(10), uid="a"), Finished(at=at(30), uid="a", reason="Succeeded")]
    found = parts(made(*lines, end=30, remarks=remarks))
    assert (found["reserved"], found["used"]) == (80, 160)
    assert remarks.texts() == ["1 Workload: nobody saw when the pods started; used since the admission"]


def test_what_is_odd_in_a_record_is_counted_and_said() -> None:
    remarks = Remarks()
    made(
        asked(10, queue=None),
        asked(11),
        Ready(at=at(12), uid="a"),
        Evicted(at=at(13), uid="a", reason="Preempted"),
        reserved(20),
        reserved(15),
        Gone(at=at(30), uid="a"),
        Finished(at=at(31), uid="a", reason="Succeeded"),
        end=60,
        remarks=remarks,
    )
    assert remarks.texts() == [
        "1 Workload: no such LocalQueue in the cluster",
        "1 Workload: asked twice in the record; the first time counts",
        "1 line: about an admission that the record does not have; left out",
        "1 eviction: the record does not have the admission that it ended",
        "1 line: the moment is before that of the line before; the later one counts",
        "1 reservation: the record lacks the end of the one before",
        "1 line: about a Workload whose request is not in the record; left out",
    ]


def test_a_time_without_a_recorder_is_said() -> None:
    remarks = Remarks()
    made(Begun(at=at(10)), Begun(at=at(30)), asked(31), end=60, remarks=remarks)
    assert remarks.texts() == ["1 gap: nobody recorded for more than 15 minutes; evictions in it may be missing"]


def test_a_sum_that_is_wrong_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(*_: object) -> None:
        """Doubles the count of what spans take."""

    monkeypatch.setattr(ledgers, "_count", forget)
    with pytest.raises(UnbalancedError, match=r"^flavor v5e, google.com/tpu, the hour from 2026-11-16T00:00:00Z: used"):
        made(asked(0), reserved(0), Ready(at=at(0), uid="a"), end=60)


# --- against a count of every minute

_STEPS: Final = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 9)), max_size=14)
_LIVES: Final = st.lists(st.tuples(st.integers(0, 200), st.sampled_from([4, 8, 16]), _STEPS), max_size=5)
_CAPACITIES: Final = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 40)), max_size=4)
_END: Final = 600


def _life(uid: str, begin: int, chips: int, steps: Iterable[tuple[int, int]]) -> list[Line]:
    """Any lines about a Workload, sensible or not, in the order of time."""
    found: list[Line] = [asked(begin, uid, chips=chips, team=f"team-{uid}")]
    minute = begin
    for later, kind in steps:
        minute += later
        makers: Sequence[Line] = (
            reserved(minute, uid, chips=chips, flavor="v5e" if later % 2 else "v6e"),
            Admitted(at=at(minute), uid=uid),
            Ready(at=at(minute), uid=uid),
            Unready(at=at(minute), uid=uid),
            Evicted(at=at(minute), uid=uid, reason="Preempted"),
            Released(at=at(minute), uid=uid),
            Reclaimed(at=at(minute), uid=uid, pods={"slice": 1}),
            Paused(at=at(minute), uid=uid),
            Resumed(at=at(minute), uid=uid),
            Finished(at=at(minute), uid=uid, reason="Succeeded"),
        )
        found.append(makers[kind])
    return found


@settings(deadline=None)
@given(_LIVES, _CAPACITIES)
def test_the_parts_add_up_in_each_hour_whatever_the_record_says(
    lives: list[tuple[int, int, list[tuple[int, int]]]], capacities: list[tuple[int, int]]
) -> None:
    lines: list[Line] = [Trace(at=at(0))]
    for index, (begin, chips, steps) in enumerate(lives):
        lines += _life(str(index), begin, chips, steps)
    lines += [capacity(minute, chips) for minute, chips in sorted(capacities)]
    lines.append(Seen(at=at(_END)))
    spans = list[tuple[int, int, str, str, int]]()
    found = ledger(
        lines,
        Remarks(),
        until=at(_END),
        keep=lambda span: spans.append((span.start, span.end, span.part.value, span.flavor, span.chips)),
    )
    counted = _counted(spans, capacities)
    sums: Counter[tuple[int, str, str]] = Counter()
    for key, time in found.parts.items():
        sums[key.hour, key.part.value, key.flavor] += time // _MINUTE
    for name, hours in (("idle", found.idle), ("beyond", found.beyond)):
        for hour, time in hours.items():
            sums[hour.hour, name, hour.flavor] += time // _MINUTE
    assert +sums == +counted


def _counted(
    spans: list[tuple[int, int, str, str, int]], capacities: list[tuple[int, int]]
) -> Counter[tuple[int, str, str]]:
    """Chip-minutes by hour, part and flavor, minute by minute."""
    counted: Counter[tuple[int, str, str]] = Counter()
    for minute in range(_END):
        now = at(minute)
        there = Counter({"v5e": _latest(capacities, minute)})
        held: Counter[str] = Counter()
        for _, _, part, flavor, chips in (each for each in spans if each[0] <= now < each[1]):
            counted[now // HOUR, part, flavor] += chips
            held[flavor] += chips if part != Part.WAITING.value else 0
        for flavor in ("v5e", "v6e"):
            counted[now // HOUR, "idle", flavor] += max(0, there[flavor] - held[flavor])
            counted[now // HOUR, "beyond", flavor] += max(0, held[flavor] - there[flavor])
    return counted


def _latest(capacities: list[tuple[int, int]], minute: int) -> int:
    """The capacity of a minute: of the last line at or before it."""
    known = [(when, index, chips) for index, (when, chips) in enumerate(sorted(capacities)) if when <= minute]
    return max(known)[2] if known else 0
