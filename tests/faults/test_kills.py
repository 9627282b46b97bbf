"""Processes that SIGKILL ends at random moments of an `up`, a change or a `destroy`; then `recover` and `up`.

A round is named by what is killed and its number; both and the seed decide what is done and when the kill comes.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from simulator.processes import start_time
from tests.eventually import eventually
from tests.faults.campaign import DESTROY, LIMIT, SEED, STACK, UP, Campaign, await_start
from tests.interrupted import begin, descendants, words_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from tests.harness import Simulator

_TRIES: Final = 5


@dataclass(frozen=True)
class Family:
    """Processes of one kind."""

    rounds: int
    find: Callable[[Simulator, int], list[int]]
    """Those that run now, by the simulator and the engine's process id."""
    told: str
    """A pattern: what the user reads when the command fails, or when `recover` finds what it left."""
    status: str = ""
    """A pattern: what `status` says of the kill when the process was started again."""
    operations: tuple[str, ...] = ("change", "up", "destroy")


def _below(*words: str) -> Callable[[Simulator, int], list[int]]:
    """Processes below the engine whose command line holds all the words."""

    def find(_simulator: Simulator, engine: int) -> list[int]:
        found = {pid: words_of(pid) for pid in descendants(engine)}
        return sorted(pid for pid, line in found.items() if all(word in line for word in words))

    return find


def _of_cluster(kind: str, name: str) -> Callable[[Simulator, int], list[int]]:
    """The process or the pod of that name in the cluster."""
    key = "name" if kind == "processes" else "program"

    def find(simulator: Simulator, _engine: int) -> list[int]:
        clusters = simulator.client.call("status")["clusters"]
        return [each["pid"] for cluster in clusters for each in cluster[kind] if each[key] == name and each["pid"]]

    return find


_AWAY: Final = "kube-apiserver|unreachable|connection refused|webhook|EOF|Service ?Unavailable|not ready"
FAMILIES: Final = {
    "engine": Family(50, lambda _, engine: [engine], "stack small"),
    "provider": Family(10, _below("simulator.providers"), "plugin|provider|transport|connection"),
    "language-host": Family(
        10, _below("pulumi-language-python 127"), "language|plugin|transport|connection|reading from server: EOF"
    ),
    "daemon": Family(10, lambda simulator, _: [simulator.client.call("status")["pid"]], f"daemon|{_AWAY}"),
    "etcd": Family(10, _of_cluster("processes", "etcd"), _AWAY, "etcd was killed by SIGKILL", ("change", "destroy")),
    "kube-apiserver": Family(
        10,
        _of_cluster("processes", "kube-apiserver"),
        _AWAY,
        "kube-apiserver was killed by SIGKILL",
        ("change", "destroy"),
    ),
    "kueue": Family(
        10, _of_cluster("pods", "kueue"), _AWAY, "pod kueue-system/.* restarts [1-9]", ("change", "destroy")
    ),
    "jobset": Family(
        10, _of_cluster("pods", "jobset"), _AWAY, "pod jobset-system/.* restarts [1-9]", ("change", "destroy")
    ),
}
ROUNDS: Final = [(name, number) for name, family in FAMILIES.items() for number in range(family.rounds)]


@pytest.mark.parametrize(("name", "number"), [pytest.param(*each, id="{}-{}".format(*each)) for each in ROUNDS])
def test_what_is_killed_is_made_good(
    settled: Campaign, name: str, number: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    family, chance = FAMILIES[name], random.Random(f"{SEED} {name} {number}")  # noqa: S311  nothing is secret
    record_property("family", name)
    operation = family.operations[number % len(family.operations)]
    shown = tmp_path / "shown"
    code, moment = _killed_within(settled, operation, family, chance, shown)
    simulator, said = settled.simulator, shown.read_text()
    tell = sys.stdout.write  # shown when the round fails
    tell(f"seed {SEED}: killed {moment:.2f} s into {operation}, to {settled.form}; exit code {code}\n{said}")
    locks = settled.locks()
    recovered = simulator.run("recover", "--stack", STACK).text
    tell(f"recover: {recovered}\n")
    tell(simulator.up(STACK).text)
    settled.assert_sound()
    if code != 0:
        assert re.search(family.told, f"{said}{recovered}"), "nobody says what happened"
    assert bool(locks) is ("the lock of a dead engine was removed" in recovered)
    assert "Traceback" not in said
    if family.status and operation != "destroy":
        assert re.search(family.status, simulator.run("status").out)


def _killed_within(
    campaign: Campaign, operation: str, family: Family, chance: random.Random, shown: Path
) -> tuple[int, float]:
    """Kill one of the family at a random moment of the operation: the command's exit code, and the moment in seconds.

    An operation that ends before its moment has come is done again: how fast the machine is changes from run to run.
    """
    for _ in range(_TRIES):
        _prepare(campaign, operation)
        moment = chance.random() * campaign.took.get(operation, campaign.took["change"])
        with shown.open("w") as out:
            engine = begin(campaign.simulator, *(DESTROY if operation == "destroy" else UP), out=out)
        await_start(engine)
        if _strike(campaign.simulator, family, engine, time.monotonic() + moment, chance):
            return engine.wait(LIMIT), moment
        assert engine.wait(LIMIT) == 0, shown.read_text()
        if operation == "destroy":
            campaign.simulator.up(STACK)
    pytest.fail(f"{operation} ended {_TRIES} times before its moment came")


def _prepare(campaign: Campaign, operation: str) -> None:
    """Bring everything to where the operation begins."""
    if operation == "change":
        campaign.declare(campaign.other)
    elif operation == "up":
        campaign.undisturbed("destroy")


def _strike(
    simulator: Simulator, family: Family, engine: subprocess.Popen[bytes], at: float, chance: random.Random
) -> bool:
    """Kill one of the family at that moment, or as soon as there is one; whether the engine still ran."""
    eventually(lambda: engine.poll() is not None or time.monotonic() >= at, what="the moment comes", seconds=LIMIT)
    has_ended = lambda: engine.poll() is not None  # noqa: E731
    found = eventually(
        lambda: [] if has_ended() else family.find(simulator, engine.pid),
        lambda found: bool(found) or has_ended(),
        what="there is one",
        seconds=LIMIT,
    )
    if not found or has_ended():
        return False
    below = descendants(engine.pid)
    victim = chance.choice(found)
    os.kill(victim, signal.SIGKILL)
    if victim == engine.pid:
        engine.wait()
        eventually(lambda: [pid for pid in below if start_time(pid)], lambda left: not left, what="its plugins end")
    return True
