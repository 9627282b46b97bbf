"""Pods that really run: their process, status, restarts and end. Small scripts double the controllers."""

from __future__ import annotations

import itertools
import json
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from components.kubeapi import Document, UnreachableError
from simulator.pods.runner import PodRunner
from simulator.ports import free_port
from simulator.processes import GO_VARIABLES, start_time
from tests.eventually import eventually
from tests.simulator.pods.machine import CONFIG_PATH, POD_PATH, SERVE, STAY, Machine, controller
from tests.simulator.pods.podspecs import PodBuilder, a_pod


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
    machine.program(f"env; {STAY}")
    machine.start(controller())
    lines = eventually(machine.lines, lambda seen: any(line.startswith("begun") for line in seen))
    names = {line.partition("=")[0] for line in lines if "=" in line and not line.startswith("begun")}
    assert names <= {"PATH", "HOME", *GO_VARIABLES, "PWD", "OLDPWD", "SHLVL", "_"}


@pytest.mark.parametrize("port", [8081, "health"])
def test_readiness_is_what_the_programs_own_endpoint_says(machine: Machine, port: int | str) -> None:
    (machine.root / "serve.py").write_text(SERVE)
    machine.program(f'exec {sys.executable} -S {machine.root}/serve.py "$@"')
    probe = {"httpGet": {"path": "/readyz", "port": port}}
    machine.start(controller(ports=[{"name": "health", "containerPort": 8081}], readinessProbe=probe))
    eventually(lambda: "running" in machine.state())
    eventually(machine.is_ready)


def test_a_program_whose_port_was_taken_gets_another_when_it_is_started_again(machine: Machine) -> None:
    (machine.root / "serve.py").write_text(SERVE)
    machine.program(f'exec {sys.executable} -S {machine.root}/serve.py "$@"')
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports = itertools.chain([other.getsockname()[1]], iter(free_port, None))
        machine.runner = PodRunner(replace(machine.host, free_port=ports.__next__))
        machine.start(controller(readinessProbe={"httpGet": {"path": "/readyz", "port": 8081}}))
        eventually(machine.is_ready)
    assert machine.pod().restarts > 0


def test_a_pod_that_somebody_else_called_not_ready_says_again_that_it_is(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod = machine.cluster.get(POD_PATH)
    conditions = [{**each, "status": "False"} for each in pod["status"]["conditions"]]
    machine.cluster.put(POD_PATH, {**pod, "status": {**pod["status"], "conditions": conditions}})
    eventually(machine.is_ready)


def test_a_program_whose_endpoint_does_not_answer_is_not_ready(machine: Machine) -> None:
    machine.start(controller(readinessProbe={"httpGet": {"path": "/readyz", "port": 8081}}))
    eventually(lambda: "running" in machine.state())
    assert not machine.is_ready()


def test_a_program_that_ends_is_started_again(machine: Machine) -> None:
    machine.program(f"[ -e {machine.root}/twice ] && {{ {STAY}; }}; touch {machine.root}/twice; echo first; exit 3")
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
            "the container's readiness probe is grpc, which the simulator does not support",
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
    machine.cluster.put(CONFIG_PATH, {"kind": "ConfigMap", "metadata": {}, "data": {"m.yaml": "b: 2"}})
    mounted = machine.root / "pods" / "uid-p" / "volumes" / "m" / "m.yaml"
    eventually(lambda: mounted.read_text() == "b: 2")


def test_a_deleted_pods_program_ends_before_the_pod_is_gone(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod = machine.pod()
    eventually(machine.lines)
    pid = pod.pid
    assert pid is not None
    machine.cluster.delete(POD_PATH)
    eventually(lambda: POD_PATH not in machine.cluster.objects)
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
    machine.cluster.delete(POD_PATH)
    eventually(lambda: POD_PATH not in machine.cluster.objects)


def test_a_successor_of_the_same_name_is_not_let_go(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pod = machine.pod()
    successor = controller()
    successor.document["metadata"]["uid"] = "uid-successor"
    machine.cluster.put(POD_PATH, successor.document)
    pod.terminate()
    eventually(lambda: ("delete", POD_PATH) in machine.cluster.calls)
    assert machine.cluster.objects[POD_PATH]["metadata"]["uid"] == "uid-successor"


def test_a_pod_that_vanished_takes_its_program_with_it(machine: Machine) -> None:
    machine.start(controller())
    eventually(machine.is_ready)
    pid = machine.pod().pid
    assert pid is not None
    machine.cluster.delete(POD_PATH, {"gracePeriodSeconds": 0})
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
