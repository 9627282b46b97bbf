"""The containers of pods that really run: their variables, how they end, and what of them is kept."""

from __future__ import annotations

import sys

import pytest

from tests.eventually import eventually
from tests.simulator.pods.machine import POD_PATH, SERVE, STAY, Machine, controller


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
    machine.cluster.delete(POD_PATH)
    eventually(lambda: machine.runner.pods() == [])
    assert machine.pod_folder() == []


def test_a_failed_container_says_how_it_ended_while_it_is_started_again(machine: Machine) -> None:
    machine.program(f"[ -e {machine.root}/twice ] && {{ {STAY}; }}; touch {machine.root}/twice; exit 3")
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
    machine.cluster.delete(POD_PATH)
    eventually(lambda: machine.runner.pods() == [])
    eventually(lambda: machine.pod_folder() == ["container.log"])


@pytest.mark.parametrize("answers", [True, False])
def test_readiness_may_be_a_connection(machine: Machine, *, answers: bool) -> None:
    (machine.root / "serve.py").write_text(SERVE)
    machine.program(f'exec {sys.executable} -S {machine.root}/serve.py "$@"')
    machine.start(controller(readinessProbe={"tcpSocket": {"port": 8081 if answers else 9443}}))
    eventually(lambda: machine.is_ready() if answers else machine.state().get("running"))
    assert machine.is_ready() is answers
