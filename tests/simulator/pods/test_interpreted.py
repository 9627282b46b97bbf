"""Pods whose script is interpreted: their files, their logs, and how they end when they are deleted or lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from simulator.clock import SpeedClock
from simulator.pods.interpreted import ANNOTATION_INTERPRETED, can_be_interpreted
from simulator.pods.runner import PodRunner
from simulator.pods.volumes import Volumes
from tests.eventually import eventually
from tests.simulator.pods.machine import POD_PATH, Machine
from tests.simulator.pods.podspecs import PodBuilder, a_pod

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from components.kubeapi import Document

_IMAGE: Final = "registry.example/train:1.0"
_LOOP: Final = "i=0; while [ $i -lt {} ]; do sleep 1; i=$((i+1)); echo $i > /ckpt/step; echo step $i; done"


def _pod(script: str, **annotations: str) -> PodBuilder:
    pod = a_pod().container(_IMAGE).mounting("ckpt", "/ckpt/", {"emptyDir": {}})
    pod.document["spec"]["containers"][0]["command"] = ["bash", "-c", script]
    pod.document["spec"]["restartPolicy"] = "Never"
    pod.document["metadata"]["annotations"] = {ANNOTATION_INTERPRETED: "true", **annotations}
    return pod


def test_a_script_writes_its_files_and_succeeds(machine: Machine) -> None:
    machine.start(_pod(_LOOP.format(3)))
    eventually(lambda: machine.status().get("phase") == "Succeeded")
    assert machine.lines() == ["step 1", "step 2", "step 3"]
    assert (machine.root / "pods/uid-p/volumes/ckpt/step").read_text() == "3\n"
    assert machine.state()["terminated"]["exitCode"] == 0


def test_what_it_writes_last_is_there_for_the_driver(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []

    def keep(volumes: Volumes) -> None:
        file = volumes.folder / "ckpt" / "step"
        kept.append(file.read_text() if file.exists() else "")

    monkeypatch.setattr(Volumes, "keep", keep)
    machine.start(_pod(_LOOP.format(3)))
    eventually(lambda: machine.status().get("phase") == "Succeeded")
    assert kept[-1] == "3\n"


def test_an_exit_code_is_that_of_the_script(machine: Machine) -> None:
    machine.start(_pod("X=1; if [ $X = 1 ]; then exit 42; fi"))
    eventually(lambda: machine.status().get("phase") == "Failed")
    assert machine.state()["terminated"]["exitCode"] == 42


def test_an_evicted_pod_fails_and_keeps_its_condition(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"trap 'echo 9 > /ckpt/step; echo saved; exit 143' TERM; {_LOOP.format(100000)}"
    machine.start(_pod(script))
    eventually(lambda: machine.lines() != [])
    left: list[Document] = []

    def delete(path: str, options: Document) -> None:
        del options
        left.append(machine.cluster.objects[path])

    monkeypatch.setattr(machine.cluster, "delete", delete)
    pod, condition = machine.cluster.objects[POD_PATH], {"type": "DisruptionTarget", "status": "True"}
    status = {**machine.status(), "conditions": [*machine.status()["conditions"], condition]}
    metadata = {**pod["metadata"], "deletionTimestamp": "2026-11-25T00:00:00Z"}
    machine.cluster.put(POD_PATH, {**pod, "metadata": metadata, "status": status})
    eventually(lambda: left != [])
    assert left[0]["status"]["phase"] == "Failed"
    assert condition in left[0]["status"]["conditions"]
    assert left[0]["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143
    assert machine.lines()[-1] == "saved"


class _NotingClock(SpeedClock):
    """A clock that notes of each sleep whether it was over before it began."""

    def __init__(self, path: Path) -> None:
        super().__init__(100.0, path)
        self.were_over: list[bool] = []

    def sleep_until(self, moment: float, stop: threading.Event) -> None:
        self.were_over.append(stop.is_set())
        super().sleep_until(moment, stop)


def test_a_wait_after_the_trap_takes_its_time(machine: Machine) -> None:
    clock = _NotingClock(machine.root / "noting.jsonl")
    machine.runner = PodRunner(replace(machine.host, clock=clock))
    machine.start(_pod("trap 'echo signaled' TERM; sleep 1000000 & wait; sleep 10 & wait; echo over"))
    eventually(lambda: clock.were_over == [False])
    pod, log = machine.cluster.objects[POD_PATH], machine.pod().log
    deletion = {"deletionTimestamp": "2026-11-25T00:00:00Z", "deletionGracePeriodSeconds": 1000000}
    machine.cluster.put(POD_PATH, {**pod, "metadata": {**pod["metadata"], **deletion}})
    eventually(lambda: [line.text for line in log.lines()] == ["signaled", "over"])
    assert clock.were_over[:3] == [False, False, False], "a wait, the grace period, and a wait"


def test_a_pod_on_a_lost_machine_stops_and_says_nothing(machine: Machine) -> None:
    machine.start(_pod(_LOOP.format(100000)))
    eventually(lambda: machine.lines() != [])
    pod = machine.cluster.objects[POD_PATH]
    annotations = {**pod["metadata"]["annotations"], "simulator.tpu-platform.dev/lost": "true"}
    machine.cluster.put(POD_PATH, {**pod, "metadata": {**pod["metadata"], "annotations": annotations}})
    pod_log = machine.pod().log
    eventually(pod_log.is_over)
    assert machine.status()["phase"] == "Running"


def test_pods_that_always_restart_are_not_interpreted() -> None:
    pod = _pod(_LOOP.format(1)).document
    assert can_be_interpreted(pod)
    pod["spec"]["restartPolicy"] = "Always"
    assert not can_be_interpreted(pod)


@pytest.mark.parametrize("command", [[], ["python", "train.py"]])
def test_other_commands_are_not_interpreted(command: list[str]) -> None:
    pod = _pod("").document
    pod["spec"]["containers"][0]["command"] = command
    assert not can_be_interpreted(pod)


def test_pods_with_other_volumes_are_not_interpreted() -> None:
    pod = _pod(_LOOP.format(1)).mounting("disk", "/disk", {"gcePersistentDisk": {}}).document
    assert not can_be_interpreted(pod)
