"""The stream of Jobs: what is submitted, when, by whom, and how it ends."""

from __future__ import annotations

import functools
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator.clusters.pki import write_cluster_files
from tests.commands import exit_code
from tests.eventually import eventually
from tests.kubeapi.server import Answer, Asked, FakeApiServer, listed
from tpu.stream.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    Run = Callable[..., int]
    """From the command line to the exit code."""

_KUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2"
_JOBS: Final = "POST /apis/batch/v1/namespaces/{}/jobs"


def local_queues(*names: str) -> Answer:
    """LocalQueues, each as namespace/name."""
    pairs = [name.split("/") for name in names]
    return listed("LocalQueue", *({"metadata": {"namespace": space, "name": name}} for space, name in pairs))


def created(asked: Asked) -> Answer:
    """The Job as the API server takes it: with the end of its name."""
    metadata = asked.body["metadata"]
    return {**asked.body, "metadata": {**metadata, "name": f"{metadata['generateName']}x7k2p"}}


@pytest.fixture
def server(tmp_path: Path) -> Generator[FakeApiServer]:
    """An API server with the queues of two teams; its kubeconfig is `config` in the test's folder."""
    fake = FakeApiServer(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    for team in ("team-a", "team-b"):
        fake.routes[f"GET {_KUEUE}/namespaces/{team}/localqueues"] = local_queues(f"{team}/lq-{team}")
        fake.routes[_JOBS.format(team)] = created
    (tmp_path / "config").write_text(fake.kubeconfig())
    yield fake
    fake.close()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in this process."""
    return functools.partial(exit_code, monkeypatch, main, "stream", "--kubeconfig", str(tmp_path / "config"))


def jobs(server: FakeApiServer) -> list[Any]:
    """The documents that were submitted."""
    return [asked.body for asked in server.asked if asked.method == "POST"]


def test_each_team_submits_one_job_per_round(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--count", "2", "--interval", "0") == 0
    assert [job["metadata"]["namespace"] for job in jobs(server)] == ["team-a", "team-b", "team-a", "team-b"]
    assert capsys.readouterr().out.splitlines() == [
        "team-a/sample-job-team-a-x7k2p in lq-team-a: 3 pods, 3 GPUs",
        "team-b/sample-job-team-b-x7k2p in lq-team-b: 1 pod, 1 GPU",
        "team-a/sample-job-team-a-x7k2p in lq-team-a: 3 pods, 3 GPUs",
        "team-b/sample-job-team-b-x7k2p in lq-team-b: 1 pod, 1 GPU",
        "submitted 4 Jobs: 2 of team-a, 2 of team-b",
    ]


def test_the_job_is_the_tutorials_but_for_what_kueue_does_itself(server: FakeApiServer, run: Run) -> None:
    run("--count", "1")
    each = {"cpu": "500m", "memory": "512Mi", "ephemeral-storage": "512Mi", "nvidia.com/gpu": "1"}
    assert jobs(server)[0] == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "generateName": "sample-job-team-a-",
            "namespace": "team-a",
            "labels": {"kueue.x-k8s.io/queue-name": "lq-team-a"},
        },
        "spec": {
            "parallelism": 3,
            "completions": 3,
            "ttlSecondsAfterFinished": 60,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"},
                    "containers": [
                        {
                            "name": "task",
                            "image": "gcr.io/k8s-staging-perf-tests/sleep:v0.1.0",
                            "args": ["10s"],
                            "resources": {"requests": each, "limits": each},
                        }
                    ],
                }
            },
        },
    }
    assert {asked.query.get("fieldValidation") for asked in server.asked if asked.method == "POST"} == {"Strict"}


def test_teams_and_pods_are_as_the_command_line_says(server: FakeApiServer, run: Run) -> None:
    assert run("--count", "1", "--teams", "team-b=lq-team-b:2", "--seconds", "5", "--gpus", "0") == 0
    (job,) = jobs(server)
    pod = job["spec"]["template"]["spec"]
    assert (job["spec"]["parallelism"], job["spec"]["completions"]) == (2, 2)
    assert ("nodeSelector" in pod, pod["containers"][0]["args"]) == (False, ["5s"])
    assert "nvidia.com/gpu" not in pod["containers"][0]["resources"]["limits"]


def test_teams_are_found_in_the_cluster(server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    found = local_queues("team-b/lq-team-b", "team-a/lq-team-a", "kueue-system/own")
    server.routes[f"GET {_KUEUE}/localqueues"] = found
    assert run("--count", "1", "--teams", "found") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "submitted 2 Jobs: 1 of team-a, 1 of team-b"


@pytest.mark.parametrize(
    ("routes", "arguments", "text"),
    [
        (
            {f"GET {_KUEUE}/namespaces/team-c/localqueues": local_queues()},
            ("--teams", "team-c=lq"),
            "there is no namespace team-c; a team has one of its own name",
        ),
        (
            {f"GET {_KUEUE}/namespaces/team-a/localqueues": local_queues("team-a/other", "team-a/another")}
            | {"GET /api/v1/namespaces/team-a": {}},
            (),
            "namespace team-a has no LocalQueue lq-team-a; it has another, other",
        ),
        (
            {f"GET {_KUEUE}/namespaces/team-a/localqueues": (404, {"message": "not served"})},
            (),
            "the cluster does not serve kueue.x-k8s.io/v1beta2: is Kueue installed?",
        ),
        ({f"GET {_KUEUE}/localqueues": local_queues()}, ("--teams", "found"), "the cluster has no LocalQueue"),
        (
            {f"GET {_KUEUE}/namespaces/team-a/localqueues": (403, {"message": "localqueues is forbidden"})},
            (),
            "localqueues is forbidden",
        ),
    ],
)
def test_what_is_missing_is_named_before_anything_is_submitted(
    server: FakeApiServer,
    run: Run,
    capsys: pytest.CaptureFixture[str],
    routes: dict[str, Answer],
    arguments: tuple[str, ...],
    text: str,
) -> None:
    server.routes |= routes
    assert run(*arguments) == 1
    assert capsys.readouterr() == ("", f"stream: {text}\n")
    assert jobs(server) == []


def test_a_refusal_ends_the_stream_and_says_what_was_submitted(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[_JOBS.format("team-b")] = (403, {"message": "exceeded quota"})
    assert run() == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("\nsubmitted 1 Job: 1 of team-a\n")
    assert printed.err == "stream: exceeded quota\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--teams", "team-a"), "team-a is not of the form NAME=QUEUE or NAME=QUEUE:PODS, such as team-a=lq-team-a:3"),
        (("--count", "0"), "0 is not above 0"),
        (("--interval", "-1"), "-1 is below 0"),
        (("--gpus", "-1"), "-1 is below 0"),
    ],
)
def test_a_bad_flag_is_refused(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], text: str
) -> None:
    assert run(*arguments) == 2
    assert text in capsys.readouterr().err
    assert server.asked == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_stream_between_two_rounds(server: FakeApiServer, tmp_path: Path, number: int) -> None:
    command = [
        sys.executable,
        "-m",
        "tpu.stream",
        "--kubeconfig",
        str(tmp_path / "config"),
        "--interval",
        "3600",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            eventually(lambda: len(jobs(server)), lambda count: count == 2, what="the first round")
            process.send_signal(number)
            printed, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")
    assert printed.splitlines()[-1] == "submitted 2 Jobs: 1 of team-a, 1 of team-b"
