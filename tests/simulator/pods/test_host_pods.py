"""Pods that really run: their process, status, restarts and end. Small scripts double the controllers."""

from __future__ import annotations

import itertools
import json
import os
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from kubeapi import UnreachableError
from simulator.certificates import Authority
from simulator.pods import host_pod
from simulator.pods.host_pod import Host
from simulator.pods.runner import PodRunner
from simulator.processes import start_time
from tests.eventually import eventually
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import PodBuilder, a_pod

if TYPE_CHECKING:
    from collections.abc import Generator

    from kubeapi import Document
    from simulator.pods.host_pod import HostPod

_PATH: Final = "/api/v1/namespaces/team/pods/p"
_CONFIG_PATH: Final = "/api/v1/namespaces/team/configmaps/manager"
_STAY: Final = 'echo "begun with $*"; trap "echo ending; exit 0" TERM; while :; do sleep 0.01; done'
_SERVE: Final = """
import http.server, re, sys
config = open(sys.argv[1].removeprefix("--config=")).read()
port = int(re.search(r"healthProbeBindAddress: 127.0.0.1:(\\d+)", config)[1])
class Probe(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", port), Probe).serve_forever()
"""


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Machine:
    """A cluster in memory, and a machine whose `kueue` is a script."""

    root: Path
    cluster: MemoryApi = field(default_factory=MemoryApi)

    def __post_init__(self) -> None:
        addresses = itertools.count(1)
        authority = self.root / "cluster-ca.crt"
        issuer = Authority.new("cluster-ca")
        authority.write_text(issuer.pair.certificate)
        self.host = Host(
            api=self.cluster.api,
            authority=issuer,
            authority_path=authority,
            folder=self.root / "pods",
            programs={"kueue": self.root / "kueue"},
            versions={"kueue": "v1", "jobset": "v1"},
            free_port=free_port,
            pod_address=lambda: f"10.0.0.{next(addresses)}",
            service_port=lambda _namespace, _service, port: 40000 + port,
            share=lambda _server, _path: None,
        )
        self.runner = PodRunner(self.host)
        self.program(_STAY)
        config = {"a": 1}
        self.cluster.put(_CONFIG_PATH, {"kind": "ConfigMap", "metadata": {}, "data": {"m.yaml": json.dumps(config)}})

    def program(self, script: str) -> None:
        """What `kueue` does from the next start on."""
        path = self.root / "kueue"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def start(self, pod: PodBuilder) -> None:
        """Bind the pod and begin to watch."""
        self.cluster.put(_PATH, pod.document)
        self.runner.start()

    def pod(self) -> HostPod:
        """The pod, once the runner has it."""
        found = eventually(lambda: self.runner.find("team", "p"))
        assert found is not None
        return found

    def status(self) -> Document:
        """The pod's status."""
        return self.cluster.objects[_PATH].get("status") or {}

    def state(self) -> Document:
        """The state of the pod's container."""
        statuses = self.status().get("containerStatuses")
        return statuses[0]["state"] if statuses else {}

    def pod_folder(self) -> list[str]:
        """What there is in the pod's folder."""
        return sorted(path.name for path in (self.root / "pods" / "uid-p").glob("*"))

    def is_ready(self) -> bool:
        """Whether the pod says that it is ready."""
        conditions = self.status().get("conditions", [])
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    def lines(self) -> list[str]:
        """The container's log."""
        return [line.text for line in self.pod().log.lines()]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Machine]:
    """A machine whose pauses are short and whose processes end with the test."""
    monkeypatch.setattr(host_pod, "_RETRY_SECONDS", 0.05)
    monkeypatch.setattr(host_pod, "_BACKOFF_SECONDS", (0.05,))
    made = Machine(tmp_path)
    yield made
    made.runner.stop()


def controller(image: str = "mirror/kueue/kueue:v1", **more: object) -> PodBuilder:
    """A controller's pod; `more` are further fields of its container."""
    pod = a_pod().container(image, args=("--config=/m.yaml", "--flag"))
    pod.document["spec"]["containers"][0] |= more
    return pod.mounting("m", "/m.yaml", {"configMap": {"name": "manager"}}, subPath="m.yaml")


def test_a_pod_runs_its_program_and_says_so(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod, status = machine.pod(), machine.status()
    assert (status["phase"], status["podIP"], status["podIPs"]) == ("Running", "10.0.0.1", [{"ip": "10.0.0.1"}])
    container = status["containerStatuses"][0]
    assert (container["name"], container["ready"], container["started"], container["restartCount"]) == (
        "c0",
        True,
        True,
        0,
    )
    assert (pod.program, pod.namespace, pod.name) == ("kueue", "team", "p")
    assert pod.pid is not None
    assert start_time(pod.pid) is not None
    assert machine.runner.by_address("10.0.0.1") is pod
    assert machine.runner.pods() == [pod]
    assert pod.loopback_port(8081) is not None
    assert pod.loopback_port(1234) is None
    folder = machine.root / "pods" / "uid-p"
    expected = f"begun with --config={folder}/config.yaml --kubeconfig={folder}/kubeconfig --flag"
    assert eventually(machine.lines) == [expected]
    record = json.loads((machine.root / "pids" / "pod-team-p.json").read_text())
    assert record["pid"] == pod.pid


def test_a_program_gets_its_service_accounts_token(machine: Machine) -> None:
    pod = controller()
    pod.document["spec"]["serviceAccountName"] = "manager"
    machine.start(pod)
    eventually(machine.is_ready)
    folder = machine.root / "pods" / "uid-p"
    kubeconfig = json.loads((folder / "kubeconfig").read_text())
    token = Path(kubeconfig["users"][0]["user"]["tokenFile"])
    assert token.read_text() == "token-1 of /api/v1/namespaces/team/serviceaccounts/manager"
    assert token.stat().st_mode & 0o777 == 0o600
    assert kubeconfig["clusters"][0]["cluster"] == {
        "server": "https://127.0.0.1:6443",
        "certificate-authority": str(machine.root / "cluster-ca.crt"),
    }


def test_a_program_inherits_nothing_of_the_callers_environment(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/somewhere")
    machine.program(f"env; {_STAY}")
    machine.start(controller())
    lines = eventually(machine.lines, lambda seen: any(line.startswith("begun") for line in seen))
    names = {line.partition("=")[0] for line in lines if "=" in line and not line.startswith("begun")}
    assert names <= {"PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_"}


@pytest.mark.parametrize("port", [8081, "health"])
def test_readiness_is_what_the_programs_own_endpoint_says(machine: Machine, port: int | str) -> None:
    (machine.root / "serve.py").write_text(_SERVE)
    machine.program(f'exec {sys.executable} -S {machine.root}/serve.py "$@"')
    probe = {"httpGet": {"path": "/readyz", "port": port}}
    machine.start(controller(ports=[{"name": "health", "containerPort": 8081}], readinessProbe=probe))
    eventually(lambda: "running" in machine.state())
    eventually(machine.is_ready)


def test_a_program_whose_endpoint_does_not_answer_is_not_ready(machine: Machine) -> None:
    machine.start(controller(readinessProbe={"httpGet": {"path": "/readyz", "port": 8081}}))
    eventually(lambda: "running" in machine.state())
    assert not machine.is_ready()


def test_a_program_that_ends_is_started_again(machine: Machine) -> None:
    machine.program(f"[ -e {machine.root}/twice ] && {{ {_STAY}; }}; touch {machine.root}/twice; echo first; exit 3")
    machine.start(controller())
    waiting = eventually(lambda: machine.state().get("waiting"))
    assert waiting == {"reason": "CrashLoopBackOff", "message": "the container exited with status 3"}
    assert machine.status()["phase"] == "Running"
    assert not machine.is_ready()
    eventually(machine.is_ready)
    assert machine.status()["containerStatuses"][0]["restartCount"] == 1
    assert machine.pod().restarts == 1
    assert [line.partition(" ")[0] for line in eventually(machine.lines, lambda seen: len(seen) > 1)] == [
        "first",
        "begun",
    ]


@pytest.mark.parametrize(
    ("policy", "script", "phase", "terminated"),
    [
        ("Never", "exit 0", "Succeeded", (0, "Completed")),
        ("OnFailure", "exit 0", "Succeeded", (0, "Completed")),
        ("Never", "exit 3", "Failed", (3, "Error")),
        ("Never", "kill -9 $$", "Failed", (137, "Error")),
    ],
)
def test_a_pod_that_is_not_started_again_ends_with_its_exit_code(
    machine: Machine, policy: str, script: str, phase: str, terminated: tuple[int, str]
) -> None:
    machine.program(f"echo done; {script}")
    pod = controller()
    pod.document["spec"]["restartPolicy"] = policy
    machine.start(pod)
    state = eventually(lambda: machine.state().get("terminated"))
    assert state is not None
    assert (state["exitCode"], state["reason"]) == terminated
    assert machine.status()["phase"] == phase
    assert not machine.is_ready()
    eventually(machine.pod().log.is_over)
    assert machine.lines() == ["done"]
    assert machine.pod().restarts == 0


def test_a_pod_that_ended_under_an_earlier_runner_is_not_run_again(machine: Machine) -> None:
    pod = controller()
    pod.document["status"] = {"phase": "Failed"}
    machine.start(pod)
    assert machine.pod().log.is_over()
    machine.cluster.delete(_PATH)
    eventually(lambda: machine.runner.pods() == [])
    assert machine.pod_folder() == []


def test_a_failed_container_says_how_it_ended_while_it_is_started_again(machine: Machine) -> None:
    machine.program(f"[ -e {machine.root}/twice ] && {{ {_STAY}; }}; touch {machine.root}/twice; exit 3")
    pod = controller()
    pod.document["spec"]["restartPolicy"] = "OnFailure"
    machine.start(pod)
    eventually(lambda: machine.pod().restarts == 1 and machine.is_ready())
    assert machine.status()["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 3


def test_a_program_gets_the_containers_variables(machine: Machine) -> None:
    machine.program('echo "password $PASSWORD at $QUEUE_SERVICE_PORT"; sleep 60')
    pod = controller(env=[{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "password"}}}])
    machine.cluster.put(
        "/api/v1/namespaces/team/services/queue",
        {"metadata": {"name": "queue"}, "spec": {"clusterIP": "10.20.0.7", "ports": [{"port": 6379}]}},
    )
    machine.start(pod)
    assert eventually(lambda: machine.state().get("waiting")) == {
        "reason": "CreateContainerConfigError",
        "message": 'secret "keys" not found',
    }
    machine.cluster.put("/api/v1/namespaces/team/secrets/keys", {"metadata": {}, "data": {"password": "MTIz"}})
    assert eventually(machine.lines) == ["password 123 at 46379"]


def test_only_the_log_of_a_deleted_pod_is_kept(machine: Machine) -> None:
    machine.cluster.put("/api/v1/namespaces/team/secrets/keys", {"kind": "Secret", "metadata": {}, "data": {}})
    machine.start(controller().mounting("s", "/s", {"secret": {"secretName": "keys"}}))
    eventually(machine.is_ready)
    machine.cluster.delete(_PATH)
    eventually(lambda: machine.runner.pods() == [])
    eventually(lambda: machine.pod_folder() == ["container.log"])


@pytest.mark.parametrize("answers", [True, False])
def test_readiness_may_be_a_connection(machine: Machine, *, answers: bool) -> None:
    (machine.root / "serve.py").write_text(_SERVE)
    machine.program(f'exec {sys.executable} -S {machine.root}/serve.py "$@"')
    machine.start(controller(readinessProbe={"tcpSocket": {"port": 8081 if answers else 9443}}))
    eventually(lambda: machine.is_ready() if answers else machine.state().get("running"))
    assert machine.is_ready() is answers


@pytest.mark.parametrize(
    ("pod", "reason", "message"),
    [
        (
            controller("mirror/kueue/kueue:v2"),
            "ErrImagePull",
            "the simulator runs kueue v1; image mirror/kueue/kueue:v2 is another version",
        ),
        (
            controller().mounting("s", "/s", {"secret": {"secretName": "later"}}),
            "ContainerCreating",
            'MountVolume.SetUp failed: secret "later" not found',
        ),
        (
            controller().container("proxy:1"),
            "ContainerCreating",
            "a pod with a program on this machine has exactly one container here",
        ),
        (
            controller(readinessProbe={"grpc": {"port": 1}}),
            "ContainerCreating",
            "the container's readiness probe is grpc, which the simulator does not ask",
        ),
        (
            controller(readinessProbe={"exec": {"command": ["true"]}}),
            "ContainerCreating",
            "the simulator does not run the probe's command ['true'] in a container of kueue",
        ),
    ],
    ids=["wrong version", "missing secret", "two containers", "grpc", "exec"],
)
def test_what_cannot_be_started_is_told_in_the_status(
    machine: Machine, pod: PodBuilder, reason: str, message: str
) -> None:
    machine.start(pod)
    assert eventually(lambda: machine.state().get("waiting")) == {"reason": reason, "message": message}
    assert machine.status()["phase"] == "Pending"


def test_a_pod_starts_once_what_it_waited_for_is_there_even_if_its_status_could_not_be_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    def merge(path: str, patch: Document) -> Document:
        refused.append(path)
        raise UnreachableError(f"{path} cannot take {patch}")

    with monkeypatch.context() as patched:
        patched.setattr(machine.cluster, "merge", merge)
        machine.start(controller().mounting("s", "/s", {"secret": {"secretName": "later"}}))
        eventually(lambda: refused[1:])
    machine.cluster.put("/api/v1/namespaces/team/secrets/later", {"kind": "Secret", "metadata": {}, "data": {}})
    eventually(machine.is_ready)


def test_a_changed_config_map_reaches_a_running_program(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    machine.cluster.put(_CONFIG_PATH, {"kind": "ConfigMap", "metadata": {}, "data": {"m.yaml": "b: 2"}})
    mounted = machine.root / "pods" / "uid-p" / "volumes" / "m" / "m.yaml"
    eventually(lambda: mounted.read_text() == "b: 2")


def test_a_deleted_pods_program_ends_before_the_pod_is_gone(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod = machine.pod()
    eventually(machine.lines)
    pid = pod.pid
    assert pid is not None
    machine.cluster.delete(_PATH)
    eventually(lambda: _PATH not in machine.cluster.objects)
    assert start_time(pid) is None
    assert [line.text for line in pod.log.lines()][-1] == "ending"
    assert pod.log.is_over()
    eventually(lambda: machine.runner.pods() == [])


def test_a_pod_that_could_not_be_let_go_is_let_go_when_it_is_seen_again(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod = machine.pod()
    machine.cluster.away = True
    pod.terminate()
    eventually(lambda: pod.pid is None)
    machine.cluster.away = False
    machine.cluster.delete(_PATH)
    eventually(lambda: _PATH not in machine.cluster.objects)


def test_a_successor_of_the_same_name_is_not_let_go(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod = machine.pod()
    successor = controller()
    successor.document["metadata"]["uid"] = "uid-successor"
    machine.cluster.put(_PATH, successor.document)
    pod.terminate()
    eventually(lambda: ("delete", _PATH) in machine.cluster.calls)
    assert machine.cluster.objects[_PATH]["metadata"]["uid"] == "uid-successor"


def test_a_pod_that_vanished_takes_its_program_with_it(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pid = machine.pod().pid
    assert pid is not None
    machine.cluster.delete(_PATH, {"gracePeriodSeconds": 0})
    eventually(lambda: start_time(pid) is None)


def test_stopping_ends_programs_and_leaves_the_pods(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pid = machine.pod().pid
    assert pid is not None
    machine.runner.stop()
    assert start_time(pid) is None
    assert machine.is_ready(), "the pod's last status stays"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    "pod", [a_pod().container().annotated(seconds="1s"), a_pod().container()], ids=["played by kwok", "not bound"]
)
def test_other_pods_are_left_alone(machine: Machine, pod: PodBuilder) -> None:
    if not pod.document["metadata"]["annotations"]:
        del pod.document["spec"]["nodeName"]
    machine.start(pod)
    machine.cluster.put("/api/v1/namespaces/team/pods/seen", controller().named("seen").document)
    eventually(lambda: machine.runner.find("team", "seen"))
    assert machine.runner.find("team", "p") is None
