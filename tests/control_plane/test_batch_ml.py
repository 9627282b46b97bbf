"""The trainer of batch-ml for real: datasets, queue and workers as Jobs of the stack, and what they leave on the share.

The datasets are small and the workers read few rows at a time, so that one can be killed in the middle. Times of nodes
are thirtyfold; the trainer's own are real.
"""

from __future__ import annotations

import base64
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from payloads.fraud_detection.chain import Chain, Links, model_name
from payloads.fraud_detection.process import Log
from payloads.fraud_detection.share import Share

from components.kubeapi.documents import is_true, section
from components.kubeapi.jobs import WORKLOADS, admitted_by, owner_name
from tests.control_plane.edited import EditedStack, entry
from tests.control_plane.life import follow, hurry
from tests.control_plane.ports import assert_closed
from tests.eventually import eventually
from tests.leaks import Seen, assert_hidden, assert_no_secret, processes_watched, secrets_of, written
from tests.sockets import answer, from_a_page

if TYPE_CHECKING:
    from tests.harness import Simulator

_STACK: Final = "batch-ml"
_JOBS: Final = "/apis/batch/v1/namespaces/default/jobs"
_PODS: Final = "/api/v1/namespaces/default/pods"
_STEPS: Final = ["prepare-share", "transfer-datasets", "queue-jobs", "workload"]
_DAYS: Final = 6
_DATASETS: Final = [f"datasets/training/2018-04-0{day}.csv" for day in range(1, _DAYS + 1)]
_SMALL: Final = ["--days", str(_DAYS), "--rows", "4000", "--fraud", "0.05"]
_SLOW: Final = ["--chunk-rows", "100", "--lease", "5"]
_FIGURES: Final = [
    f"{figure} on {part} data: 0."
    for part in ("training", "held-out", "testing")
    for figure in ("Accuracy", "Average precision")
]


class Killed(NamedTuple):
    """The stack after a run in which a worker and Redis were killed."""

    stack: EditedStack
    share: Path
    worker: str
    """The pod whose process was killed."""
    files: dict[str, int]
    """The times of all files of the output folder, in nanoseconds."""
    seen: Seen
    """What the processes showed of themselves meanwhile."""


@pytest.fixture(scope="module")
def killed(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """Brought up; a worker and Redis get SIGKILL when the first of the datasets are trained; followed to the end."""
    hurry(simulator, 30, idle=86400)
    stack = EditedStack(simulator, _STACK, tmp_path_factory.mktemp("edited") / "project")
    platform = stack.read()
    entry(platform["workloads"], "transfer-datasets")["args"] += _SMALL
    entry(platform["workloads"], "workload")["args"] += _SLOW
    stack.write(platform)
    with processes_watched() as seen:
        stack.up()
        share = _share(simulator)
        eventually(lambda: len(_links(share).sound) > 0, what="the first checkpoint")
        pods = _processes(simulator)
        worker = next(name for name in sorted(pods) if name.startswith("workload-"))
        for pid in (pods[worker], pods["redis-leader-0"]):
            os.kill(pid, signal.SIGKILL)
        assert len(_links(share).sound) < _DAYS, "there was nothing left to do when the worker was killed"
        follow(stack.simulator, _STACK)
    return Killed(stack, share, worker, _times(share), seen)


def test_every_dataset_is_trained_once_in_one_chain_although_a_worker_and_redis_were_killed(killed: Killed) -> None:
    links = _links(killed.share)
    assert sorted(link.dataset for link in links.sound) == _DATASETS
    assert sorted(links.trained) == _DATASETS
    assert [link.position for link in links.sound] == list(range(1, _DAYS + 1))
    assert links.next_position == _DAYS + 1
    parents = [None if link.parent is None else link.parent.digest for link in links.sound]
    assert parents == [None, *(link.digest for link in links.sound[:-1])]
    assert _redis(killed) == {"datasets": 0, "datasets:dead": 0}


def test_kubernetes_brought_both_back(killed: Killed, simulator: Simulator) -> None:
    api = simulator.api()
    job = api.get(f"{_JOBS}/workload")
    assert (job["status"]["failed"], job["status"]["succeeded"]) == (1, 2)
    lost = api.get(f"{_PODS}/{killed.worker}")
    assert section(lost, "status")["phase"] == "Failed"
    assert _container(lost)["state"]["terminated"]["exitCode"] == 128 + signal.SIGKILL
    redis = _container(api.get(f"{_PODS}/redis-leader-0"))
    assert (redis["ready"], redis["restartCount"]) == (True, 1)
    assert redis["lastState"]["terminated"]["exitCode"] == 128 + signal.SIGKILL


def test_kueue_admitted_every_step_and_each_came_after_the_one_before(killed: Killed, simulator: Simulator) -> None:
    del killed
    api = simulator.api()
    admitted = {owner_name(each): admitted_by(each) for each in api.items(WORKLOADS) if is_true(each, "Admitted")}
    assert admitted == dict.fromkeys(_STEPS, "batch-ml")
    jobs = [api.get(f"{_JOBS}/{name}") for name in _STEPS]
    assert all(is_true(job, "Complete") for job in jobs)
    ends = [job["status"]["completionTime"] for job in jobs[:-1]]
    made = [job["metadata"]["creationTimestamp"] for job in jobs[1:]]
    assert [end <= begin for end, begin in zip(ends, made, strict=True)] == [True] * 3


def test_the_report_is_complete_and_the_model_is_better_at_its_end(killed: Killed, simulator: Simulator) -> None:
    shown = simulator.run("files", "output", "--stack", _STACK).out
    report = (killed.share / "output" / "report.txt").read_text()
    assert report.rstrip() in shown
    links = _links(killed.share)
    names = [model_name(link.trained) for link in links.sound]
    assert all(f"  {name}\n" in shown for name in [*names, "learning_curve.html", "report.txt"])
    entries = report.split("\n\n")
    assert [f"Model checkpoint: {name}\n" in text for name, text in zip(names, entries, strict=True)] == [True] * _DAYS
    assert all(line in text for line in [*_FIGURES, "Report generated on: ", "Training time: "] for text in entries)
    precisions = [link.metrics["testing"]["average_precision"] or 0.0 for link in links.sound]
    assert precisions[-1] >= precisions[0] > 0.3


def test_another_up_changes_nothing_and_trains_nothing(killed: Killed) -> None:
    killed.stack.simulator.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes", "--stack", _STACK)
    assert _times(killed.share) == killed.files


def test_jobs_that_are_run_again_train_nothing_twice(killed: Killed, simulator: Simulator) -> None:
    platform = killed.stack.read()
    for name in ("queue-jobs", "workload"):
        entry(platform["workloads"], name)["env"] = {"RUN": "2"}
    killed.stack.write(platform)
    killed.stack.up()
    follow(killed.stack.simulator, _STACK)
    job = simulator.api().get(f"{_JOBS}/workload")
    assert (job["status"].get("failed"), job["status"]["succeeded"]) == (None, 2)
    assert _times(killed.share) == killed.files
    said = _said(simulator, "queue-jobs")
    assert [line for line in said if line.endswith(": in the chain already")] == [
        f"{name}: in the chain already" for name in _DATASETS
    ]
    assert said[-1] == f"0 of {_DAYS} training datasets queued"
    assert _said(simulator, "workload")[-1] == "Queue empty, exiting"


def test_no_secret_stands_in_clear_anywhere(killed: Killed, simulator: Simulator, tmp_path: Path) -> None:
    hidden = secrets_of(simulator.home, simulator.api())
    assert _password(simulator) in hidden.values()
    assert_hidden(written(killed.stack.simulator, _STACK, tmp_path), hidden)
    assert_no_secret(simulator.home, hidden)
    assert any(b"valkey-server" in each for each in killed.seen.commands)
    assert f"REDIS_PASSWORD={_password(simulator)}".encode() in killed.seen.variables
    killed.seen.assert_no_secret(hidden)


def test_ports_are_on_loopback_and_answer_nobody_without_a_credential(killed: Killed, simulator: Simulator) -> None:
    del killed
    assert_closed(simulator, "kueue", "valkey-server")


def test_a_web_page_does_not_reach_redis(killed: Killed, simulator: Simulator) -> None:
    del killed
    port = int(simulator.run("address", "redis").out.strip().rpartition(":")[2])
    for request in from_a_page("/", port):
        order = request + b"\r\nAUTH " + _password(simulator).encode() + b"\r\nSET driven yes\r\n"
        assert answer(port, order) == b"", "the server hangs up on what begins like HTTP"
    assert simulator.redis("GET", "driven", password=_password(simulator)) is None


def _share(simulator: Simulator) -> Path:
    (share,) = simulator.client.call("status")["shares"]
    return Path(share["folder"])


def _links(share: Path) -> Links:
    return Chain(Share(share), Log()).read()


def _times(share: Path) -> dict[str, int]:
    paths = [path for path in (share / "output").rglob("*") if path.is_file()]
    return {str(path.relative_to(share)): path.stat().st_mtime_ns for path in paths}


def _processes(simulator: Simulator) -> dict[str, int]:
    """The processes of pods that run now, by the pod's name."""
    (cluster,) = simulator.client.call("status")["clusters"]
    return {pod["name"]: pod["pid"] for pod in cluster["pods"] if pod["pid"] is not None}


def _container(pod: dict[str, Any]) -> dict[str, Any]:
    (status,) = pod["status"]["containerStatuses"]
    return status


def _said(simulator: Simulator, job: str) -> list[str]:
    """What a pod of the Job that runs or ran last has written."""
    pods = simulator.api().items(_PODS, {"labelSelector": f"batch.kubernetes.io/job-name={job}"})
    last = max(pods, key=lambda pod: pod["metadata"]["creationTimestamp"])
    lines = simulator.run("logs", last["metadata"]["name"]).out.splitlines()
    return [line.split(" ", 3)[-1] for line in lines]


def _redis(killed: Killed) -> dict[str, object]:
    simulator = killed.stack.simulator
    keys = ("datasets", "datasets:dead")
    return {key: simulator.redis("LLEN", key, password=_password(simulator)) for key in keys}


def _password(simulator: Simulator) -> str:
    secret = simulator.api().get("/api/v1/namespaces/default/secrets/redis-leader-password")
    return base64.b64decode(secret["data"]["password"]).decode()
