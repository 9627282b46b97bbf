"""A control plane whose processes die, and a simulator that is stopped and started, with a cluster in it."""

from __future__ import annotations

import os
import signal
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from components.model.facts import versions
from tests.control_plane.life import assert_nothing_left
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import PLATFORM_KEY, a_platform

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Api

STACK: Final = "small"
QUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/research"
_PLATFORM: Final = a_platform().set(workloads=[]).set("cluster", deletion_protection=False)
_DEATHS: Final = 10
"""More deaths in a row than any process is forgiven."""


@pytest.fixture(scope="module")
def small(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """A small platform without workloads, up."""
    config = {"gcp:project": "tpu-sandbox", PLATFORM_KEY: _PLATFORM.platform}
    text = yaml.safe_dump({"config": config})
    project = project_with(tmp_path_factory.mktemp("small") / "project", {STACK: text})
    made = Simulator(simulator.home, project)
    made.up(STACK)
    return made


def _process(simulator: Simulator, name: str) -> dict[str, Any]:
    processes = simulator.client.call("status")["clusters"][0]["processes"]
    return next(each for each in processes if each["name"] == name)


def _server(simulator: Simulator) -> dict[str, Any]:
    return _process(simulator, "kube-apiserver")


def _kueue(simulator: Simulator) -> dict[str, Any]:
    """The pod of Kueue."""
    return next(pod for pod in simulator.client.call("status")["clusters"][0]["pods"] if pod["program"] == "kueue")


def _edit_quota(api: Api) -> None:
    spec = api.get(QUEUE)["spec"]
    spec["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "8"
    api.merge(QUEUE, {"spec": spec})


def _quota(api: Api) -> str:
    return str(api.get(QUEUE)["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"])


def _kill_for_good(simulator: Simulator) -> None:
    """Kill the API server until it is not started again."""
    for _ in range(_DEATHS):
        eventually(lambda: _server(simulator)["pid"] or _server(simulator)["given_up"], what="it runs, or is given up")
        if _server(simulator)["given_up"]:
            return
        pid = _server(simulator)["pid"]
        os.kill(pid, signal.SIGKILL)
        # The next one may be there before anybody looks.
        eventually(lambda pid=pid: _server(simulator)["pid"] != pid, what="it is gone")


def _lead(api: Api, since: datetime) -> bool:
    """Whether Kueue and JobSet have renewed their leases since then and can be asked by the API server.

    One that cannot renew its lease for ten seconds ends, and its pod starts it anew; until then one that is about to
    end looks as if it were ready.
    """
    return all(_leads(api, controller.namespace, since) for controller in (versions.KUEUE, versions.JOBSET))


def _leads(api: Api, namespace: str, since: datetime) -> bool:
    """The same of the controller in one namespace."""
    leases = api.items(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases")
    pods = api.items(f"/api/v1/namespaces/{namespace}/pods")
    slices = api.items(f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices")
    endpoints = [endpoint for each in slices for endpoint in each.get("endpoints") or ()]
    renewed = [datetime.fromisoformat(lease["spec"]["renewTime"]) > since for lease in leases]
    ready = [pod["status"]["containerStatuses"][0]["ready"] for pod in pods]
    reached = [endpoint["conditions"]["ready"] for endpoint in endpoints]
    return min(len(renewed), len(ready), len(reached)) > 0 and all([*renewed, *ready, *reached])


def test_a_killed_api_server_is_named_and_the_command_goes_on_when_it_is_back(small: Simulator, tmp_path: Path) -> None:
    _edit_quota(small.api())
    etcd, server = _process(small, "etcd")["pid"], _server(small)["pid"]
    command = small.command("exec", "--", "pulumi", "refresh", "--yes", "--skip-preview", f"--stack={STACK}")
    shown = tmp_path / "shown"
    with shown.open("w") as out:
        refresh = subprocess.Popen(
            command, cwd=small.project, env=small.environment, stdout=out, stderr=subprocess.STDOUT
        )
    eventually(shown.read_text, what="the command has begun")  # before it asks any cluster
    os.kill(etcd, signal.SIGSTOP)  # without its store the API server cannot come back before the command meets the gap
    os.kill(server, signal.SIGKILL)
    status = small.client
    eventually(lambda: status.call("status")["clusters"][0]["waiting"] > 0, what="the command waits for the API server")
    back = datetime.now(UTC)
    os.kill(etcd, signal.SIGCONT)
    assert refresh.wait(180) == 0, shown.read_text()
    assert "kube-apiserver was killed by SIGKILL" in shown.read_text()
    assert "1 updated" in shown.read_text()  # the edited quota: the data is what it was
    eventually(lambda: _lead(small.api(), back), what="Kueue and JobSet lead", seconds=120)
    small.up(STACK)
    assert _quota(small.api()) == "16"
    assert "kube-apiserver was killed by SIGKILL" in small.run("status").out


def test_an_api_server_that_keeps_dying_is_given_up_and_up_brings_it_back_with_its_data(small: Simulator) -> None:
    _kill_for_good(small)
    failed = small.pulumi("refresh", "--yes", "--skip-preview", "--stack", STACK, code=None)
    assert failed.code != 0
    assert "kube-apiserver keeps ending: it was killed by SIGKILL" in failed.text
    assert "kube-apiserver: NOT RUNNING, given up" in small.run("status").out

    stopped = small.run("down")
    assert "keeps stack small" in stopped.out
    assert small.home.root.exists()
    small.run("up")
    small.pulumi("preview", "--expect-no-changes", "--stack", STACK)
    assert _quota(small.api()) == "16"


def test_a_killed_controller_comes_back_and_goes_on(small: Simulator) -> None:
    begun = datetime.now(UTC)
    eventually(lambda: _lead(small.api(), begun), what="Kueue and JobSet lead")
    kueue = _kueue(small)
    os.kill(kueue["pid"], signal.SIGKILL)

    def is_back() -> bool:
        now = _kueue(small)
        return now["pid"] not in (None, kueue["pid"]) and now["restarts"] == kueue["restarts"] + 1

    eventually(is_back, what="Kueue runs again")
    path = f"/api/v1/namespaces/{kueue['namespace']}/pods/{kueue['name']}"

    def seen() -> tuple[bool, int]:
        (status,) = small.api().get(path)["status"]["containerStatuses"]
        return status["ready"], status["restartCount"]

    eventually(seen, lambda now: now == (True, kueue["restarts"] + 1), what="Kueue is ready again")


def test_a_stack_whose_api_server_is_dead_for_good_is_destroyed(small: Simulator) -> None:
    _kill_for_good(small)
    small.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    assert_nothing_left(small)
    assert small.state(STACK)["deployment"].get("resources", []) == []
