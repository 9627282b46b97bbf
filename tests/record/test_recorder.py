"""The recorder: what it writes, and what a kill at any moment leaves."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.record.kueue import START, FakeKueue, live, stamp
from tpu.chip_hours.ledger import ledger
from tpu.trace import surroundings
from tpu.trace.lines import SECOND
from tpu.trace.reading import Remarks, TraceError, read
from tpu.trace.recorder import Recorder, Settings
from tpu.trace.writing import TraceFile

if TYPE_CHECKING:
    from pathlib import Path

_DAY: Final = 86400


class Clock:
    """Doubles the module `time` of what asks for the moment."""

    def __init__(self) -> None:
        self.second = 0

    def time(self) -> float:
        """As `time.time`."""
        return START / SECOND + self.second


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(surroundings, "time", made)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def _recorded(kueue: FakeKueue, path: Path, **settings: Any) -> list[str]:  # noqa: ANN401  any setting
    """Record what there is now, as a recorder that is killed at once would: the lines that it prints."""
    told: list[str] = []
    with TraceFile(path) as file:
        Recorder(kueue.api, file, Settings(**settings), told.append).run(0)
    return told


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _words(path: Path) -> list[str]:
    """The lines about Workloads, by what they say."""
    return [row["what"] for row in _rows(path) if "uid" in row]


def _usage(path: Path, until: int) -> dict[tuple[Any, ...], int]:
    """The chip-time of a record, idle chips too."""
    made = ledger(read(path, Remarks()), Remarks(), until=START + until * SECOND)
    return {**{tuple(key): time for key, time in made.parts.items()}, **{tuple(h): t for h, t in made.idle.items()}}


def test_a_life_is_recorded_once_however_often_it_is_looked_at(clock: Clock, path: Path) -> None:
    kueue = FakeKueue()
    _recorded(kueue, path)
    uid = kueue.ask(10, "train", chips=16)
    kueue.reserve(20, uid)
    kueue.become(21, uid, "Admitted")
    kueue.become(60, uid, "PodsReady")
    for clock.second in (100, 200):
        _recorded(kueue, path)
    kueue.become(300, uid, "Evicted", reason="Preempted")
    kueue.release(310, uid)
    kueue.reserve(400, uid)
    kueue.become(401, uid, "Admitted")
    kueue.become(430, uid, "PodsReady")
    kueue.become(500, uid, "Finished", reason="Succeeded")
    for clock.second in (600, 700):
        _recorded(kueue, path)
    life = ["asked", "reserved", "admitted", "ready"]
    assert _words(path) == [*life, "evicted", "released", *life[1:], "finished"]
    rows = [row for row in _rows(path) if "uid" in row]
    assert [row["at"] for row in rows[-6:]] == [stamp(at) for at in (300, 310, 400, 401, 430, 500)][-6:]
    assert rows[0] | {"version": ""} == {
        "what": "asked",
        "at": stamp(10),
        "uid": uid,
        "version": "",
        "namespace": "team-a",
        "name": "jobset-train",
        "job": "JobSet/train",
        "team": "team-a",
        "queue": "lq",
        "cluster_queue": "cq",
        "pod_sets": [{"name": "slice", "count": 4, "requests": {"google.com/tpu": "4"}}],
    }


def test_what_events_said_is_not_needed_and_what_nobody_saw_is_marked_late(clock: Clock, path: Path) -> None:
    kueue = FakeKueue()
    uid = kueue.ask(10, "train")
    kueue.reserve(20, uid)
    clock.second = 30
    _recorded(kueue, path)
    kueue.become(40, uid, "Evicted", reason="Preempted")
    kueue.release(50, uid)
    kueue.reserve(60, uid)
    kueue.forgotten = 10**6
    other = kueue.ask(61, "other")
    clock.second = 70
    _recorded(kueue, path)
    late = next(row for row in _rows(path) if row["what"] == "evicted")
    assert (late["at"], late["reason"], late["late"]) == (stamp(60), "Unknown", True)
    assert _words(path) == ["asked", "reserved", "evicted", "released", "reserved", "asked"]
    kueue.delete(80, other)
    clock.second = 90
    _recorded(kueue, path)
    assert [row["at"] for row in _rows(path) if row["what"] == "gone" and row["late"]] == [stamp(90)]


def test_a_deletion_that_the_server_repeats_has_its_moment(clock: Clock, path: Path) -> None:
    kueue = FakeKueue()
    uid = kueue.ask(10, "train")
    _recorded(kueue, path)
    kueue.delete(20, uid)
    for clock.second in (30, 40):
        _recorded(kueue, path)
    assert [row for row in _rows(path) if row["what"] == "gone"] == [
        {"what": "gone", "at": stamp(20), "uid": uid, "version": "102"}
    ]


def test_pods_say_when_they_started_where_kueue_does_not(clock: Clock, path: Path) -> None:
    kueue = FakeKueue()
    uid = kueue.ask(10, "train", chips=8)
    kueue.reserve(20, uid)
    kueue.become(21, uid, "Admitted")
    state = {"containerStatuses": [{"state": {"running": {"startedAt": stamp(55)}}}]}
    label = {"jobset.sigs.k8s.io/jobset-name": "train"}
    pods = [{"metadata": {"name": str(index), "labels": label}, "status": state} for index in range(2)]
    kueue.collections["/api/v1/namespaces/team-a/pods"] = pods[:1]
    clock.second = 60
    with TraceFile(path) as file:
        recorder = Recorder(kueue.api, file, Settings(interval=0.01), print)
        recorder.run(0.02)
        assert "ready" not in _words(path)
        kueue.collections["/api/v1/namespaces/team-a/pods"] = pods
        recorder.run(0.02)
    assert [row["at"] for row in _rows(path) if row["what"] == "ready"] == [stamp(55)]


def test_pods_of_a_job_that_is_over_when_it_is_seen_say_it_too(clock: Clock, path: Path) -> None:
    kueue = FakeKueue()
    uid = kueue.ask(10, "train", chips=8)
    kueue.reserve(20, uid)
    kueue.become(21, uid, "Admitted")
    kueue.edit(uid, reclaimablePods=[{"name": "slice", "count": 1}])
    kueue.become(90, uid, "Finished", reason="Succeeded")
    state = {"containerStatuses": [{"state": {"terminated": {"startedAt": stamp(55)}}}]}
    metadata = {"labels": {"jobset.sigs.k8s.io/jobset-name": "train"}}
    kueue.collections["/api/v1/namespaces/team-a/pods"] = [{"metadata": metadata, "status": state}] * 2
    clock.second = 100
    _recorded(kueue, path)
    rows = [(row["what"], row["at"]) for row in _rows(path) if "uid" in row]
    assert rows[2:] == [("admitted", stamp(21)), ("ready", stamp(55)), ("finished", stamp(90))]


def test_reclaimed_pods_pauses_and_lost_pods_are_recorded(clock: Clock, path: Path) -> None:
    kueue = FakeKueue()
    uid = kueue.ask(10, "train")
    _recorded(kueue, path)
    kueue.activate(uid, is_active=False)
    kueue.activate(uid, is_active=True)
    kueue.reserve(20, uid)
    kueue.become(30, uid, "PodsReady")
    kueue.become(40, uid, "PodsReady", is_true=False)
    kueue.edit(uid, reclaimablePods=[{"name": "slice", "count": 1}])
    clock.second = 50
    for _ in range(2):
        _recorded(kueue, path)
    assert _words(path) == ["asked", "paused", "resumed", "reserved", "ready", "unready", "reclaimed"]


def test_the_team_is_a_label_of_the_workload_or_of_its_namespace(path: Path) -> None:
    kueue = FakeKueue()
    kueue.objects["/api/v1/namespaces/team-a"] = {"metadata": {"labels": {"team": "research"}}}
    kueue.ask(10, "one")
    uid = kueue.ask(10, "two")
    kueue.workloads[uid]["metadata"]["labels"] = {"team": "applied"}
    _recorded(kueue, path, team_label="team")
    assert [row["team"] for row in _rows(path) if row["what"] == "asked"] == ["research", "applied"]


def test_variants_of_a_workload_are_left_out(path: Path) -> None:
    kueue = FakeKueue()
    uid = kueue.ask(10, "train")
    kueue.workloads[uid]["metadata"]["ownerReferences"][0]["kind"] = "Workload"
    _recorded(kueue, path)
    kueue.delete(20, uid)
    _recorded(kueue, path)
    assert _words(path) == []


def test_a_record_of_another_cluster_is_refused_and_so_is_a_second_recorder(path: Path) -> None:
    kueue = FakeKueue()
    _recorded(kueue, path)
    with TraceFile(path), pytest.raises(TraceError, match=r"another `tpu record` writes to it"):
        _recorded(kueue, path)
    kueue.objects["/api/v1/namespaces/kube-system"] = {"metadata": {"uid": "cluster-2"}}
    with pytest.raises(TraceError, match=r"it is the record of another cluster\. Name another file\.$"):
        _recorded(kueue, path)


def test_no_variable_of_a_container_is_in_the_record(path: Path) -> None:
    kueue = FakeKueue()
    kueue.ask(10, "train")
    _recorded(kueue, path)
    assert b"env" not in path.read_bytes()


@pytest.mark.parametrize("seed", range(4))
def test_a_record_that_is_cut_at_20_random_moments_gives_the_same_usage(
    clock: Clock, tmp_path: Path, seed: int
) -> None:
    """A kill leaves what was written before and any part of the last write."""
    random_, kueue = random.Random(seed), FakeKueue()  # noqa: S311  not for secrets
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    for path in (whole, cut):
        _recorded(kueue, path)
    looks, mended = 0, 0
    with TraceFile(whole) as file:
        watching = Recorder(kueue.api, file, Settings(), print)
        for clock.second in live(kueue, random_, 200):
            watching.run(0)
            if random_.random() < 0.12 and looks < 20:
                looks += 1
                before = cut.stat().st_size
                mended += len(_recorded(kueue, cut))
                with cut.open("r+b") as stream:
                    stream.truncate(random_.randint(before, cut.stat().st_size))
    _recorded(kueue, cut)
    assert mended > 0
    until = clock.second + _DAY
    assert _usage(cut, until) == _usage(whole, until)
    about = [(row["what"], row["at"], row["uid"]) for row in _rows(cut) if "uid" in row]
    assert len(set(about)) == len(about)
