"""One cluster: what it keeps, how it starts and ends, and where connections inside it lead."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clusters import supervisor as supervisor_module
from simulator.clusters.cluster import Cluster, encoded
from simulator.clusters.supervisor import ProcessError
from simulator.pods.logs import FileLog, Line
from simulator.processes import start_time
from tests.simulator.clusters.fleet_builders import Scripts, a_spec
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


_NAMES: Final = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"]


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripts:
    """Processes that start and are probed quickly."""
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(supervisor_module, "_PROBE_INTERVAL", 0.01)
    return Scripts(tmp_path / "bin")


@pytest.fixture
def cluster(tmp_path: Path, scripts: Scripts) -> Generator[Cluster]:
    """A cluster that was not started."""
    (tmp_path / "tpus").mkdir()
    made = Cluster(tmp_path / "tpus", a_spec(), scripts.shared())
    yield made
    made.stop()


def test_a_cluster_comes_up_and_goes_down(cluster: Cluster, tmp_path: Path) -> None:
    cluster.start()
    pids = [cluster.supervisor.pid(name) for name in _NAMES]
    assert None not in pids
    applied = [json.loads(line) for line in (tmp_path / "tpus" / "applied.jsonl").read_text().splitlines()]
    assert [document["metadata"]["name"] for document in applied] == ["simulator-pods", "things.example.com"]
    webhook = applied[0]["webhooks"][0]
    assert webhook["clientConfig"]["caBundle"] == encoded(cluster.certificate_authority)
    assert (tmp_path / "tpus" / "egress.sock").is_socket()
    tokens = tmp_path / "tpus" / "tokens.csv"
    assert tokens.read_text() == 'user-token,user@simulator.example,user,"system:masters"\n'
    assert tokens.stat().st_mode & 0o777 == 0o600
    cluster.stop()
    assert [start_time(pid) for pid in pids if pid] == [None] * 5
    assert not (tmp_path / "tpus" / "egress.sock").exists()


def test_a_restart_changes_neither_endpoint_nor_certificates(
    cluster: Cluster, scripts: Scripts, tmp_path: Path
) -> None:
    again = Cluster(tmp_path / "tpus", a_spec(), scripts.shared())
    assert again.settings.ports == cluster.settings.ports
    assert again.certificate_authority == cluster.certificate_authority
    assert len(set(again.settings.ports.values())) == 6
    again.stop()


def test_a_process_that_does_not_come_up_is_named(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "tpus" / "kube-scheduler.fails").touch()
    with pytest.raises(ProcessError) as caught:
        cluster.start()
    assert str(caught.value) == (
        "kube-scheduler keeps ending: it exited with status 1. Last lines of kube-scheduler.log:"
        + "\n    kube-scheduler: listen tcp 127.0.0.1: bind: address already in use" * 5
    )


def test_deletion_removes_everything(cluster: Cluster, tmp_path: Path) -> None:
    cluster.delete()
    assert not (tmp_path / "tpus").exists()


def test_pods_stay_on_a_lost_node_for_as_many_simulated_seconds_as_the_user_set(
    cluster: Cluster, scripts: Scripts, tmp_path: Path
) -> None:
    assert cluster.settings.eviction_seconds == 30
    seconds = iter([120.0, 1.0])
    shared = replace(scripts.shared(), eviction=lambda: next(seconds))
    for name, real in {"second": 12, "shortest": 1}.items():
        assert Cluster(tmp_path / name, a_spec(), shared).settings.eviction_seconds == real


def test_the_log_of_a_simulated_pod_is_its_script(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = MemoryApi()
    monkeypatch.setattr(cluster, "api", memory.api)
    pod = a_pod().container("busybox:1", "echo", "hi").document
    pod["status"] = {"startTime": "2026-11-21T02:33:40Z"}
    memory.put("/api/v1/namespaces/team/pods/p", pod)
    log = cluster.log("team", "p", "c0")
    assert log is not None
    assert log.lines() == [Line(1_795_228_420.0, "hi")]
    assert cluster.log("team", "other", "c0") is None


def test_the_log_of_a_host_pod_is_its_file(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FileLog(tmp_path / "container.log", lambda: True)

    def find(namespace: str, name: str) -> SimpleNamespace:
        return SimpleNamespace(log=file, path=(namespace, name))

    monkeypatch.setattr(cluster.pods, "find", find)
    assert cluster.log("kueue-system", "kueue-0", "manager") is file
