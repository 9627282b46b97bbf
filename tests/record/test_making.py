"""Records that no recorder wrote: of a few numbers, and of another program's table; and what a rehearsal repeats."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from tests.record.kueue import FakeKueue
from tests.tracked import ROOT
from tpu.chip_hours.ledger import Ledger, ledger
from tpu.chip_hours.spans import Part
from tpu.trace.arrivals import Arrival, arrivals, workload_of
from tpu.trace.generating import DAY, Numbers, generated
from tpu.trace.importing import imported, mapping_in
from tpu.trace.lines import HOUR, Asked, Finished, Gone, Line, Trace, as_json, moment
from tpu.trace.reading import Remarks, TraceError
from tpu.trace.workloads import View, lines_of

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Document

_NUMBERS: Final = Numbers(start=moment("2026-11-16T00:00:00Z"))
_EXAMPLES: Final = ROOT / "examples" / "usage"


def _bytes(numbers: Numbers) -> bytes:
    return b"".join(map(as_json, generated(numbers)))


def test_the_same_numbers_make_the_same_bytes() -> None:
    assert _bytes(_NUMBERS) == _bytes(_NUMBERS) != _bytes(replace(_NUMBERS, seed=2))


def test_a_week_has_its_workloads_within_its_days_and_no_more_chips_than_there_are() -> None:
    remarks = Remarks()
    lines = list(generated(_NUMBERS))
    found = ledger(lines, remarks)
    assert remarks.texts() == []
    asked = [line for line in lines if isinstance(line, Asked)]
    assert len(asked) == _NUMBERS.workloads
    assert all(_NUMBERS.start <= line.at < _NUMBERS.start + 7 * DAY for line in asked)
    by_day = sum(8 <= line.at % DAY // 3_600_000 < 19 for line in asked)
    assert by_day > _NUMBERS.workloads / 2
    assert found.beyond.total() == 0
    assert found.by("team").keys() == {"team-a", "team-b"}
    assert sum(parts[Part.USED] for parts in found.by("team").values()) > found.capacity.total() / 4


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (replace(_NUMBERS, chips=4), "4 chips are less than a slice of 8"),
        (replace(_NUMBERS, hours=0), "days, workloads, chips of a slice and hours must be above 0"),
    ],
)
def test_numbers_that_make_no_record_are_refused(numbers: Numbers, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{told}$"):
        list(generated(numbers))


def test_a_table_of_slurm_becomes_a_record() -> None:
    lines = imported(_EXAMPLES / "sacct.txt", mapping_in(_EXAMPLES / "slurm.yaml"))
    assert isinstance(lines[0], Trace)
    found = ledger(lines, Remarks())
    hours = {team: {part.value: time / 3_600_000 for part, time in parts.items()} for team, parts in _teams(found)}
    assert hours == {
        "applied": {"used": 16 * 1.5 + 8 * 0.5, "waiting": 8 * 1 + 32 * 0.5},
        "research": {"used": 16 * 4},
    }


def _teams(found: Ledger) -> list[tuple[str, dict[Part, int]]]:
    return [(team, dict(parts)) for team, parts in found.by("team").items()]


def test_jsonl_with_seconds_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"i": "a", "s": 1000, "b": 1060.5, "e": "", "c": 4}\n')
    (tmp_path / "m.yaml").write_text(
        "{format: jsonl, id: i, asked: s, admitted: b, finished: e, team: {value: t}, queue: {value: q}, chips: c, "
        "flavor: {value: f}}"
    )
    lines = imported(tmp_path / "t.jsonl", mapping_in(tmp_path / "m.yaml"))
    assert [(line.what, line.at) for line in lines[1:]] == [
        ("asked", 1_000_000),
        ("reserved", 1_060_500),
        ("admitted", 1_060_500),
        ("ready", 1_060_500),
    ]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "it has no rows"),
        ("Job\n1\n", "row 1: there is no column 'JobID'"),
        ("4||||||", None),
    ],
)
def test_a_table_that_the_mapping_does_not_fit_is_named(tmp_path: Path, table: str, told: str | None) -> None:
    head = (_EXAMPLES / "sacct.txt").read_text().splitlines()[0]
    path = tmp_path / "t.txt"
    path.write_text(f"{head}\n1|n|a|p|x|2026-11-16T08:00:00||||1\n" if told is None else table)
    with pytest.raises(TraceError) as error:
        imported(path, mapping_in(_EXAMPLES / "slurm.yaml"))
    assert str(error.value) == f"{path}: {'row 1: Priority: x is not a number' if told is None else told}"


def test_a_mapping_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("{id: i}")
    with pytest.raises(TraceError, match=r"m\.yaml: asked: Field required; .* docs/usage\.md has an example\.$"):
        mapping_in(tmp_path / "m.yaml")


def test_a_rehearsal_repeats_what_asked_with_its_run_time() -> None:
    lines = imported(_EXAMPLES / "sacct.txt", mapping_in(_EXAMPLES / "slurm.yaml"))
    found = arrivals(lines)
    assert [(each.asked.uid, *_stays(each), each.is_over) for each in found] == [
        ("101", (4.0, None), True),
        ("102", (1.5, None), True),
        ("103", (0.5, None), True),
        ("104", False),
    ]
    assert found[0].stays[-1].flavors == {"v5e"}
    cut: list[Line] = [line for line in lines if not isinstance(line, Finished)]
    cut.append(Gone(at=moment("2026-11-16T13:00:00Z"), uid="101"))
    assert [(*_stays(each), each.is_over) for each in arrivals(cut)][:2] == [
        ((5.0, None), False),
        ((4.0, None), False),
    ]


def _stays(arrival: Arrival) -> list[tuple[float, int | None]]:
    """The hours from the start of its pods to the end of each of its stays, and when it was evicted."""
    return [(((each.ended or 0) - (each.ready or 0)) / HOUR, each.evicted) for each in arrival.stays]


def test_what_is_asked_again_is_what_was_asked() -> None:
    kueue = FakeKueue()
    affinity = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    pod: Document = {
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "500m", "google.com/tpu": "4"}}}],
        "initContainers": [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1500m"}}}],
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": affinity}},
    }
    reference = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}
    own: Document = {"priority": 7, "priorityClassRef": reference, "maximumExecutionTimeSeconds": 60}
    own["podSets"] = [
        {"name": "s", "count": 2, "minCount": 1, "topologyRequest": {"required": "x"}, "template": {"spec": pod}}
    ]
    uid = kueue.ask(0, "train", **own)
    view = View(
        team_of=lambda _: "t",
        cluster_queue_of=lambda namespace, name: f"{namespace}/{name}",
        shown=lambda at: at,
        now=0,
    )
    (asked,) = lines_of(kueue.workloads[uid], None, view)
    assert isinstance(asked, Asked)
    again = workload_of(asked)
    container = {"name": "main", "resources": {"requests": {"cpu": "2", "google.com/tpu": "4"}}}
    kept = {key: pod[key] for key in ("nodeSelector", "tolerations", "affinity")}
    assert again["spec"] == {
        **own,
        "active": True,
        "queueName": "lq",
        "podSets": [{**own["podSets"][0], "template": {"spec": {"containers": [container], **kept}}}],
    }
