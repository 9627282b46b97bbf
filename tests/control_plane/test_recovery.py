"""An update of the multislice stack that is killed at five points, and what `recover` and `up` make of it."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import socket
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import ApiError, KubeconfigError, UnreachableError
from components.kubeapi.documents import entries, section
from components.kubeapi.owners import JOBSETS
from simulator.cloud.api import Kind
from simulator.processes import start_time
from tests.eventually import eventually
from tests.interrupted import begin, descendants, in_the_cloud, in_the_state, words_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Generator
    from pathlib import Path

    from tests.harness import Simulator

STACK: Final = "multislice"
_UP: Final = ("up", "--yes", "--skip-preview", "--non-interactive", f"-s={STACK}")
_SLOW: Final = {"compute.network": 30, "container.cluster": 30, "container.nodePool": 30}
"""Simulated seconds; a tenth of them in real time, enough to be killed in the middle."""
_STILL: Final = 0.001
"""The speed from a point on until the engine is killed there, however long a busy machine takes for that."""
_AT_ONCE: Final = dict.fromkeys(_SLOW, 0)
_FIRST_JOB: Final = "multislice-3slice"
_WEBHOOKS: Final = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
_NO_CLUSTER_YET: Final = (ApiError, FileNotFoundError, KubeconfigError, UnreachableError)


@pytest.fixture(scope="module")
def started(simulator: Simulator) -> Simulator:
    """The simulator, which runs."""
    simulator.run("up")
    return simulator


@pytest.fixture
def slow(started: Simulator) -> Generator[Simulator]:
    """The simulator, whose cloud takes its time until the end of the test."""
    started.client.call("cloud.set_pace", pace=_SLOW)
    yield started
    started.client.call("cloud.set_pace", pace=_AT_ONCE)


def _pending(simulator: Simulator, type_: str) -> bool:
    """Whether the recorded state holds an operation on a resource of that type that has not ended."""
    path = simulator.home.backend / ".pulumi" / "stacks" / "tpu-platform" / f"{STACK}.json"
    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):  # it is being written
        latest = section(json.loads(path.read_text()), "checkpoint", "latest")
        return any(each["resource"]["type"] == type_ for each in entries(latest, "pending_operations"))
    return False


def _is_being_made(simulator: Simulator, type_: str, kind: Kind) -> bool:
    """The same, and the request has reached the cloud: the engine records an operation before a provider begins it."""
    return _pending(simulator, type_) and bool(simulator.client.call("cloud.list", kind=str(kind)))


def _is_installing_kueue(simulator: Simulator) -> bool:
    with contextlib.suppress(*_NO_CLUSTER_YET):
        secrets = simulator.api().items("/api/v1/namespaces/kueue-system/secrets", {"labelSelector": "owner=helm"})
        return any(each["metadata"]["labels"]["status"] == "pending-install" for each in secrets)
    return False


def _has_submitted_the_first_job(simulator: Simulator) -> bool:
    with contextlib.suppress(*_NO_CLUSTER_YET):
        return bool(simulator.api().items(JOBSETS))
    return False


@contextlib.contextmanager
def _held_after_the_first_job(simulator: Simulator) -> Generator[None]:
    """The API server waits ten seconds with every JobSet but the first, for a webhook that does not answer."""
    api, name = simulator.api(), "held.example.com"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        webhook = {
            "name": name,
            "clientConfig": {"url": f"https://127.0.0.1:{silent.getsockname()[1]}/"},
            "rules": [
                {
                    "apiGroups": ["jobset.x-k8s.io"],
                    "apiVersions": ["*"],
                    "resources": ["jobsets"],
                    "operations": ["CREATE"],
                }
            ],
            "matchConditions": [{"name": "another", "expression": f"object.metadata.name != '{_FIRST_JOB}'"}],
            "failurePolicy": "Ignore",
            "sideEffects": "None",
            "timeoutSeconds": 10,
            "admissionReviewVersions": ["v1"],
        }
        api.create(_WEBHOOKS, {"metadata": {"name": name}, "webhooks": [webhook]})
        try:
            yield
        finally:
            api.delete(f"{_WEBHOOKS}/{name}")


_SUBMITTED: Final = "the first job is submitted"
POINTS: Final[dict[str, Callable[[Simulator], bool]]] = {
    "the network is being made": lambda it: _pending(it, "gcp:compute/network:Network"),
    "the cluster is being made": lambda it: _is_being_made(it, "gcp:container/cluster:Cluster", Kind.CLUSTER),
    "the node pools are being made": lambda it: _is_being_made(it, "gcp:container/nodePool:NodePool", Kind.NODE_POOL),
    "Kueue is being installed": _is_installing_kueue,
    _SUBMITTED: _has_submitted_the_first_job,
}


def _kill_the_engine(engine: subprocess.Popen[bytes]) -> None:
    """Kill the engine, and return when all that it had started is gone."""
    family = descendants(engine.pid)
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    eventually(lambda: not [pid for pid in family if start_time(pid) is not None], what="all of them are gone")


def _kill_the_provider(engine: subprocess.Popen[bytes]) -> None:
    """Kill the provider of Google Cloud; the engine takes what is being created for failed, forgets it and ends."""
    (provider,) = [pid for pid in descendants(engine.pid) if "simulator.providers gcp" in words_of(pid)]
    os.kill(provider, signal.SIGKILL)
    assert engine.wait() != 0


_LOCK: Final = "the lock of a dead engine was removed"
KILLS: Final = [
    ("the network is being made", _kill_the_engine, _LOCK),
    ("the cluster is being made", _kill_the_engine, "imported multislice-cluster"),
    ("the node pools are being made", _kill_the_provider, "imported what the state did not have: "),
    ("Kueue is being installed", _kill_the_engine, "helm uninstall kueue: it was "),
    (_SUBMITTED, _kill_the_engine, _LOCK),
]
"""When, who and what `recover` says then."""


def test_an_update_killed_at_one_point_after_another_is_finished_by_recover_and_up(slow: Simulator) -> None:
    for number, (point, kill, said) in enumerate(KILLS):
        with _held_after_the_first_job(slow) if point == _SUBMITTED else contextlib.nullcontext():
            engine = begin(slow, *_UP)
            eventually(functools.partial(POINTS[point], slow), what=point, seconds=120)
            slow.client.call("speed.set", speed=_STILL)
            if number == 0:
                refused = slow.run("recover", "--stack", STACK, code=1)
                assert f"an update of stack {STACK} still runs (process {engine.pid})" in refused.err
            assert engine.poll() is None, f"{point}: the update has ended"
            kill(engine)
        slow.client.call("speed.set", speed=None)
        if number == 0:
            locked = slow.up(STACK, code=None)
            assert locked.code != 0
            assert "currently locked" in locked.text
            assert locked.err.splitlines()[-1].startswith(f"simulator: stack {STACK} is locked by an update that was")
        recovered = slow.run("recover", "--stack", STACK).out
        assert said in recovered, point
        assert (_LOCK in recovered) is (kill is _kill_the_engine), point
        assert slow.state(STACK)["deployment"].get("pending_operations", []) == [], point
    slow.up(STACK)

    slow.pulumi("preview", "--expect-no-changes", "--stack", STACK)
    assert in_the_cloud(slow) == in_the_state(slow.state(STACK))
    assert len(slow.api().items(JOBSETS)) == 4


def test_what_a_killed_destroy_dropped_from_the_state_is_put_back(started: Simulator, tmp_path: Path) -> None:
    """The state as a destroy leaves it that is killed before its cluster goes."""
    started.up(STACK)
    state, held = started.state(STACK), in_the_cloud(started)
    resources = state["deployment"]["resources"]
    state["deployment"]["resources"] = [each for each in resources if not each.get("deletedWith")]
    edited = tmp_path / "state.json"
    edited.write_text(json.dumps(state))
    started.pulumi("stack", "import", "--stack", STACK, "--file", str(edited))

    recovered = started.run("recover", "--stack", STACK).out  # as `tpu recover` does

    assert "put back, as their cluster is still there: " in recovered
    assert all(name in recovered for name in ("kueue", "default/multislice-1slice"))
    started.up(STACK, "--expect-no-changes")
    assert in_the_cloud(started) == in_the_state(started.state(STACK)) == held
