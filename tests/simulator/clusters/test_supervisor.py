"""Keeping processes running: small scripts double the control plane's programs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clusters import supervisor as supervisor_module
from simulator.clusters.control_plane import Process
from simulator.clusters.supervisor import Incident, ProcessError, Supervisor
from simulator.probes import Probe
from simulator.processes import end_recorded, start_time
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from simulator.clusters.pki import ClusterFiles

_STAY: Final = "while :; do sleep 0.01; done"
_SERVE: Final = """
import http.server, ssl, sys
class Probe(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/healthz" else 500)
        self.end_headers()
        self.wfile.write(b"[-]etcd not ready")
server = http.server.HTTPServer(("127.0.0.1", 0), Probe)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + "/component.crt", sys.argv[1] + "/component.key")
context.load_verify_locations(sys.argv[1] + "/cluster-ca.crt")
context.verify_mode = ssl.CERT_REQUIRED
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"""


@dataclass
class Plane:
    """A cluster's folder and its supervisor."""

    folder: Path
    reported: list[Incident] = field(default_factory=list[Incident])

    def __post_init__(self) -> None:
        self.supervisor = Supervisor(self.folder, self.reported.append)

    def process(self, script: str, *arguments: str, name: str = "etcd", url: str = "https://127.0.0.1:1/") -> Process:
        """A process that runs a shell script."""
        return Process(
            name=name,
            arguments=("/bin/sh", "-c", script, name, *arguments),
            probe=Probe(url=url, certificate="admin"),
            log=self.folder / "logs" / f"{name}.log",
            environment={"PATH": "/usr/bin:/bin", "GREETING": "hello"},
        )

    def pid(self, name: str = "etcd") -> int:
        """The process id, once it runs."""
        found = eventually(lambda: self.supervisor.pid(name))
        assert found is not None
        return found

    def log(self, name: str = "etcd") -> list[str]:
        """The lines of a log."""
        path = self.folder / "logs" / f"{name}.log"
        return path.read_text().splitlines() if path.exists() else []

    def refusal(self, *processes: Process, seconds: float = 10.0) -> str:
        """The text with which a wait for readiness ends."""
        with pytest.raises(ProcessError) as caught:
            self.supervisor.wait_ready(processes, seconds)
        return str(caught.value)


@pytest.fixture
def plane(tmp_path: Path, files: ClusterFiles, monkeypatch: pytest.MonkeyPatch) -> Generator[Plane]:
    """A supervisor that hardly pauses before it restarts; its processes end with the test."""
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(supervisor_module, "_PROBE_INTERVAL", 0.01)
    (tmp_path / "pki").symlink_to(files.folder)
    made = Plane(tmp_path)
    yield made
    made.supervisor.stop()


def test_a_process_runs_in_the_clusters_folder_with_its_own_environment_and_session(plane: Plane) -> None:
    plane.supervisor.start(plane.process(f'echo "$GREETING $PWD $HOME|$1"; {_STAY}', "argument"))
    assert eventually(plane.log) == [f"hello {plane.folder} |argument"]
    assert os.getsid(plane.pid()) == plane.pid()


def test_a_killed_process_is_started_again_and_its_last_words_are_kept(plane: Plane) -> None:
    plane.supervisor.start(plane.process(f"for i in 1 2 3 4 5 6 7; do echo word $i; done; {_STAY}"))
    first = plane.pid()
    eventually(plane.log, lambda lines: len(lines) == 7)
    os.kill(first, signal.SIGKILL)
    second = eventually(lambda: plane.supervisor.pid("etcd"), lambda pid: pid not in (None, first))
    assert second is not None
    assert len(plane.reported) == 1
    incident = plane.reported[0]
    assert plane.supervisor.incidents == [incident]
    assert (incident.process, incident.reason) == ("etcd", "was killed by SIGKILL")
    assert incident.last_lines == ("word 3", "word 4", "word 5", "word 6", "word 7")
    assert str(incident) == ("etcd was killed by SIGKILL\n    word 3\n    word 4\n    word 5\n    word 6\n    word 7")


def test_a_process_that_keeps_ending_is_given_up(plane: Plane) -> None:
    process = plane.process("echo address already in use; exit 1")
    plane.supervisor.start(process)
    assert plane.refusal(process) == (
        "etcd keeps ending: it exited with status 1. Last lines of etcd.log:" + "\n    address already in use" * 5
    )
    assert len(plane.log()) == 6, "once, and five restarts"
    assert len(plane.reported) == 6
    assert plane.supervisor.pid("etcd") is None


def test_restarts_long_ago_do_not_count(plane: Plane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "_RESTART_WINDOW", 0.0)
    plane.supervisor.start(plane.process("echo again; sleep 0.01; exit 1"))
    eventually(plane.log, lambda lines: len(lines) > 8)
    assert plane.supervisor.incidents[-1].reason == "exited with status 1"


def test_stopping_ends_the_last_started_first_and_is_no_incident(plane: Plane) -> None:
    for name in ("etcd", "kube-apiserver", "kwok"):
        script = f'trap "echo {name} >> {plane.folder}/ended; exit 0" TERM; echo up; {_STAY}'
        plane.supervisor.start(plane.process(script, name=name))
        eventually(lambda name=name: plane.log(name))
    pids = [plane.pid(name) for name in ("etcd", "kube-apiserver", "kwok")]
    plane.supervisor.stop()
    assert (plane.folder / "ended").read_text().split() == ["kwok", "kube-apiserver", "etcd"]
    assert [start_time(pid) for pid in pids] == [None, None, None]
    assert plane.reported == []
    assert list((plane.folder / "pids").iterdir()) == []


def test_stopping_one_leaves_the_others(plane: Plane) -> None:
    for name in ("etcd", "kwok"):
        plane.supervisor.start(plane.process(_STAY, name=name))
    etcd = plane.pid("etcd")
    plane.supervisor.stop(["kwok"])
    assert plane.supervisor.pid("kwok") is None
    assert plane.supervisor.pid("etcd") == etcd


def test_stopping_ends_the_whole_session(plane: Plane) -> None:
    plane.supervisor.start(plane.process("sleep 1000 & echo $!; trap 'exit 0' TERM; while :; do sleep 0.01; done"))
    (child,) = eventually(plane.log)
    assert start_time(int(child)) is not None
    plane.supervisor.stop()
    eventually(lambda: start_time(int(child)) is None)


def test_a_process_that_does_not_listen_to_sigterm_is_killed(plane: Plane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "_STOP_SECONDS", 0.05)
    plane.supervisor.start(plane.process(f"trap '' TERM; echo deaf; {_STAY}"))
    eventually(plane.log)
    pid = plane.pid()
    plane.supervisor.stop()
    assert start_time(pid) is None


def test_readiness_is_what_the_endpoint_says_to_the_right_client(plane: Plane) -> None:
    (plane.folder / "serve.py").write_text(_SERVE)
    serve = f"exec {sys.executable} -S {plane.folder}/serve.py {plane.folder}/pki"
    plane.supervisor.start(plane.process(serve))
    (port,) = eventually(plane.log)
    ready = plane.process(serve, url=f"https://127.0.0.1:{port}/healthz")
    plane.supervisor.wait_ready([ready], 10.0)
    url = f"https://127.0.0.1:{port}/readyz"
    text = plane.refusal(plane.process(serve, url=url), seconds=0.05)
    assert text.startswith(f"etcd is not ready: {url} answers 500: [-]etcd not ready. Last lines of etcd.log:\n")


def test_nobody_at_the_endpoint_is_told(plane: Plane) -> None:
    process = plane.process(_STAY)
    plane.supervisor.start(process)
    text = plane.refusal(process, seconds=0.05)
    assert text.startswith("etcd is not ready: https://127.0.0.1:1/ does not answer (")
    assert "Connection refused" in text
    assert "Last lines" not in text, "there are none"


def test_a_wait_for_what_was_stopped_ends(plane: Plane) -> None:
    process = plane.process(_STAY)
    plane.supervisor.start(process)
    plane.supervisor.stop()
    assert plane.refusal(process) == "etcd was stopped before it was ready"


def test_what_a_lost_supervisor_left_is_found_and_ended(plane: Plane, tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from simulator.clusters.supervisor import Supervisor;"
        "from simulator.clusters.control_plane import Process; from simulator.probes import Probe;"
        "folder = Path(sys.argv[1]); process = Process(name='etcd', arguments=('/bin/sh', '-c', sys.argv[2]),"
        "probe=Probe(url=''), log=folder / 'etcd.log', environment={'PATH': '/usr/bin:/bin'});"
        "Supervisor(folder, print).start(process); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path), f"echo $$; {_STAY}"], check=False)
    assert done.returncode == -signal.SIGKILL
    (pid,) = eventually(lambda: (tmp_path / "etcd.log").read_text().split())
    assert start_time(int(pid)) is not None, "it outlives its supervisor"
    assert end_recorded(tmp_path / "pids") == ["etcd"]
    assert start_time(int(pid)) is None
    assert end_recorded(tmp_path / "pids") == []
    assert plane.reported == []
