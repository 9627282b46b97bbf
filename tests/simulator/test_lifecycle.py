"""What the simulator says of itself, and what it leaves when it goes down; a real server doubles the daemon."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator import ABSENT, REAL, STAND_IN, __main__ as command_line, serving
from simulator.cloud.api import Kind
from simulator.cloud.store import Store
from simulator.commands import lifecycle
from simulator.commands.lifecycle import bring_up, describe, logs, take_down
from simulator.home import Home
from simulator.processes import record_process, start_time
from simulator.rpc import Server
from tests.commands import exit_code
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

_NAME: Final = "projects/acme/locations/us-west4/clusters/tpus"


def _stock(out: list[str], back: list[str]) -> list[str]:
    return [each for each in out if each not in back]


def _lose(name: str) -> list[str]:
    return [f"node of {name}"]


def _times(wanted: dict[str, float]) -> dict[str, float]:
    return {"idle": 600.0, **wanted}


@dataclass
class Daemon:
    """Doubles a daemon in its folder: it answers `status`, and a process with its id ends when it is told to."""

    home: Home
    clusters: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    shares: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    volumes: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    stock: list[str] = field(default_factory=list[str])
    scenario: list[str] = field(default_factory=list[str])
    skips: bool = False
    """Whether idle time is skipped."""
    held_by: str | None = None
    """What is under way."""
    deaf: bool = False
    """Whether it does not end."""

    def __post_init__(self) -> None:
        self._process = subprocess.Popen(["/bin/sh", "-c", "while :; do sleep 0.01; done"], start_new_session=True)
        methods: dict[str, Callable[..., Any]] = {
            "ping": lambda: self.pid,
            "status": self._status,
            "shutdown": self._shutdown,
            "scaling.stock": _stock,
            "scaling.lose": _lose,
            "scaling.times": _times,
        }
        self._server = Server("t", methods, (LookupError,))
        self.home.root.mkdir()
        self.home.daemon_log.write_text("first\nsecond\nthird\n")
        address = {"pid": self.pid, "port": self._server.port, "token": "t"}
        self.home.daemon_file.write_text(json.dumps(address))

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def close(self) -> None:
        """End what is left of it."""
        self._server.close()
        self._process.kill()
        self._process.wait()

    def _status(self) -> dict[str, Any]:
        return {
            "pid": self.pid,
            "speed": 10.0,
            "skips": self.skips,
            "held_by": self.held_by,
            "clusters": self.clusters,
            "failed": self.failed,
            "shares": self.shares,
            "volumes": self.volumes,
            "stock": self.stock,
            "scenario": self.scenario,
        }

    def _shutdown(self) -> None:
        if not self.deaf:
            self._process.kill()
            self.home.daemon_file.unlink()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A folder that does not exist yet."""
    return Home(tmp_path / ".simulator")


@pytest.fixture
def daemon(home: Home, monkeypatch: pytest.MonkeyPatch) -> Generator[Daemon]:
    """A daemon in the folder."""
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)
    monkeypatch.setattr(lifecycle, "_POLL_SECONDS", 0.005)
    made = Daemon(home)
    yield made
    made.close()


def a_cluster(home: Home) -> dict[str, Any]:
    """A cluster as the daemon tells of it."""
    folder = home.clusters / "tpus-1"
    return {
        "name": _NAME,
        "endpoint": "127.0.0.1:6443",
        "folder": str(folder),
        "waiting": 0,
        "processes": [
            {"name": "etcd", "pid": 11, "given_up": False, "log": str(folder / "logs" / "etcd.log")},
            {"name": "kube-apiserver", "pid": None, "given_up": False, "log": str(folder / "logs" / "api.log")},
        ],
        "pods": [
            {
                "namespace": "kueue-system",
                "name": "kueue-0",
                "program": "kueue",
                "pid": 12,
                "restarts": 2,
                "log": str(folder / "pods" / "uid" / "container.log"),
            }
        ],
        "pools": [],
        "pending": [],
        "incidents": [{"time": 1_795_228_430.0, "text": "kube-apiserver was killed by SIGKILL\n    bye"}],
    }


def put_stack(home: Home, name: str, *resources: object) -> None:
    """A stack of the file backend."""
    path = home.backend / ".pulumi" / "stacks" / "shop" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    latest = {"resources": list(resources)} if resources else None
    path.write_text(json.dumps({"version": 3, "checkpoint": {"latest": latest}}))


def test_what_is_real_and_what_is_not_is_always_said(home: Home) -> None:
    lines = list(describe(home))
    assert lines[0] == "simulator: not running"
    assert [line for line in lines if not line.startswith(" ")][1:] == ["real:", "stand-in:", "absent:"]
    for table in (REAL, STAND_IN, ABSENT):
        for what, how in table.items():
            assert f"  {what}: {how}" in lines
    assert not home.root.exists(), "to ask makes nothing"


def test_every_process_pod_and_incident_is_told(daemon: Daemon, home: Home) -> None:
    daemon.clusters.append(a_cluster(home))
    daemon.shares.append({"name": "files", "state": "READY", "source": "10.0.0.2:/vol1", "folder": "/here/vol1"})
    daemon.volumes.append({"name": "b/data", "state": "READY", "source": "gs://data", "folder": "/here/data"})
    stamp = time.strftime("%H:%M:%S", time.localtime(1_795_228_430))
    assert list(describe(home))[:9] == [
        f"simulator: process {daemon.pid}, speed 10",
        f"  cluster {_NAME} at https://127.0.0.1:6443",
        "    etcd: process 11",
        "    kube-apiserver: NOT RUNNING",
        "    pod kueue-system/kueue-0: process 12, restarts 2",
        f"    {stamp} kube-apiserver was killed by SIGKILL\n    bye",
        "  filestore files: READY, 10.0.0.2:/vol1 is /here/vol1",
        "  bucket b/data: READY, gs://data is /here/data",
        "real:",
    ]


def test_pools_and_who_waits_for_nodes_are_told(daemon: Daemon, home: Home) -> None:
    pool: dict[str, Any] = {
        "name": "flex",
        "machine": "ct6e-standard-4t",
        "topology": "2x4",
        "accelerators": [],
        "mode": "flex-start",
        "status": "RUNNING",
        "nodes": 0,
        "lost": 2,
        "target": 2,
        "autoscaling": {"enabled": True, "maxNodeCount": 2},
    }
    gpus: dict[str, Any] = {
        "name": "gpus",
        "machine": "n1-standard-4",
        "topology": None,
        "accelerators": ["nvidia-tesla-t4"],
    }
    gpus |= {"mode": "on-demand", "status": "ERROR", "nodes": 1, "lost": 0, "target": 1, "autoscaling": None}
    waiting = [
        {"pod": "team/w0", "reason": "GCE out of resources in us-west4-a"},
        {"request": "team/job-1", "reason": "Waiting for resources."},
    ]
    daemon.clusters.append({**a_cluster(home), "processes": [], "pods": [], "incidents": []})
    daemon.clusters[0] |= {"pools": [pool, gpus], "pending": waiting}
    daemon.failed["more"] = "control plane of more: etcd keeps ending"
    daemon.stock.append("ct6e-standard-4t")
    daemon.scenario.append("waits: lose slice-0 600 s after team/train runs")
    assert list(describe(home))[2:9] == [
        "    pool flex: ct6e-standard-4t 2x4, flex-start, nodes 0 of 2, 2 LOST, up to 2 in a zone",
        "    pool gpus: n1-standard-4 nvidia-tesla-t4, on-demand, nodes 1 of 1, ERROR",
        "    waiting for nodes: team/w0: GCE out of resources in us-west4-a",
        "    waiting for nodes: ProvisioningRequest team/job-1: Waiting for resources.",
        "  NOT RUNNING: control plane of more: etcd keeps ending",
        "  out of stock: ct6e-standard-4t",
        "  scenario waits: lose slice-0 600 s after team/train runs",
    ]
    assert bring_up(home).endswith(": tpus\n  not up: control plane of more: etcd keeps ending")


def test_coming_up_is_one_line(daemon: Daemon, home: Home) -> None:
    assert bring_up(home) == f"simulator runs (process {daemon.pid}, speed 10): no cluster yet"
    daemon.clusters += [a_cluster(home), {**a_cluster(home), "name": _NAME.replace("tpus", "more")}]
    assert bring_up(home) == f"simulator runs (process {daemon.pid}, speed 10): tpus, more"


def test_it_is_said_that_idle_time_is_skipped(daemon: Daemon, home: Home) -> None:
    daemon.skips = True
    assert next(iter(describe(home))) == f"simulator: process {daemon.pid}, speed 10 and idle time is skipped"
    daemon.held_by = "job j makes pods"
    assert bring_up(home).endswith(" and idle time is skipped, but not now: job j makes pods): no cluster yet")


def test_logs_are_found_by_the_name_of_what_writes_them(daemon: Daemon, home: Home) -> None:
    assert list(logs(home, None, 5)) == ["daemon"]
    assert list(logs(home, "daemon", 2)) == ["second", "third"]
    daemon.clusters.append(a_cluster(home))
    assert list(logs(home, None, 5)) == ["daemon", "etcd", "kube-apiserver", "kueue-0"]
    log = home.clusters / "tpus-1" / "pods" / "uid" / "container.log"
    log.parent.mkdir(parents=True)
    log.write_text("hello\n")
    assert list(logs(home, "kueue-0", 5)) == ["hello"]
    assert list(logs(home, "etcd", 5)) == [], "it has written nothing yet"
    with pytest.raises(LookupError) as caught:
        list(logs(home, "kubelet", 5))
    assert str(caught.value) == "no log named kubelet; there are daemon, etcd, kube-apiserver, kueue-0"


def test_nothing_to_take_down_is_said(home: Home) -> None:
    assert list(take_down(home, delete=False)) == ["simulator: nothing here"]


def test_the_folder_goes_when_nothing_is_left_in_it(daemon: Daemon, home: Home) -> None:
    put_stack(home, "dev")
    assert list(take_down(home, delete=False)) == ["simulator: stopped, .simulator removed"]
    assert not home.root.exists()
    assert start_time(daemon.pid) is None


def test_the_folder_stays_while_a_stack_or_cluster_is_in_it(daemon: Daemon, home: Home) -> None:
    put_stack(home, "dev", {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"})
    put_stack(home, "empty")
    daemon.clusters.append(a_cluster(home))
    assert list(take_down(home, delete=False)) == [
        "simulator: stopped. .simulator keeps stack dev, cluster tpus.",
        "  `pulumi destroy` in the simulator removes what the stacks made; `down --delete` removes all of it.",
    ]
    assert home.root.exists()
    assert start_time(daemon.pid) is None


def test_the_folder_stays_while_something_is_in_the_cloud(daemon: Daemon, home: Home) -> None:
    assert daemon.pid
    with Store(home.cloud_file).change() as changes:
        changes.put(Kind.NETWORK, "projects/acme/global/networks/vpc", {})
        changes.put(Kind.SUBNETWORK, "projects/acme/regions/us-west4/subnetworks/vpc", {})
        changes.put(Kind.SERVICE, "projects/acme/services/container.googleapis.com", {})
        changes.put(Kind.FILESTORE, "projects/acme/locations/us-west4-a/instances/data", {})
    first, _ = take_down(home, delete=False)
    assert first == "simulator: stopped. .simulator keeps network vpc, Filestore instance data."


def test_everything_goes_when_it_is_asked_for(daemon: Daemon, home: Home) -> None:
    put_stack(home, "dev", {"urn": "a"})
    daemon.clusters.append(a_cluster(home))
    assert list(take_down(home, delete=True)) == ["simulator: stopped, .simulator removed"]
    assert not home.root.exists()


def test_a_dead_daemons_processes_and_clusters_are_found(home: Home) -> None:
    folder = home.clusters / "tpus-1"
    (folder / "pids").mkdir(parents=True)
    (folder / "spec.json").touch()
    left = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    record_process(folder / "pids" / "etcd.json", left.pid)
    lines = list(take_down(home, delete=False))
    assert lines[0] == "simulator: stopped. .simulator keeps cluster tpus-1."
    eventually(lambda: left.poll() is not None)
    assert left.stdin is not None
    left.stdin.close()


def test_a_daemon_that_does_not_end_is_told(daemon: Daemon, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "_STOP_SECONDS", 0.05)
    daemon.deaf = True
    with pytest.raises(lifecycle.DaemonGoneError) as caught:
        list(take_down(home, delete=False))
    assert str(caught.value) == f"the daemon (process {daemon.pid}) does not end; see {home.daemon_log}"
    assert home.root.exists()


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of the command line."""
    return exit_code(monkeypatch, command_line.main, "simulator", *words)


def test_the_command_line_prints_and_refuses_in_one_line(
    daemon: Daemon, home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = f"--home={home.root}"
    assert run(monkeypatch, folder, "up") == 0
    assert capsys.readouterr().out == f"simulator runs (process {daemon.pid}, speed 10): no cluster yet\n"
    assert run(monkeypatch, folder, "logs", "daemon", "--lines", "1") == 0
    assert capsys.readouterr().out == "third\n"
    assert run(monkeypatch, folder, "stock", "--out", "nvidia-l4", "--in", "tpu-v6e-slice") == 0
    assert run(monkeypatch, folder, "lose", "slice") == 0
    assert run(monkeypatch, folder, "times", "--back-off=30") == 0
    assert capsys.readouterr().out.splitlines() == [
        "out of stock: nvidia-l4",
        "lost node of slice",
        "idle: 600 s simulated, 60.0 s here",
        "back_off: 30 s simulated, 3.0 s here",
    ]
    assert run(monkeypatch, folder, "logs", "none") == 1
    assert capsys.readouterr() == ("", "simulator: no log named none; there are daemon\n")
    assert run(monkeypatch, folder, "status") == 0
    assert capsys.readouterr().out.startswith(f"simulator: process {daemon.pid}")
    assert run(monkeypatch, folder, "down") == 0
    assert capsys.readouterr().out == "simulator: stopped, .simulator removed\n"


@pytest.mark.parametrize("speed", ["0", "-1", "inf", "nan", "fast"])
def test_a_speed_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], speed: str
) -> None:
    assert run(monkeypatch, "exec", f"--speed={speed}", "--", "true") == 2
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith(
            f"argument --speed: {speed}: simulated time only goes forward, so a speed is a number above 0, or auto"
        )
    )
