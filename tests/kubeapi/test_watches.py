"""Watches and waits, over a server that ends, breaks and expires them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import Api, ApiError, UnreachableError, WaitError
from components.kubeapi.documents import Document, is_true
from tests.kubeapi.server import Answer, Asked, FakeApiServer, Route, listed, one_after_another

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PODS: Final = "/api/v1/namespaces/x/pods"
_SECONDS: Final = 10.0
"""Real time after which a wait in a test has failed."""


def pod(name: str, *, ready: bool | None = None, uid: str | None = None) -> Document:
    """A pod as a list holds it."""
    conditions = [{"type": "Ready", "status": str(ready)}] if ready is not None else None
    return {"metadata": {"name": name, "uid": uid or f"uid-{name}"}, "status": {"conditions": conditions}}


def event(type_: str, document: Document) -> Document:
    """An event of a watch."""
    return {"type": type_, "object": {"apiVersion": "v1", "kind": "Pod", **document}}


_EXPIRED: Final[Document] = {
    "type": "ERROR",
    "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"},
}


def collection(lists: list[Route], watches: list[Route]) -> Callable[[Asked], Answer]:
    """A collection whose lists and watches are answered by the next of each."""
    answer_list, answer_watch = one_after_another(*lists), one_after_another(*watches)
    return lambda asked: answer_watch(asked) if "watch" in asked.query else answer_list(asked)


def seen(api: Api, count: int) -> list[tuple[str, str]]:
    """Type and name of the next `count` events."""
    stream = api.watch(_PODS, seconds=_SECONDS)
    return [(each.type, each.object["metadata"]["name"]) for each, _ in zip(stream, range(count), strict=False)]


def test_a_watch_begins_with_the_list_and_goes_on_from_it(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PODS}"] = collection(
        [listed("Pod", pod("a"), pod("b"), version="7")],
        [iter([event("MODIFIED", pod("a")), event("BOOKMARK", {}), event("DELETED", pod("b"))])],
    )
    stream = api.watch(_PODS, query={"labelSelector": "l"}, seconds=_SECONDS)
    events = [next(stream) for _ in range(4)]
    assert [(each.type, each.object["metadata"]["name"]) for each in events] == [
        ("ADDED", "a"),
        ("ADDED", "b"),
        ("MODIFIED", "a"),
        ("DELETED", "b"),
    ]
    assert {each.object["kind"] for each in events} == {"Pod"}
    assert server.asked[0].query == {"labelSelector": "l"}
    watch = server.asked[1].query
    assert (watch["labelSelector"], watch["watch"], watch["resourceVersion"]) == ("l", "true", "7")
    assert 1 <= int(watch["timeoutSeconds"]) <= _SECONDS


@pytest.mark.parametrize(
    "expiry", [iter([_EXPIRED]), (410, {"reason": "Expired", "message": "too old"})], ids=["in the stream", "at once"]
)
def test_an_expired_watch_begins_again_and_says_what_is_gone(server: FakeApiServer, api: Api, expiry: Route) -> None:
    server.routes[f"GET {_PODS}"] = collection(
        [listed("Pod", pod("a"), pod("b")), listed("Pod", pod("b"), pod("c"))], [expiry, iter(())]
    )
    assert seen(api, 5) == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a"), ("ADDED", "b"), ("ADDED", "c")]


def test_what_a_watch_added_or_deleted_is_remembered_for_the_next_list(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PODS}"] = collection(
        [listed("Pod", pod("a")), listed("Pod", pod("c"))],
        [iter([event("ADDED", pod("b")), event("DELETED", pod("a"))]), iter(())],
    )
    assert seen(api, 5)[3:] == [("DELETED", "b"), ("ADDED", "c")]


def test_changes_go_on_from_a_version_until_the_server_has_forgotten_it(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PODS}"] = collection(
        [listed("Pod", pod("a"), version="7")],
        [(401, {"message": "Unauthorized"}), iter([event("ADDED", pod("b"))]), iter([_EXPIRED])],
    )
    items, version = api.listed(_PODS)
    assert ([each["kind"] for each in items.values()], version) == (["Pod"], "7")
    renewing = Api(server.connection("old"), renew=lambda: server.connection("new"))
    assert [each.object["metadata"]["name"] for each in renewing.changes(_PODS, version, seconds=1)] == ["b"]
    assert [asked.query["resourceVersion"] for asked in server.asked[1:]] == ["7", "7"]
    with pytest.raises(ApiError) as caught:
        next(renewing.changes(_PODS, "8", seconds=1))
    assert caught.value.is_expired
    renewing.close()


def test_another_error_in_the_stream_is_raised(server: FakeApiServer, api: Api) -> None:
    error = {"type": "ERROR", "object": {"kind": "Status", "code": 500, "reason": "InternalError", "message": "etcd"}}
    server.routes[f"GET {_PODS}"] = collection([listed("Pod")], [iter([error])])
    with pytest.raises(ApiError, match=r"^etcd$") as caught:
        next(api.watch(_PODS, seconds=_SECONDS))
    assert (caught.value.status, caught.value.reason) == (500, "InternalError")


def test_a_refused_list_or_watch_is_raised(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PODS}"] = collection([(403, {"message": "no list"})], [])
    with pytest.raises(ApiError, match=r"^no list$"):
        next(api.watch(_PODS))
    server.routes[f"GET {_PODS}"] = collection([listed("Pod")], [(403, {"message": "no watch"})])
    with pytest.raises(ApiError, match=r"^no watch$"):
        next(api.watch(_PODS))


def test_a_server_that_goes_away_in_a_watch_is_unreachable(server: FakeApiServer, api: Api) -> None:
    def last_words() -> Iterator[Document]:
        yield event("ADDED", pod("a"))
        server.close()

    server.routes[f"GET {_PODS}"] = collection([listed("Pod")], [last_words()])
    stream = api.watch(_PODS, seconds=_SECONDS)
    assert next(stream).type == "ADDED"
    with pytest.raises(UnreachableError):
        next(stream)


def test_close_ends_a_watch_that_another_thread_reads(server: FakeApiServer, api: Api) -> None:
    reading, over = threading.Event(), threading.Event()

    def silence() -> Iterator[Document]:
        yield event("ADDED", pod("a"))
        over.wait(_SECONDS)

    def read() -> None:
        for _ in api.watch(_PODS, seconds=3600):
            reading.set()

    server.routes[f"GET {_PODS}"] = collection([listed("Pod")], [silence()])
    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(_SECONDS)
    api.close()
    thread.join(_SECONDS)
    over.set()
    assert not thread.is_alive()
    assert len(server.asked) == 2, "it must not begin again"


def test_a_wait_is_over_at_once_when_it_is_so_already(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PODS}"] = collection([listed("Pod", pod("a", ready=True))], [])
    found = api.wait(_PODS, "a", lambda d: is_true(d, "Ready"), seconds=_SECONDS, what="pod a")
    assert found is not None
    assert found["kind"] == "Pod"
    assert [asked.query for asked in server.asked] == [{"fieldSelector": "metadata.name=a"}]


def test_a_wait_ends_with_the_change_that_it_waits_for(server: FakeApiServer, api: Api) -> None:
    more = threading.Event()

    def changes() -> Iterator[Document]:
        yield event("MODIFIED", pod("a", ready=False))
        yield event("MODIFIED", pod("a", ready=True))
        more.wait(_SECONDS)

    server.routes[f"GET {_PODS}"] = collection([listed("Pod", pod("a"))], [changes()])
    found = api.wait(_PODS, "a", lambda d: is_true(d, "Ready"), seconds=_SECONDS, what="pod a")
    more.set()
    assert is_true(found, "Ready")


@pytest.mark.parametrize(
    ("lists", "watches"),
    [
        ([listed("Pod", pod("a"))], [iter([event("DELETED", pod("a"))])]),
        ([listed("Pod", pod("a")), listed("Pod")], [iter([_EXPIRED])]),
        ([listed("Pod")], []),
    ],
    ids=["in the watch", "between two watches", "before the first look"],
)
def test_a_wait_for_an_end_sees_it(server: FakeApiServer, api: Api, lists: list[Route], watches: list[Route]) -> None:
    def gone(document: Document | None) -> bool:
        return document is None

    server.routes[f"GET {_PODS}"] = collection(lists, watches)
    assert api.wait(_PODS, "a", gone, seconds=_SECONDS, what="pod a to be deleted") is None


def test_a_wait_that_is_too_long_says_what_was_seen_last(server: FakeApiServer, api: Api) -> None:
    conditions = [
        {"type": "Ready", "status": "False", "reason": "NoNode", "message": "0/3 nodes"},
        {"type": "PodScheduled", "status": "False"},
    ]
    document = {**pod("a"), "status": {"conditions": conditions}}
    server.routes[f"GET {_PODS}"] = collection([listed("Pod", document)], [iter(())])
    with pytest.raises(WaitError) as caught:
        api.wait(_PODS, "a", lambda d: is_true(d, "Ready"), seconds=0.05, what='Pod "a" to be ready')
    assert str(caught.value) == (
        'waited 0 s for Pod "a" to be ready; last seen: Ready=False, NoNode, 0/3 nodes; PodScheduled=False'
    )


def test_a_wait_for_nothing_says_that_there_is_nothing(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PODS}"] = collection([listed("Pod")], [iter(())])
    with pytest.raises(WaitError, match=r"^waited 0 s for it; last seen: it does not exist$"):
        api.wait(_PODS, "a", lambda d: d is not None, seconds=0.0, what="it")
