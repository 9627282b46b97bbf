"""Short forms of outcomes, for assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.rehearsal.platforms import TPU
from tpu.rehearsal.running import Decision, Outcome, rehearse

if TYPE_CHECKING:
    from pathlib import Path

    from tpu.rehearsal.document import Rehearsal

_SILENT = ("queued", "waiting", "started", "released", "requeued")


def story(rehearsal: Rehearsal, command: Path) -> list[tuple[int, str, str]]:
    """When which Workload was admitted, evicted and so on, in order."""
    return lines(rehearse(rehearsal, command))


def lines(outcome: Outcome) -> list[tuple[int, str, str]]:
    return [(each.at, _short(each.workload), _event(each)) for each in outcome.decisions if each.event not in _SILENT]


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _event(decision: Decision) -> str:
    if decision.event == "evicted":
        return f"evicted: {decision.reason}{f' for {_short(decision.by)}' if decision.by else ''}"
    if decision.event == "admitted" and decision.flavors is not None:
        return f"admitted: {decision.flavors['main'][TPU]}"
    return decision.event


def words(rehearsal: Rehearsal, command: Path, name: str) -> list[str]:
    """What Kueue said while a Workload waited."""
    return [each.words for each in rehearse(rehearsal, command).of(f"default/{name}") if each.event == "waiting"]
