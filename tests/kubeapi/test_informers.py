"""Copies of lists: one watch for all readers, views of some objects, and what happens when a watch ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import Document, FilteredList, Informers, UnreachableError
from tests.eventually import eventually
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from collections.abc import Sequence

_PODS: Final = "/api/v1/pods"


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.kubeapi.informers._RELIST_SECONDS", 0.01)
    monkeypatch.setattr("components.kubeapi.informers._RETRY_SECONDS", 0.01)


class Server(MemoryApi):
    """An API server whose lists are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: list[str] = []

    def listed(self, path: str) -> tuple[dict[str, Document], str]:
        """As `Api.listed`."""
        self.lists.append(path)
        return super().listed(path)

    def pod(self, name: str, phase: str = "Pending") -> None:
        """Write a pod."""
        self.put(
            f"/api/v1/namespaces/team/pods/{name}",
            {
                "metadata": {"name": name, "namespace": "team", "managedFields": [{"manager": "kwok"}]},
                "status": {"phase": phase},
            },
        )

    def remove(self, name: str) -> None:
        """Delete a pod."""
        self.delete(f"/api/v1/namespaces/team/pods/{name}")


@pytest.fixture
def server() -> Server:
    """An API server with two pods."""
    made = Server()
    made.pod("a")
    made.pod("b", "Running")
    return made


def names(documents: Sequence[Document]) -> list[str]:
    """The names, in order."""
    return sorted(each["metadata"]["name"] for each in documents)


def _runs(pod: Document) -> bool:
    return pod["status"]["phase"] == "Running"


def _await(view: FilteredList, *wanted: str) -> None:
    eventually(lambda: names(view.objects()), lambda seen: seen == list(wanted))


def test_all_readers_of_a_list_share_one_watch(server: Server) -> None:
    informers = Informers(server.api)
    assert names(informers.items(_PODS)) == ["a", "b"]
    views = [informers.filtered(_PODS), informers.filtered(_PODS, keep=_runs)]
    assert [names(view.objects()) for view in views] == [["a", "b"], ["b"]]
    assert server.lists == [_PODS]


def test_a_view_sees_what_enters_changes_and_leaves_it_and_nothing_else(server: Server) -> None:
    informers, seen = Informers(server.api), list[str]()
    everything = informers.filtered(_PODS)
    view = informers.filtered(
        _PODS, lambda pod: seen.append(f"{pod['metadata']['name']} {pod['status']['phase']}"), _runs
    )
    _await(view, "b")
    seen.clear()
    server.pod("a", "Running")
    server.pod("b", "Succeeded")
    server.pod("b", "Failed")
    server.pod("c")
    server.remove("a")
    _await(everything, "b", "c")
    assert seen == ["a Running", "b Succeeded", "a Running"]
    assert view.objects() == []


def test_no_copy_says_who_wrote_a_field(server: Server) -> None:
    informers = Informers(server.api)
    assert names(informers.items(_PODS)) == ["a", "b"]
    view = informers.filtered(_PODS)
    server.pod("c")
    _await(view, "a", "b", "c")
    assert not any("managedFields" in each["metadata"] for each in informers.items(_PODS))


def test_a_view_that_has_stopped_sees_nothing_more(server: Server) -> None:
    informers = Informers(server.api)
    everything = informers.filtered(_PODS)
    with informers.filtered(_PODS) as view:
        _await(view, "a", "b")
        before = view.changes
    server.pod("c")
    _await(everything, "a", "b", "c")
    assert (names(view.objects()), view.changes) == (["a", "b"], before)


def test_after_a_watch_has_ended_only_differences_are_changes(server: Server) -> None:
    informers, seen = Informers(server.api), list[str]()
    assert names(informers.items(_PODS)) == ["a", "b"]
    view = informers.filtered(_PODS, lambda pod: seen.append(pod["metadata"]["name"]))
    server.away = True
    server.pod("c")
    eventually(lambda: len(server.lists), lambda count: count > 2)
    with pytest.raises(UnreachableError):
        informers.items(_PODS)
    del server.objects["/api/v1/namespaces/team/pods/a"]
    server.away = False
    _await(view, "b", "c")
    assert seen == ["a", "c"]
    assert names(informers.items(_PODS)) == ["b", "c"]


def test_a_list_that_nobody_reads_any_more_is_not_read_again(server: Server) -> None:
    informers = Informers(server.api)
    informers.items(_PODS)
    informers.stop()
    server.close()
    server.pod("c")
    assert server.lists == [_PODS]
