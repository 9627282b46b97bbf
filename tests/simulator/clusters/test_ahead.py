"""Clusters that start before the cloud is asked for them, and what becomes of those that it is never asked for."""

from __future__ import annotations

import errno
import json
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator.cloud.machines import MachinesError
from simulator.clusters import folders
from simulator.clusters.supervisor import ProcessError
from simulator.processes import record_child
from tests.eventually import eventually
from tests.simulator.clusters.fake_clusters import FakeClusters, Listening
from tests.simulator.clusters.fleet_builders import a_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from simulator.clusters.fleet import Fleet

_NAME: Final = a_spec().name


@pytest.fixture
def update() -> Generator[subprocess.Popen[bytes]]:
    """A command for which clusters can be started."""
    with subprocess.Popen(["/bin/sleep", "600"]) as process:
        yield process
        process.kill()


def test_an_expected_cluster_is_the_one_that_is_asked_for(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, update: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    follower = Listening()
    fleet = new_fleet()
    fleet.follow(follower)
    fleet.expect(a_spec(), update.pid)
    fleet.expect(a_spec(), update.pid)
    assert (fleet.status(), follower.told) == ([], []), "nobody has created it"
    assert not (tmp_path / "kubeconfig").exists()
    fleet.start_cluster(a_spec())
    update.kill()
    update.wait()
    fleet.stop()
    assert [cluster.life for cluster in clusters.all] == [["start", "stop"]]
    assert follower.told == [f"{_NAME} began at https://127.0.0.1:6443", f"{_NAME} ends"]
    kept = clusters.all[0].folder / "spec.json"
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "location": "us-west4"}))
    new_fleet().resume()
    assert clusters.all[1].spec == a_spec(), "it is there for the next daemon, also from a release that kept more"


def test_a_cluster_that_is_there_is_not_expected(
    fleet: Fleet, clusters: FakeClusters, update: subprocess.Popen[bytes]
) -> None:
    fleet.expect(a_spec(), update.pid)
    fleet.stop()
    assert [cluster.life for cluster in clusters.all] == [["start", "stop"]]


def test_a_cluster_that_is_not_asked_for_goes_with_its_command(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, update: subprocess.Popen[bytes]
) -> None:
    fleet = new_fleet()
    fleet.expect(a_spec(), update.pid)
    (cluster,) = clusters.all
    update.kill()
    update.wait()
    eventually(lambda: not cluster.folder.exists(), what="its folder is removed")
    assert (cluster.life, cluster.supervisor.stopped.is_set()) == (["start", "delete"], True)
    fleet.start_cluster(a_spec())
    assert clusters.all[1].life == ["start"]


def test_a_cluster_that_nobody_has_asked_for_ends_with_the_daemon(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, update: subprocess.Popen[bytes]
) -> None:
    fleet = new_fleet()
    fleet.expect(a_spec(), update.pid)
    fleet.stop()
    assert [cluster.life for cluster in clusters.all] == [["start", "delete"]]


def test_a_start_that_is_under_way_ends_with_the_daemon(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, update: subprocess.Popen[bytes]
) -> None:
    clusters.are_slow = True
    fleet = new_fleet()
    fleet.expect(a_spec(), update.pid)
    fleet.stop()
    assert [cluster.life for cluster in clusters.all] == [["start", "delete"]]
    assert not clusters.all[0].folder.exists()


def test_a_cluster_that_cannot_be_recorded_does_not_run(
    new_fleet: Callable[[], Fleet],
    clusters: FakeClusters,
    update: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, f"{path.name}: {len(text)} characters")

    fleet = new_fleet()
    fleet.expect(a_spec(), update.pid)
    monkeypatch.setattr(folders, "write_whole", full)
    with pytest.raises(OSError, match=r"spec\.json"):
        fleet.start_cluster(a_spec())
    assert [cluster.life for cluster in clusters.all] == [["start", "delete"]]


def test_a_disk_that_takes_nothing_is_told_to_whoever_creates_the_cluster(
    new_fleet: Callable[[], Fleet], update: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    fleet = new_fleet()
    (tmp_path / "clusters").touch()
    fleet.expect(a_spec(), update.pid)
    with pytest.raises(NotADirectoryError):
        fleet.start_cluster(a_spec())


@pytest.mark.parametrize(
    "change", [{"is_autopilot": True}, {"pod_range": "10.0.0.0/20"}, {"service_range": "10.8.0.0/20"}]
)
def test_one_that_differs_from_what_was_expected_is_started_anew(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, update: subprocess.Popen[bytes], change: dict[str, Any]
) -> None:
    fleet = new_fleet()
    fleet.expect(a_spec(), update.pid)
    fleet.start_cluster(replace(a_spec(), **change))
    assert [cluster.life for cluster in clusters.all] == [["start", "delete"], ["start"]]
    assert (clusters.all[1].folder / "spec.json").exists()


def test_one_that_did_not_come_up_is_started_again(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, update: subprocess.Popen[bytes]
) -> None:
    clusters.failures[_NAME] = ProcessError("etcd keeps ending: it exited with status 1.")
    fleet = new_fleet()
    fleet.expect(a_spec(), update.pid)
    with pytest.raises(MachinesError, match="etcd keeps ending"):
        fleet.start_cluster(a_spec())
    del clusters.failures[_NAME]
    fleet.start_cluster(a_spec())
    assert [cluster.life for cluster in clusters.all] == [["start", "delete"], ["start", "stop"], ["start"]]


def test_what_a_killed_daemon_expected_is_removed_by_the_next(new_fleet: Callable[[], Fleet], tmp_path: Path) -> None:
    folder = tmp_path / "clusters" / "tpus-1"
    child = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)
    record_child(folder / "pids" / "etcd.json", child)
    new_fleet().resume()
    assert child.wait() < 0
    assert not folder.exists()
