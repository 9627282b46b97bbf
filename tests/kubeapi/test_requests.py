"""Single requests: what is sent, and what an error answer or no answer becomes."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from components.kubeapi import Api, ApiError, UnreachableError
from tests.kubeapi.server import FakeApiServer, listed, one_after_another

if TYPE_CHECKING:
    from simulator.clusters.pki import ClusterFiles

_POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "x"}}
_PATH = "/api/v1/namespaces/x/pods/a"
_NOT_FOUND = {"kind": "Status", "reason": "NotFound", "message": 'pods "a" not found', "details": {"name": "a"}}


def test_a_token_is_sent_and_the_answer_is_the_document(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PATH}"] = _POD
    assert api.get(_PATH) == _POD
    assert server.asked[0].headers["authorization"] == "Bearer let-me-in"
    assert server.asked[0].headers["accept"] == "application/json"


def test_a_client_certificate_tells_the_server_who_asks(server: FakeApiServer, files: ClusterFiles) -> None:
    server.routes[f"GET {_PATH}"] = _POD
    client = Api(server.connection(pair=files.pair("admin")))
    client.get(_PATH)
    client.close()
    assert server.asked[0].user == "simulator-admin"
    assert "authorization" not in server.asked[0].headers


def test_an_error_carries_the_servers_words(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PATH}"] = (404, _NOT_FOUND)
    with pytest.raises(ApiError) as caught:
        api.get(_PATH)
    assert (caught.value.status, caught.value.reason, str(caught.value)) == (404, "NotFound", 'pods "a" not found')
    assert caught.value.details == {"name": "a"}
    assert caught.value.is_not_found


@pytest.mark.parametrize(
    ("body", "text"),
    [("the proxy is tired\n", "the proxy is tired"), ("", "HTTP 502"), ("[1]", "[1]"), ("{}", "HTTP 502")],
)
def test_an_error_without_a_status_document_still_has_a_text(
    server: FakeApiServer, api: Api, body: str, text: str
) -> None:
    server.routes[f"GET {_PATH}"] = (502, body)
    with pytest.raises(ApiError) as caught:
        api.get(_PATH)
    assert (str(caught.value), caught.value.reason, caught.value.details) == (text, "", {})


def test_only_not_found_is_none(server: FakeApiServer, api: Api) -> None:
    server.routes[f"GET {_PATH}"] = one_after_another((404, _NOT_FOUND), _POD, (403, {"message": "no"}))
    assert api.find(_PATH) is None
    assert api.find(_PATH) == _POD
    with pytest.raises(ApiError, match=r"^no$"):
        api.find(_PATH)


def test_items_get_the_kind_that_a_list_leaves_out(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /apis/batch/v1/jobs"] = listed("Job", {"metadata": {"name": "j"}}, api_version="batch/v1")
    found = api.items("/apis/batch/v1/jobs", {"labelSelector": "a=b,c"})
    assert found == [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}}]
    assert server.asked[0].query == {"labelSelector": "a=b,c"}


def test_an_empty_list_may_be_null(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /api/v1/pods"] = {**listed("Pod"), "items": None}
    assert api.items("/api/v1/pods") == []


def test_creation_is_strict(server: FakeApiServer, api: Api) -> None:
    server.routes["POST /api/v1/namespaces/x/pods"] = (201, _POD)
    assert api.create("/api/v1/namespaces/x/pods", _POD) == _POD
    asked = server.asked[0]
    assert asked.query == {"fieldValidation": "Strict"}
    assert (asked.body, asked.headers["content-type"]) == (_POD, "application/json")


@pytest.mark.parametrize(
    ("force", "dry_run", "query"),
    [
        (False, False, {"fieldManager": "me", "force": "false"}),
        (True, False, {"fieldManager": "me", "force": "true"}),
        (False, True, {"fieldManager": "me", "force": "false", "dryRun": "All"}),
    ],
)
def test_apply_says_who_applies_and_how(
    server: FakeApiServer, api: Api, *, force: bool, dry_run: bool, query: dict[str, str]
) -> None:
    server.routes[f"PATCH {_PATH}"] = _POD
    api.apply(_PATH, _POD, manager="me", force=force, dry_run=dry_run)
    asked = server.asked[0]
    assert asked.query == query
    assert (asked.body, asked.headers["content-type"]) == (_POD, "application/apply-patch+yaml")


def test_merge_is_a_json_merge_patch(server: FakeApiServer, api: Api) -> None:
    server.routes[f"PATCH {_PATH}/status"] = _POD
    api.merge(f"{_PATH}/status", {"status": {"phase": "Running"}})
    asked = server.asked[0]
    assert asked.headers["content-type"] == "application/merge-patch+json"
    assert (asked.query, asked.body) == ({}, {"status": {"phase": "Running"}})


def test_delete_sends_options_and_takes_absence_for_success(server: FakeApiServer, api: Api) -> None:
    server.routes[f"DELETE {_PATH}"] = one_after_another(_POD, (404, _NOT_FOUND), (409, {"message": "another uid"}))
    api.delete(_PATH, {"propagationPolicy": "Foreground"})
    api.delete(_PATH)
    with pytest.raises(ApiError, match=r"^another uid$"):
        api.delete(_PATH)
    options = {"apiVersion": "v1", "kind": "DeleteOptions"}
    assert [asked.body for asked in server.asked] == [
        {**options, "propagationPolicy": "Foreground"},
        options,
        options,
    ]


def test_text_answers_are_text(server: FakeApiServer, api: Api) -> None:
    server.routes["GET /readyz"] = one_after_another((200, "ok"), (500, "[-]etcd not ready\n"))
    assert api.text("/readyz", {"verbose": ""}) == "ok"
    assert server.asked[0].headers["accept"] == "*/*"
    with pytest.raises(ApiError, match=r"^\[-\]etcd not ready$"):
        api.text("/readyz")


def test_a_server_that_is_gone_is_unreachable(server: FakeApiServer) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"https://127.0.0.1:{nobody.getsockname()[1]}"
        client = Api(replace(server.connection(), server=url))
        for call in (lambda: client.get("/version"), lambda: client.text("/version")):
            with pytest.raises(UnreachableError) as caught:
                call()
            assert str(caught.value).startswith(f"{url} does not answer: ")
            assert "Connection refused" in str(caught.value)
        client.close()


def test_a_server_of_another_authority_is_not_trusted(server: FakeApiServer) -> None:
    client = Api(replace(server.connection(), certificate_authority=None))
    with pytest.raises(UnreachableError, match="certificate verify failed"):
        client.get("/version")
    client.close()
    assert server.asked == []
