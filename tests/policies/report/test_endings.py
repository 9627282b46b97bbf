"""What a change does to the work in a cluster, whoever submitted it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from components.model.running import Running, State, Work, encoded
from policies.report.causes import Fate
from policies.report.events import UnreadableError
from policies.report.running import running_in
from tests.policies.report.stream import Resources, report, resources, steps, stream, told
from tests.stacks import Stack, a_platform

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SLICES: Final = ("tpu_slices", 0)
PLATFORM: Final = (
    a_platform()
    .set(*SLICES, slices=4)
    .set(cohorts=[{"name": "shared"}], node_pools=[{**a_platform().platform["node_pools"][0], "labels": {"a": "b"}}])
    .set("queues", 0, cohort="shared", flavors=[{"name": "v5e-2x4", "chips": 16, "borrow": 8}])
    .add(
        "queues",
        name="applied",
        cohort="shared",
        flavors=[{"name": "v5e-2x4", "chips": 16, "borrow": 8}],
        preemption={"reclaim_within_cohort": "Any"},
        local_queues=[{"name": "applied", "namespace": "applied"}, {"name": "more", "namespace": "applied"}],
    )
)
_RESEARCH: Final[dict[str, Any]] = {"local_queue": "research", "queue": "research", "flavors": ("v5e-2x4",), "chips": 8}
_APPLIED: Final[dict[str, Any]] = {"local_queue": "applied", "queue": "applied", "flavors": ("v5e-2x4",), "chips": 8}


def _work(name: str, state: State = State.RUNS, **more: Any) -> Work:  # noqa: ANN401  any field
    return msgspec.structs.replace(Work(kind="JobSet", namespace="default", name=name, state=state), **more)


TRAIN: Final = msgspec.structs.replace(_work("train", **_RESEARCH), chips=16, pools=("v5e1", "v5e2"), priority=1000)
MINE: Final = _work("mine", pools=("v5e3",), **_RESEARCH)
THEIRS: Final = _work("theirs", pools=("v5e4",), namespace="applied", **_APPLIED)
LATE: Final = _work("late", State.WAITS, namespace="applied", local_queue="applied", queue="applied", chips=16)
SERVER: Final = _work("server", kind="Deployment", pools=("system",), claims=("data",), priority_class="low")
EVERY: Final = (TRAIN, MINE, THEIRS, LATE, SERVER)


@dataclass(frozen=True)
class Case:
    """A change, and what it does to the work that is there."""

    name: str
    after: Callable[[Stack], Stack]
    does: dict[str, tuple[Fate, bool]]
    """By name of the work: its fate, and whether it is certain."""
    work: tuple[Work, ...] = EVERY


def _stop(how: str) -> Callable[[Stack], Stack]:
    return lambda stack: stack.set("queues", 1, stop=how)


def _on_three_slices(stack: Stack) -> Stack:
    return stack.set(*SLICES, slices=3).set("queues", 1, "flavors", 0, chips=8)


CASES: Final = (
    Case("nothing", lambda stack: stack, {}),
    Case("more slices", lambda stack: stack.set(*SLICES, slices=5), {}),
    Case(
        "a pool goes: who is on it ends",
        _on_three_slices,
        {"theirs": (Fate.NODES, True)},
        (MINE, THEIRS),
    ),
    Case(
        "pools of more important work go",
        _on_three_slices,
        {"train": (Fate.NODES, True), "mine": (Fate.PREEMPTED, False)},
        (
            msgspec.structs.replace(TRAIN, pools=("v5e3", "v5e4")),
            _work("mine", pools=("v5e1",), **_RESEARCH),
            _work("equal", pools=("v5e2",), priority=1000, **_RESEARCH),
        ),
    ),
    Case("a queue drains", _stop("drain"), {"theirs": (Fate.EVICTED, True)}),
    Case("a queue is held", _stop("hold"), {}),
    Case(
        "a queue is held that has reserved quota",
        _stop("hold"),
        {"theirs": (Fate.RESERVATION, True)},
        (_work("theirs", State.RESERVES, namespace="applied", **_APPLIED),),
    ),
    Case(
        "a LocalQueue goes: who waits in it waits for ever, who is admitted stays",
        lambda stack: stack.set("queues", 1, local_queues=[{"name": "more", "namespace": "applied"}]),
        {"late": (Fate.STRANDED, True)},
    ),
    Case(
        "a lower quota alone evicts nobody",
        lambda stack: stack.set("queues", 0, "flavors", 0, chips=8),
        {},
        (TRAIN, MINE, THEIRS),
    ),
    Case(
        "a lender may take back what a queue borrows from now on",
        lambda stack: stack.set("queues", 0, "flavors", 0, chips=8).set("queues", 1, "flavors", 0, chips=24),
        {"train": (Fate.PREEMPTED, False), "mine": (Fate.PREEMPTED, False)},
    ),
    Case(
        "ordinary nodes are others",
        lambda stack: stack.set("node_pools", 0, machine_type="e2-standard-8"),
        {"server": (Fate.NODES, True)},
    ),
    Case("labels of nodes change in place", lambda stack: stack.set("node_pools", 0, labels={"a": "c"}), {}),
    Case(
        "a run is declared differently",
        lambda stack: stack.set("workloads", 0, script="sleep 61"),
        {"train": (Fate.AGAIN, True)},
        (TRAIN, MINE),
    ),
    Case(
        "a run is declared differently, and what it leaves may be taken meanwhile",
        lambda stack: stack.set("workloads", 0, script="sleep 61"),
        {"train": (Fate.AGAIN, True), "mine": (Fate.PREEMPTED, False)},
        (TRAIN, MINE, _work("waits", State.WAITS, local_queue="research", queue="research", chips=16)),
    ),
    Case("a run is no longer declared", lambda stack: stack.drop("workloads", 0), {"train": (Fate.DELETED, True)}),
    Case(
        "a run that has finished is no longer declared",
        lambda stack: stack.drop("workloads", 0),
        {},
        (_work("train", State.FINISHED, **_RESEARCH),),
    ),
    Case(
        "a priority goes, without which Kubernetes makes no pods",
        lambda stack: stack.drop("priorities", 1),
        {"server": (Fate.UNTENDED, True)},
        (SERVER,),
    ),
    Case(
        "Kueue is told how long pods may take",
        lambda stack: stack.drop("workloads", 0).set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 600}}}),
        {"theirs": (Fate.EVICTED, False)},
        (MINE, msgspec.structs.replace(THEIRS, is_ready=False), _work("train", State.FINISHED, **_RESEARCH)),
    ),
)


@pytest.fixture(scope="module")
def before() -> Resources:
    return resources(PLATFORM)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_change_does_to_work(before: Resources, case: Case) -> None:
    lines = stream(steps(before, resources(case.after(PLATFORM))))
    impact = report(lines, running=Running(work=case.work)).impact
    assert {each.work.name: (each.fate, each.is_certain) for each in impact.work} == case.does


def test_the_report_names_the_jobs_of_others_and_says_whose_they_are(before: Resources) -> None:
    lines = stream(steps(before, resources(PLATFORM.set("queues", 1, stop="drain"))))
    text = told(lines, running=Running(work=EVERY))
    assert "> **Passes, but ends slices, workloads or data.**" in text
    assert "- **Ends:** 1 workload of others: `JobSet applied/theirs`." in text
    row = "| `JobSet applied/theirs` | others | `applied` | 8 | is evicted and waits in its queue, because the queue"
    assert f"{row} applied drains |" in text


def test_that_nothing_ends_is_said_only_where_the_cluster_was_asked(before: Resources) -> None:
    lines = stream(steps(before, resources(PLATFORM.set(*SLICES, slices=5))))
    asked = "nothing: the cluster was asked, and none of its 5 workloads ends"
    assert f"- **Ends:** {asked}." in told(lines, running=Running(work=EVERY))
    silent = told(lines, running=Running(not_asked="the server does not answer"))
    why = "jobs that others submitted were not looked for: the server does not answer"
    assert f"- **Ends:** no slice, no declared workload and no stored data; {why}." in silent


def test_before_a_stack_is_there_nothing_can_end() -> None:
    assert "- **Ends:** nothing." in told(stream(steps({}, resources(PLATFORM))))


def test_work_that_only_may_end_is_a_warning(before: Resources) -> None:
    after = PLATFORM.set("queues", 0, "flavors", 0, chips=8).set("queues", 1, "flavors", 0, chips=24)
    text = told(stream(steps(before, resources(after))), running=Running(work=EVERY))
    assert "> [!WARNING]\n> **Passes, but may end or hinder work.**" in text
    assert "- **Ends:** may end: `JobSet default/mine`, `JobSet default/train`." in text


def test_an_object_that_the_engine_leaves_where_it_is_does_not_end(before: Resources) -> None:
    events = steps(before, resources(PLATFORM.drop("queues", 1)))
    for event in events:
        told_of = event["resourcePreEvent"]["metadata"]
        if told_of["type"].endswith(":Namespace") and told_of["old"]:
            told_of["old"]["retainOnDelete"] = True
    found = report(stream(events), running=Running(work=(THEIRS,))).impact.work
    assert [each.fate for each in found] == []


def test_a_namespace_that_goes_takes_what_is_in_it(before: Resources) -> None:
    events = steps(before, resources(PLATFORM.drop("queues", 1)))
    found = report(stream(events), running=Running(work=(THEIRS, SERVER))).impact.work
    assert [(each.work.name, each.fate, each.is_certain) for each in found] == [("theirs", Fate.DELETED, True)]


def test_a_snapshot_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "running"
    file.write_text(encoded(Running(work=EVERY)))
    assert running_in(file) == Running(work=EVERY)
    file.write_text("")
    assert running_in(file).not_asked.startswith("tpu running ended without a result")
    file.write_text(json.dumps({"work": 1}))
    with pytest.raises(UnreadableError, match="is not the output of `tpu running`: Expected `array`"):
        running_in(file)
