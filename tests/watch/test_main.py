"""`python -m watch`: from the command line to the printed story, over a real connection."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

import pytest

from kubeapi import Api
from simulator.clusters.pki import write_cluster_files
from tests.kubeapi.server import FakeApiServer, listed
from tests.watch.records import Story, condition
from watch.__main__ import main
from watch.record import EVENTS, JOBS, JOBSETS, NODES, PODS, WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from kubeapi import Connection, Document
    from tests.kubeapi.server import Answer, Asked

_METADATA: Final = {"name": "run", "uid": "u", "creationTimestamp": "2026-11-21T02:33:50Z", "resourceVersion": "1"}


@pytest.fixture(autouse=True)
def _close_clients(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Close the client that a test leaves behind, and with it the watches in its threads."""
    made: list[Api] = []

    def make(connection: Connection) -> Api:
        made.append(Api(connection))
        return made[-1]

    monkeypatch.setattr("watch.__main__.Api", make)
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
    return lambda asked: iter(()) if "watch" in asked.query else listed("Thing", *items)


def ended(how: str) -> Document:
    """The JobSet `run` with that condition."""
    return {"metadata": _METADATA, "status": {"conditions": [condition(how, 9)]}}


def kubeconfig(server: FakeApiServer) -> str:
    """The text of a kubeconfig of the server."""
    authority = str(server.files.path("cluster-ca.crt"))
    cluster = {"server": server.url, "certificate-authority": authority}
    contexts = [{"name": "c", "context": {"cluster": "k"}}]
    clusters = [{"name": "k", "cluster": cluster}]
    return json.dumps({"clusters": clusters, "contexts": contexts, "current-context": "c"})


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of the command."""
    monkeypatch.setattr("sys.argv", ["watch", *arguments])
    try:
        main()
    except SystemExit as error:
        return int(error.code or 0)
    return 0


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
    (tmp_path / "config").write_text(kubeconfig(server))
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config"), "--until-settled") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("1 jobs: 1 finished\n\n   time  chips  job  what happened\n")
    assert "    +9s      0  run  finished: Succeeded, jobset completed\n" in printed
    assert "at most 8 chips were admitted at one moment\n" in printed
    assert "jobset-run   team-queue   cluster-queue   True       True" in printed


def test_a_failed_job_is_a_failure_of_the_command(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"GET {JOBSETS}"] = collection(ended("Failed"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    (tmp_path / "config").write_text(kubeconfig(server))
    assert run(monkeypatch) == 1
    assert capsys.readouterr().out.endswith("\nfailed: run\n")


def test_a_stacks_output_leads_to_its_cluster(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outputs.json").write_text(json.dumps({"kubeconfig": kubeconfig(server)}))
    a_pulumi(tmp_path, monkeypatch, f'echo "$@" > {tmp_path}/asked; cat {tmp_path}/outputs.json')
    assert run(monkeypatch, "--stack", "dev") == 0
    assert (tmp_path / "asked").read_text() == "stack output --json --stack dev\n"
    assert "jobset-run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("echo 'error: no stack named dev' >&2; exit 255", "watch: stack dev: error: no stack named dev\n"),
        ("""echo '{"b": 1, "a": 2}'""", "watch: stack dev has no output named kubeconfig; it has a, b\n"),
        ("echo '{}'", "watch: stack dev has no output named kubeconfig; it has none\n"),
        (
            """echo '{"kubeconfig": {"current-context": "c"}}'""",
            "watch: the kubeconfig has no context named c\n",
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
    assert capsys.readouterr().err == f"watch: no kubeconfig: [Errno 2] No such file or directory: '{path}'\n"


def test_a_server_that_is_gone_is_named(
    server: FakeApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text(kubeconfig(server))
    server.close()
    assert run(monkeypatch, "--kubeconfig", str(tmp_path / "config")) == 1
    assert capsys.readouterr().err.startswith(f"watch: {server.url} does not answer: ")
