"""Secrets of a program, as the engine marks them: sound where a chart makes a Secret of them, in clear elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from policies.names import DECIDED
from tests.policies.asking import UNKNOWN_TEXT, Asked, Registered

if TYPE_CHECKING:
    from collections.abc import Callable

_RULE: Final = "secret-is-not-in-clear"
_POD: Final = "kubernetes:core/v1:Pod"
_MAP: Final = "kubernetes:core/v1:ConfigMap"
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"


def _secret(value: object) -> dict[str, object]:
    """A value that the engine keeps encrypted, as it travels."""
    return {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": value}


def _release(values: object) -> Registered:
    return Registered(_RELEASE, "redis", {"chart": "./charts/redis", "name": "redis", "values": values})


def _map(value: object) -> Registered:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "db"}, "data": {"password": value}}
    return Registered(_MAP, "db", body)


def _pod(value: object) -> Registered:
    container = {"name": "main", "image": "ml/serve:1.0", "env": [{"name": "HF_TOKEN", "value": value}]}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "serve"}, "spec": {"containers": [container]}}
    return Registered(_POD, "serve", body)


def _undecided(each: Registered) -> str:
    return "".join(said.text for said in Asked().first_preview([each]) if said.policy == DECIDED)


@pytest.mark.parametrize(
    "values",
    [
        {"auth": {"password": _secret("hunter2")}},
        {"auth": {"password": _secret(UNKNOWN_TEXT)}},
        {"auth": _secret({"password": "hunter2"})},
        _secret({"auth": {"password": "hunter2"}}),
    ],
    ids=["known", "not known yet", "the part above it", "all values"],
)
def test_a_secret_that_a_chart_is_given_is_not_in_clear(values: object) -> None:
    assert Asked().resource(_release(values)) == []
    assert _RULE not in _undecided(_release(values))


def test_what_a_chart_is_given_in_clear_is_found_beside_a_secret() -> None:
    [said] = Asked().resource(_release({"auth": {"password": "hunter2", "token": _secret("x")}}))
    assert said.policy == _RULE
    assert "values.auth.password: it holds a secret" in said.text


def test_what_is_not_known_yet_and_no_secret_is_not_said_to_be_kept() -> None:
    assert _RULE in _undecided(_release({"auth": {"password": UNKNOWN_TEXT}}))


@pytest.mark.parametrize("make", [_map, _pod])
def test_a_secret_in_a_pod_or_a_map_is_in_clear_there_and_not_shown(make: Callable[[object], Registered]) -> None:
    [said] = Asked().resource(make(_secret("hunter2")))
    assert said.policy == _RULE
    assert "hunter2" not in said.text


@pytest.mark.parametrize("make", [_map, _pod])
def test_a_secret_that_is_not_known_yet_is_not_judged_in_a_pod_or_a_map(make: Callable[[object], Registered]) -> None:
    assert _RULE in _undecided(make(_secret(UNKNOWN_TEXT)))
