"""A token that has expired is asked for anew, once, and the request is sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.kubeapi import Api, ApiError, Connection

if TYPE_CHECKING:
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


@pytest.mark.parametrize(("can_renew", "requests"), [(True, 2), (False, 1)])
def test_a_refusal_stands_without_a_token_that_is_better(
    server: FakeApiServer, *, can_renew: bool, requests: int
) -> None:
    server.routes["GET /thing"] = _EXPIRED
    api = Api(server.connection("old"), renew=(lambda: server.connection("also old")) if can_renew else None)
    with pytest.raises(ApiError, match="Unauthorized"):
        api.get("/thing")
    assert len(server.asked) == requests
    api.close()
