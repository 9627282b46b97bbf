"""A change of the quota of `dev`, rehearsed from a record and then made: teams wait as long as rehearsed.

The jobs run on the simulated machines of the stack on both sides of the change; `tpu record` measures their waits.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.documents import Document, condition, is_true
from components.kubeapi.jobs import (
    NODES,
    WORKLOADS,
    condition_time,
    is_finished,
    owner_name,
)
from components.kubeapi.owners import JOBSETS
from components.manifests.jobset import jobset
from components.model.facts import gke
from components.model.plan.workloads import JobSetPlan
from components.model.stack_file.reading import read as read_file
from tests.control_plane.edited import EditedStack
from tests.control_plane.life import hurry
from tests.eventually import eventually
from tests.rehearsal.recorded import CHANGED, with_quota
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, given_file
from tpu.rehearsal.change.sides import MEDIAN, MOST, quantile
from tpu.rehearsal.change.week import week_of
from tpu.trace.lines import SECOND, Ready
from tpu.trace.reading import Remarks, read

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.harness import Simulator
    from tpu.trace.arrivals import Arrival

_STACK: Final = "dev"
_SIDES: Final = ("before", "after")
_ON_DEMAND, _FLEX = "v5e", "v6e-flex"
_LONG: Final = 3000
_JOBS: Final = (
    ("r1", "research", _ON_DEMAND, _LONG),
    ("r2", "research", _ON_DEMAND, _LONG + 300),
    ("r3", "research", _FLEX, _LONG),
    ("r4", "research", _FLEX, _LONG + 300),
    ("a1", "applied", _ON_DEMAND, 600),
    ("a2", "applied", _FLEX, 900),
)
"""Name, team, flavor and seconds of each job, in the order in which they ask: applied asks when research has all chips.
Each names one flavor: JobSet 0.12 cannot move a job away from flex-start."""
_SPEED: Final = 10.0
_TOLERANCE: Final = 15 * _SPEED
"""Simulated seconds that controllers take between an end and a start; a rehearsal does not model them."""
_QUICK: Final = 300.0
"""The speed until the nodes of a week are gone."""
_SECONDS: Final = 120.0
"""Real seconds to wait for one thing."""


@dataclass(frozen=True)
class Waited:
    """What a record says of a team."""

    median: int | None
    most: int | None
    evictions: int


@dataclass(frozen=True)
class Told:
    """Both weeks."""

    real: dict[str, dict[str, Waited]]
    """By side (`before`, `after`) and team."""
    rehearsed: dict[str, Any]
    """What `tpu rehearse` told from the record of the first."""

    def expected(self, side: str) -> dict[str, Waited]:
        """What was rehearsed for a side, by team."""
        keys = ("median", "most", "evictions")
        return {each["name"]: Waited(*(each[side][key] for key in keys)) for each in self.rehearsed["teams"]}


@pytest.fixture(scope="module")
def told(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Both weeks."""
    folder = tmp_path_factory.mktemp("quota")
    stack = EditedStack(simulator, _STACK, folder / "project")
    project, whole = stack.simulator.project, stack.read()
    platform: dict[str, Any] = {**whole, "workloads": []}
    jobs = _documents(whole)
    hurry(simulator, _SPEED, queue=60)
    records = [project / f"{side}.jsonl" for side in _SIDES]
    stack.write(platform)
    _week(stack, records[0], jobs)
    file = project / f"Pulumi.{_STACK}.yaml"
    (project / "before.yaml").write_text(file.read_text())
    stack.write(with_quota(platform, CHANGED))
    command = ("tpu", "rehearse", "--stack", _STACK, "--trace", records[0].name, "--base", "before.yaml")
    rehearsed = json.loads(stack.simulator.run("exec", "--", *command, "--format=json").out)
    _week(stack, records[1], jobs)
    return Told(dict(zip(_SIDES, map(_measured, records), strict=True)), rehearsed)


def _week(stack: EditedStack, record: Path, jobs: list[Document]) -> None:
    """Bring the platform up, let all jobs run on it while they are recorded, and remove them and their nodes."""
    stack.up()
    simulator = stack.simulator
    with _recorded(simulator, record):
        for count, each in enumerate(jobs, start=1):
            _submit(simulator, each)
            if each["metadata"]["namespace"] == "research":
                started = partial(_starts, record)
                eventually(started, count.__eq__, what=f"{count} jobs run", seconds=_SECONDS)
        watch = ("python", "-m", "tpu.watch", "--stack", _STACK, "--until-settled")
        followed = simulator.run("exec", "--speed=auto", "--", *watch)
    api = simulator.api()
    assert [is_finished(each) for each in api.items(JOBSETS)] == [True] * len(_JOBS), followed.out
    for each in api.items(JOBSETS):
        api.delete(_path(each), {"propagationPolicy": "Foreground"})
    hurry(simulator, _QUICK)
    flex = {"labelSelector": f"{gke.LABEL_FLEX_START}=true"}
    eventually(lambda: not (api.items(WORKLOADS) or api.items(NODES, flex)), what="the jobs are gone", seconds=_SECONDS)
    hurry(simulator, _SPEED)


@contextmanager
def _recorded(simulator: Simulator, record: Path) -> Generator[None]:
    """`tpu record` follows the cluster meanwhile."""
    command = simulator.command("exec", "--", "tpu", "record", str(record), "--stack", _STACK, "--interval=1")
    with subprocess.Popen(
        command,
        cwd=simulator.project,
        env=simulator.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            eventually(lambda: record.exists() and '"begun"' in record.read_text(), what="the record begins")
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)  # a test run in the background of a shell ignores Ctrl-C
            process.wait()


def _submit(simulator: Simulator, document: Document) -> None:
    """Create a job, and wait until it has had quota for a second, or Kueue has said why it waits.

    Of two jobs that get quota in the same second Kueue evicts the one with the lower UID, which no rehearsal can know.
    """
    api, name = simulator.api(), document["metadata"]["name"]
    api.create(_path(document).rpartition("/")[0], document)

    def is_decided() -> bool:
        found = [each for each in api.items(WORKLOADS) if owner_name(each) == name]
        return any(_has_had_quota(each) or _must_wait(each) for each in found)

    eventually(is_decided, what=f"Kueue has decided about {name}", seconds=_SECONDS)


def _starts(record: Path) -> int:
    """How many starts of pods the recorder has seen: it must not miss that of a job that is evicted soon after."""
    return sum(isinstance(line, Ready) for line in read(record, Remarks()))


def _has_had_quota(workload: Document) -> bool:
    reserved = condition_time(workload, "QuotaReserved") or time.time()
    return is_true(workload, "Admitted") and time.time() >= reserved + 1


def _must_wait(workload: Document) -> bool:
    """Whether Kueue has no quota for it, and evicts nothing for it."""
    reserved = condition(workload, "QuotaReserved")
    return reserved.get("status") == "False" and "preempt" not in reserved.get("message", "")


def _documents(platform: dict[str, Any]) -> list[Document]:
    """The jobs as the program makes them, in the order in which they ask."""
    templates = {each["namespace"]: each for each in platform["workloads"]}
    workloads = [
        {**templates[team], "name": name, "flavors": [flavor], "priority": "normal", "script": f"sleep {seconds}"}
        for name, team, flavor, seconds in _JOBS
    ]
    text = json.dumps({"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: {**platform, "workloads": workloads}}})
    plan = read_file(given_file(text)).plan
    assert plan is not None
    return [jobset(each) for each in plan.workloads if isinstance(each, JobSetPlan)]


def _path(job: Document) -> str:
    metadata = job["metadata"]
    return f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{metadata['namespace']}/jobsets/{metadata['name']}"


def _measured(record: Path) -> dict[str, Waited]:
    """What happened to the jobs of each team."""
    week = week_of(list(read(record, Remarks())), Remarks())
    teams: dict[str, list[Arrival]] = {}
    for job in week.jobs.values():
        teams.setdefault(job.asked.team, []).append(job)
    return {team: _waited(jobs) for team, jobs in teams.items()}


def _waited(jobs: list[Arrival]) -> Waited:
    starts = [[stay.ready for stay in job.stays if stay.ready is not None] for job in jobs]
    waits = [(min(ready) - job.asked.at) // SECOND for job, ready in zip(jobs, starts, strict=True)]
    evictions = sum(stay.evicted is not None for job in jobs for stay in job.stays)
    return Waited(quantile(waits, MEDIAN), quantile(waits, MOST), evictions)


@pytest.mark.parametrize("side", _SIDES)
def test_teams_wait_and_are_evicted_as_rehearsed(told: Told, side: str) -> None:
    real, expected = told.real[side], told.expected(side)
    assert expected.keys() == real.keys() == {"applied", "research"}
    for team, waited in real.items():
        assert expected[team].evictions == waited.evictions, team
        assert expected[team].median == pytest.approx(waited.median, abs=_TOLERANCE), team
        assert expected[team].most == pytest.approx(waited.most, abs=_TOLERANCE), team


def test_applied_waits_longer_by_the_jobs_of_research(told: Told) -> None:
    assert told.rehearsed["sentences"][0].startswith("applied waits ")
    before, after = (told.real[side]["applied"].median for side in _SIDES)
    assert before is not None
    assert after is not None
    assert after - before > 0.8 * _LONG
    assert [told.real[side]["research"].evictions for side in _SIDES] == [2, 0]


def test_the_first_week_is_repeated(told: Told) -> None:
    fidelity = told.rehearsed["fidelity"]
    assert fidelity["jobs"] >= len(_JOBS) - 1  # the first may have quota in the second in which the record begins
    assert {fidelity[key] for key in ("admitted", "same_flavors", "same_evictions")} == {fidelity["jobs"]}
    assert (fidelity["only_recorded"], fidelity["only_rehearsed"]) == (0, 0)
