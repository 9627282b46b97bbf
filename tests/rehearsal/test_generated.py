"""Generated platforms and traces: the same output every time, and what holds whatever Kueue decides."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import pytest

from tests.rehearsal.generated import generated
from tests.rehearsal.platforms import TPU
from tpu.rehearsal.running import Outcome, rehearse, run

if TYPE_CHECKING:
    from pathlib import Path

    from tpu.rehearsal.document import Rehearsal

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_input_has_the_same_output_byte_for_byte(seed: int, command: Path) -> None:
    text = generated(seed).text()
    assert run(text, command) == run(text, command)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_more_is_held_than_there_is_and_every_job_has_its_time(seed: int, command: Path) -> None:
    told = generated(seed, jobs=20)
    outcome = rehearse(told, command)
    _check_quota(told, outcome)
    _check_times(told, outcome)


def _check_quota(told: Rehearsal, outcome: Outcome) -> None:
    """At no moment do Workloads hold more of a flavor than all queues have of it."""
    there: Counter[str] = Counter()
    for each in told.objects:
        spec = each["spec"]
        for group in spec.get("resourceGroups", []):
            for flavor in group["flavors"]:
                there[flavor["name"]] += int(flavor["resources"][0]["nominalQuota"])
    held: dict[str, Counter[str]] = defaultdict(Counter)
    for each in outcome.decisions:
        if each.event == "admitted":
            held[each.workload].update({flavor: usage[TPU] for flavor, usage in (each.usage or {}).items()})
        if each.event in ("released", "finished"):
            held.pop(each.workload, None)
        total = sum(held.values(), Counter[str]())
        assert all(total[flavor] <= there[flavor] for flavor in total), each


def _check_times(told: Rehearsal, outcome: Outcome) -> None:
    """A job that finished ran for its time after its last start."""
    runs = {f"default/job{i}": each.runs for i, each in enumerate(told.workloads)}
    started: dict[str, int] = {}
    for each in outcome.decisions:
        if each.event == "started":
            started[each.workload] = each.at
        if each.event == "finished":
            assert each.at - started[each.workload] == runs[each.workload]
    assert all(sum(1 for each in outcome.of(name) if each.event == "queued") == 1 for name in runs)
