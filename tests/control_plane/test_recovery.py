"""An update whose engine is killed, at five points of the multislice stack, and what `recover` and `up` make of it."""

from __future__ import annotations

import contextlib
import json
import signal
from typing import TYPE_CHECKING, Final

import pytest

from kubeapi import ApiError, KubeconfigError, UnreachableError
from kubeapi.documents import entries, section
from operations.watch.record import JOBSETS
from simulator.processes import start_time
from tests.eventually import eventually
from tests.interrupted import begin, descendants, in_the_cloud, in_the_state

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from tests.harness import Simulator

STACK: Final = "multislice"
_UP: Final = ("up", "--yes", "--skip-preview", "--non-interactive", f"-s={STACK}")
_SLOW: Final = {"compute.network": 30, "container.cluster": 30, "container.nodePool": 30}
"""Simulated seconds; a tenth of them in real time, enough to be killed in the middle."""
_AT_ONCE: Final = dict.fromkeys(_SLOW, 0)
_NO_CLUSTER_YET: Final = (ApiError, FileNotFoundError, KubeconfigError, UnreachableError)


@pytest.fixture(scope="module")
def started(simulator: Simulator) -> Simulator:
    """A simulator whose cloud takes its time for what is to be interrupted."""
    simulator.run("up")
    return simulator


@pytest.fixture
def slow(started: Simulator) -> Generator[Simulator]:
    """The simulator without the stack; the stack is removed at the end."""
    started.client.call("cloud.set_pace", pace=_SLOW)
    yield started
    started.client.call("cloud.set_pace", pace=_AT_ONCE)
    started.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)


def _pending(simulator: Simulator, type_: str) -> bool:
    """Whether the recorded state holds an operation on a resource of that type that has not ended."""
    path = simulator.home.backend / ".pulumi" / "stacks" / "tpu-platform" / f"{STACK}.json"
    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):  # it is being written
        latest = section(json.loads(path.read_text()), "checkpoint", "latest")
        return any(each["resource"]["type"] == type_ for each in entries(latest, "pending_operations"))
    return False


def _is_installing_kueue(simulator: Simulator) -> bool:
    with contextlib.suppress(*_NO_CLUSTER_YET):
        secrets = simulator.api().items("/api/v1/namespaces/kueue-system/secrets", {"labelSelector": "owner=helm"})
        return any(each["metadata"]["labels"]["status"] == "pending-install" for each in secrets)
    return False


def _has_submitted_the_first_job(simulator: Simulator) -> bool:
    with contextlib.suppress(*_NO_CLUSTER_YET):
        return bool(simulator.api().items(JOBSETS))
    return False


POINTS: Final[dict[str, Callable[[Simulator], bool]]] = {
    "the network is being made": lambda simulator: _pending(simulator, "gcp:compute/network:Network"),
    "the cluster is being made": lambda simulator: _pending(simulator, "gcp:container/cluster:Cluster"),
    "the node pools are being made": lambda simulator: _pending(simulator, "gcp:container/nodePool:NodePool"),
    "Kueue is being installed": _is_installing_kueue,
    "the jobs are being submitted": _has_submitted_the_first_job,
}


@pytest.mark.parametrize("point", POINTS)
def test_an_update_killed_at_any_point_is_finished_by_recover_and_up(slow: Simulator, point: str) -> None:
    engine = begin(slow, *_UP)
    eventually(lambda: POINTS[point](slow), what=point, seconds=120)
    family = descendants(engine.pid)
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    eventually(lambda: not [pid for pid in family if start_time(pid) is not None], what="all of them are gone")
    refused = slow.up(STACK, code=None)
    assert refused.code != 0
    assert "currently locked" in refused.text

    recovered = slow.run("recover", "--stack", STACK)
    assert "the lock of a dead engine was removed" in recovered.out
    slow.client.call("cloud.set_pace", pace=_AT_ONCE)
    slow.up(STACK)

    slow.pulumi("preview", "--expect-no-changes", "--stack", STACK)
    assert slow.state(STACK)["deployment"].get("pending_operations", []) == []
    assert in_the_cloud(slow) == in_the_state(slow.state(STACK))
    assert len(slow.api().items(JOBSETS)) == 4


def test_what_a_killed_destroy_dropped_from_the_state_is_put_back(slow: Simulator, tmp_path: Path) -> None:
    """The state as a destroy leaves it that is killed before its cluster goes."""
    slow.client.call("cloud.set_pace", pace=_AT_ONCE)
    slow.up(STACK)
    state, held = slow.state(STACK), in_the_cloud(slow)
    resources = state["deployment"]["resources"]
    state["deployment"]["resources"] = [each for each in resources if not each.get("deletedWith")]
    edited = tmp_path / "state.json"
    edited.write_text(json.dumps(state))
    slow.pulumi("stack", "import", "--stack", STACK, "--file", str(edited))

    recovered = slow.run("recover", "--stack", STACK).out  # as `tpu recover` does

    assert "put back, as their cluster is still there: " in recovered
    assert all(name in recovered for name in ("kueue", "default/multislice-1slice"))
    slow.up(STACK, "--expect-no-changes")
    assert in_the_cloud(slow) == in_the_state(slow.state(STACK)) == held


def test_recovery_is_refused_while_an_update_still_runs(slow: Simulator) -> None:
    engine = begin(slow, *_UP)
    eventually(lambda: _pending(slow, "gcp:compute/network:Network"), what="the network is being made")
    refused = slow.run("recover", "--stack", STACK, code=1)
    assert f"an update of stack {STACK} still runs (process {engine.pid})" in refused.err
    assert engine.wait(120) == 0
