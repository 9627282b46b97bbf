"""`tpu migrate` over a real connection: what it prints and writes, and when it leaves things alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.discovery import DEFINITIONS
from simulator.clusters.pki import write_cluster_files
from tests.kubeapi.server import Answer, Asked, FakeApiServer, listed
from tpu.migrate.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    Run = Callable[..., int]
    """From the flags to the exit code."""

_WORKLOADS: Final = "/apis/kueue.x-k8s.io/v1beta2/workloads"
_ONE: Final = "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads/one"
_TWO: Final = "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads/two"
_STATUS: Final = f"{DEFINITIONS}/workloads.kueue.x-k8s.io/status"


def a_definition(plural: str, group: str, *stored: str, storage: str = "v1beta2") -> dict[str, Any]:
    """A CustomResourceDefinition that serves v1beta1 beside the version in which objects are kept."""
    versions = [{"name": name, "served": True, "storage": name == storage} for name in ("v1beta1", storage)]
    return {
        "metadata": {"name": f"{plural}.{group}", "resourceVersion": "7"},
        "spec": {"group": group, "names": {"plural": plural}, "versions": versions},
        "status": {"storedVersions": list(stored)},
    }


def in_two_pages(asked: Asked) -> Answer:
    """The Workloads, one in an answer."""
    assert asked.query["limit"] == "500"
    is_second = asked.query.get("continue") == "more"
    page = listed("Workload", {"metadata": {"namespace": "team", "name": "two" if is_second else "one"}})
    assert isinstance(page, dict)
    return {**page, "metadata": {} if is_second else {"continue": "more"}}


@pytest.fixture
def server(tmp_path: Path) -> Generator[FakeApiServer]:
    """A cluster that was upgraded from a release that kept Workloads as v1beta1, and definitions of others."""
    fake = FakeApiServer(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    fake.routes |= {
        f"GET {DEFINITIONS}": listed(
            "CustomResourceDefinition",
            a_definition("workloads", "kueue.x-k8s.io", "v1beta1", "v1beta2"),
            a_definition("jobsets", "jobset.x-k8s.io", "v1alpha2", storage="v1alpha2"),
            a_definition("queues", "scheduling.example.com", "v1beta1", "v1beta2"),
        ),
        f"GET {_WORKLOADS}": in_two_pages,
        f"PATCH {_ONE}": lambda asked: asked.body,
        f"PATCH {_TWO}": lambda asked: asked.body,
        f"PATCH {_STATUS}": lambda asked: asked.body,
    }
    (tmp_path / "config").write_text(fake.kubeconfig())
    yield fake
    fake.close()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in this process."""

    def run_(*flags: str) -> int:
        monkeypatch.setattr("sys.argv", ["migrate", "--kubeconfig", str(tmp_path / "config"), *flags])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return run_


def changes(server: FakeApiServer) -> list[tuple[str, Any]]:
    """Path and body of every request that changes something."""
    return [(each.path, each.body) for each in server.asked if each.method != "GET"]


def test_looking_changes_nothing(server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 1
    assert capsys.readouterr().out == (
        "jobsets.jobset.x-k8s.io: objects are stored as v1alpha2\n"
        "workloads.kueue.x-k8s.io: objects are stored as v1beta2, and perhaps as v1beta1\n"
        "1 of 2 may have objects of an older version: run again with --write.\n"
    )
    assert changes(server) == []


def test_every_object_is_written_as_it_is_and_then_the_older_version_is_struck_out(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--write") == 0
    assert capsys.readouterr().out == (
        "workloads.kueue.x-k8s.io: 2 objects are stored as v1beta2 now\n"
        "Every object of Kueue and JobSet is stored in the current version.\n"
    )
    stored = {"metadata": {"resourceVersion": "7"}, "status": {"storedVersions": ["v1beta2"]}}
    assert changes(server) == [(_ONE, {}), (_TWO, {}), (_STATUS, stored)]


def test_an_object_that_was_deleted_meanwhile_needs_no_writing(server: FakeApiServer, run: Run) -> None:
    server.routes[f"PATCH {_ONE}"] = (404, {"message": "workloads one not found"})
    assert run("--write") == 0
    assert [path for path, _ in changes(server)] == [_ONE, _TWO, _STATUS]


def test_an_object_that_is_refused_keeps_the_older_version_stated(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"PATCH {_TWO}"] = (422, {"message": "spec.podSets: Invalid value"})
    assert run("--write") == 1
    assert capsys.readouterr().err == (
        f"workloads.kueue.x-k8s.io: {_TWO}: spec.podSets: Invalid value. "
        "Correct or delete the object, then run this again.\n"
    )
    assert [path for path, _ in changes(server)] == [_ONE, _TWO]


def test_a_cluster_that_does_not_answer_as_it_should_ends_the_run(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"PATCH {_ONE}"] = (429, {"message": "storage is (re)initializing"})
    assert run("--write") == 1
    assert capsys.readouterr().err == "migrate: storage is (re)initializing\n"
    assert [path for path, _ in changes(server)] == [_ONE]


def test_a_definition_that_changed_meanwhile_is_left_as_it_is(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"PATCH {_STATUS}"] = (409, {"message": "the object has been modified"})
    assert run("--write") == 1
    assert capsys.readouterr().err == "migrate: the object has been modified\n"


def test_a_cluster_with_everything_in_one_version_needs_nothing(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"GET {DEFINITIONS}"] = listed(
        "CustomResourceDefinition", a_definition("workloads", "kueue.x-k8s.io", "v1beta2")
    )
    assert (run(), run("--write")) == (0, 0)
    assert capsys.readouterr().out == (
        "workloads.kueue.x-k8s.io: objects are stored as v1beta2\n"
        "Every object of Kueue and JobSet is stored in the current version.\n"
    )
    assert changes(server) == []


def test_a_cluster_without_the_controllers_says_so(
    server: FakeApiServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    server.routes[f"GET {DEFINITIONS}"] = listed("CustomResourceDefinition")
    assert run() == 0
    assert capsys.readouterr().out == "The cluster has no definition of Kueue or JobSet.\n"
