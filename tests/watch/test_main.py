"""`tpu timeline`: from the command line to the printed story, over a real connection."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import Api, Connection, Document
from components.kubeapi.jobs import (
    CLUSTER_QUEUES,
    EVENTS,
    NODES,
    SERVICES,
    WORKLOADS,
)
from components.kubeapi.owners import JOBS, JOBSETS, PODS
from simulator.clusters.pki import write_cluster_files
from tests.commands import exit_code
from tests.eventually import eventually
from tests.kubeapi.server import Answer, Asked, FakeApiServer, listed
from tests.watch.jobs import a_job, a_pod
from tests.watch.records import Story, condition, stamp
from tpu.watch.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

_METADATA: Final = {"name": "run", "uid": "u", "creationTimestamp": "2026-11-21T02:33:50Z", "resourceVersion": "1"}


@pytest.fixture(autouse=True)
def _close_clients(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Close the client that a test leaves behind, and with it the watches in its threads."""
    made: list[Api] = []

    def make(connection: Connection, *, renew: Callable[[], Connection]) -> Api:
        made.append(Api(connection, renew=renew))
        return made[-1]

    monkeypatch.setattr("tpu.connect.Api", make)
    yield
    for api in made:
        api.close()


@pytest.fixture
def server(tmp_path: Path) -> Generator[FakeApiServer]:
    """An API server with one JobSet that has run."""
    fake = FakeApiServer(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    story = Story()
    story.queued(0, "run", 8)
    story.admitted(0, "run")
    story.finished(9, "run")
    record = story.record()
    for path, items in ((WORKLOADS, record.workloads), (EVENTS, record.events), (JOBS, []), (PODS, []), (NODES, [])):
        fake.routes[f"GET {path}"] = collection(*items)
    fake.routes[f"GET {JOBSETS}"] = collection(ended("Completed"))
    yield fake
    fake.close()


def collection(*items: Document) -> Callable[[Asked], Answer]:
    """A collection in which nothing changes: its watches end without an event."""
    known = [{**item, "metadata": {"uid": str(number), **item["metadata"]}} for number, item in enumerate(items)]
    return lambda asked: iter(()) if "watch" in asked.query else listed("Thing", *known)


def ended(how: str) -> Document:
    """The JobSet `run` with that condition."""
    return {"metadata": _METADATA, "status": {"conditions": [condition(how, 9)]}}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of the command."""
    return exit_code(monkeypatch, main, "watch", *arguments)


def a_pulumi(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Doubles the CLI on PATH with a shell script."""
    path = folder / "bin" / "pulumi"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)


def test_the_story_is_printed(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config"), "--until-settled") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("1 job: 1 finished\n\n   time  chips  job  what happened\n")
    assert "    +9s      0  run  finished: Succeeded, jobset completed\n" in printed
    assert "at most 8 chips were admitted at one moment\n" in printed
    assert "jobset-run   team-queue   cluster-queue   True       True" in printed


def test_a_failed_job_is_a_failure_of_the_command(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"GET {JOBSETS}"] = collection(ended("Failed"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch) == 1
    assert capsys.readouterr().out.endswith("\nfailed: run\n")


def test_what_cannot_start_ends_the_following_without_a_failure(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tpu.watch.follow._QUIET_SECONDS", 0.05)
    server.routes[f"GET {JOBSETS}"] = collection(a_job("other", suspend=True))
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config"), "--until-settled") == 0
    printed = capsys.readouterr().out
    assert printed.endswith(
        "\nthese wait, and nothing changes any more:\n  other is suspended, and no queue manages it\n"
    )


def test_what_has_not_settled_in_time_is_a_failure(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"GET {JOBSETS}"] = collection(a_job("long"))
    server.routes[f"GET {PODS}"] = collection(a_pod("long", "Running", "n1"))
    (tmp_path / "config").write_text(server.kubeconfig())
    arguments = ("--kubeconfig", str(tmp_path / "config"), "--until-settled", "--timeout", "0.1")
    assert run(monkeypatch, *arguments) == 1
    assert capsys.readouterr().out.endswith("\nnot over:\n  long is running\nnot settled within 0.1 s\n")


def test_a_platform_without_jobs_shows_its_queues_and_nodes(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (JOBSETS, WORKLOADS):
        server.routes[f"GET {path}"] = collection()
    server.routes[f"GET {CLUSTER_QUEUES}"] = collection({"metadata": {"name": "cq"}})
    server.routes[f"GET {SERVICES[0]}"] = collection(
        {"metadata": {"name": "redis", "creationTimestamp": stamp(0)}, "status": {"readyReplicas": 1}}
    )
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config"), "--until-settled") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["no jobs", "", "no jobs"]
    assert [line.split("   ")[0].strip() for line in lines[4:] if line] == [
        "CLUSTER QUEUE",
        "cq",
        "NODE POOL",
        "SERVICE",
        "redis",
    ]


def test_status_is_printed_once(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "status", "--kubeconfig", str(tmp_path / "config")) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("no ClusterQueue\n")
    assert printed.count("jobset-run") == 1


def test_status_is_watched_until_ctrl_c(server: FakeApiServer, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(server.kubeconfig())
    command = [sys.executable, "-m", "tpu.watch", "status", "--watch", "--interval", "0.05"]
    with subprocess.Popen(
        [*command, "--kubeconfig", str(tmp_path / "config")], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            eventually(lambda: server.paths().count(f"GET {NODES}"), lambda looks: looks >= 3, what="a third look")
            process.send_signal(signal.SIGINT)
            printed, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert printed.count("every 0.05 s\n") >= 2
    assert "\x1b" not in printed


def test_a_job_is_explained(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "explain", "run") == 0
    assert capsys.readouterr().out.endswith("\nrun is done: Completed\n")
    assert run(monkeypatch, "explain", "rum") == 1
    assert capsys.readouterr().err == "explain: no job named rum; did you mean run?\n"


def test_programs_read_the_timeline_and_an_explanation_as_json(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "--until-settled", "--format", "json") == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert printed.err == "1 job: 1 finished\n", "what follows the jobs is not in what a program reads"
    assert (found["unit"], found["peak"], found["settled"]) == ("chips", 8, True)
    assert found["jobs"] == [{"name": "run", "state": "finished", "why": ""}]
    assert [entry["admitted"] for entry in found["entries"]][-1] == 0
    assert found["entries"][-1] == {"seconds": 9, "admitted": 0, "job": "run", "text": found["entries"][-1]["text"]}
    assert found["entries"][-1]["text"].startswith("finished: ")
    assert run(monkeypatch, "explain", "run", "--format", "json") == 0
    explained = json.loads(capsys.readouterr().out)
    assert (explained["job"], explained["state"], explained["why"]) == ("run", "finished", "run is done: Completed")
    assert explained["workload"]["name"] == "jobset-run"
    assert explained["pods"] == []
    assert {event["about"]["kind"] for event in explained["events"]} <= {"Workload", "JobSet"}


def test_json_of_a_failed_job_stays_json(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"GET {JOBSETS}"] = collection(ended("Failed"))
    (tmp_path / "config").write_text(server.kubeconfig())
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config"), "--format", "json") == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["jobs"][0]["state"] == "failed"
    assert printed.err == "failed: run\n"


@pytest.mark.parametrize("arguments", [("timeline",), ("status",), ("explain", "run")])
@pytest.mark.parametrize("status", [200, 401])
def test_no_token_is_printed(
    server: FakeApiServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    status: int,
) -> None:
    if status != 200:
        server.routes = {route: (status, {"message": "Unauthorized"}) for route in server.routes}
    document = json.loads(server.kubeconfig())
    document["users"] = [{"name": "u", "user": {"token": "swordfish"}}]
    document["contexts"][0]["context"]["user"] = "u"
    (tmp_path / "config").write_text(json.dumps(document))
    assert run(monkeypatch, *arguments, "--kubeconfig", str(tmp_path / "config")) == int(status != 200)
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer swordfish"}
    printed = capsys.readouterr()
    assert printed.out or printed.err
    assert "swordfish" not in printed.out + printed.err


def test_a_stacks_output_leads_to_its_cluster(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outputs.json").write_text(json.dumps({"kubeconfig": server.kubeconfig()}))
    a_pulumi(tmp_path, monkeypatch, f'echo "$@" > {tmp_path}/asked; cat {tmp_path}/outputs.json')
    assert run(monkeypatch, "--stack", "dev") == 0
    assert (tmp_path / "asked").read_text() == "stack output --json --stack dev\n"
    assert "jobset-run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("echo 'error: no stack named dev' >&2; exit 255", "timeline: stack dev: error: no stack named dev\n"),
        ("""echo '{"b": 1, "a": 2}'""", "timeline: stack dev has no output named kubeconfig; it has a, b\n"),
        ("echo '{}'", "timeline: stack dev has no output named kubeconfig; it has none\n"),
        (
            """echo '{"kubeconfig": {"current-context": "c"}}'""",
            "timeline: the kubeconfig has no context named c\n",
        ),
    ],
)
def test_a_stack_without_a_cluster_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], script: str, text: str
) -> None:
    a_pulumi(tmp_path, monkeypatch, script)
    assert run(monkeypatch, "--stack", "dev") == 1
    assert capsys.readouterr() == ("", text)


def test_a_kubeconfig_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "none")
    assert run(monkeypatch, "--kubeconfig", path) == 1
    assert capsys.readouterr().err == f"timeline: no kubeconfig: [Errno 2] No such file or directory: '{path}'\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a: b".encode("utf-16"), "no kubeconfig: {path}: byte 0 is not UTF-8. Save it as UTF-8."),
        (b"a: caf\xe9", "no kubeconfig: {path}: byte 6 is not UTF-8. Save it as UTF-8."),
        (b"[" * 10_000, "the kubeconfig is nested too deeply"),
        (b"clusters: &a [*a]", "the kubeconfig names no context to use"),
    ],
    ids=["UTF-16", "Latin-1", "deep nesting", "an anchor within itself"],
)
def test_a_kubeconfig_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    path = tmp_path / "config"
    path.write_bytes(content)
    assert run(monkeypatch, "--kubeconfig", str(path)) == 1
    assert capsys.readouterr().err == f"timeline: {says.format(path=path)}\n"


def test_a_server_that_is_gone_is_named(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text(server.kubeconfig())
    server.close()
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config")) == 1
    assert capsys.readouterr().err.startswith(f"timeline: {server.url} does not answer: ")
