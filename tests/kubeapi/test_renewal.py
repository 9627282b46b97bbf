"""A token that has expired is asked for anew, once, and the request is sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubeapi import Api, ApiError

if TYPE_CHECKING:
    from kubeapi import Connection
    from tests.kubeapi.server import Answer, Asked, FakeApiServer

_EXPIRED = (401, {"message": "Unauthorized"})


def for_the_new_token(asked: Asked) -> Answer:
    """The answer to one who has the token `new`."""
    return {"ok": True} if asked.headers.get("authorization") == "Bearer new" else _EXPIRED


def test_a_new_token_is_used_from_then_on(server: FakeApiServer) -> None:
    server.routes |= {"GET /thing": for_the_new_token, "POST /thing": for_the_new_token}
    renewed: list[str] = []

    def renew() -> Connection:
        renewed.append("new")
        return server.connection("new")

    api = Api(server.connection("old"), renew=renew)
    assert api.create("/thing", {"a": 1}) == {"ok": True}
    assert api.get("/thing") == {"ok": True}
    assert renewed == ["new"]
    assert [asked.body for asked in server.asked] == [{"a": 1}, {"a": 1}, None]
    api.close()


def test_a_new_token_that_is_refused_too_is_an_error(server: FakeApiServer) -> None:
    server.routes["GET /thing"] = _EXPIRED
    api = Api(server.connection("old"), renew=lambda: server.connection("also old"))
    with pytest.raises(ApiError, match="Unauthorized"):
        api.get("/thing")
    assert len(server.asked) == 2
    api.close()


def test_without_a_way_to_renew_the_refusal_stands(server: FakeApiServer) -> None:
    server.routes["GET /thing"] = _EXPIRED
    api = Api(server.connection("old"))
    with pytest.raises(ApiError, match="Unauthorized"):
        api.get("/thing")
    assert len(server.asked) == 1
    api.close()
