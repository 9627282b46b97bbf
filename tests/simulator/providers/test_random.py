"""The random provider: values that satisfy their recipe, stay the same, and are drawn anew for other inputs."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from simulator.providers.base import Change, Created, ProviderError, Request
from simulator.providers.random_passwords import RandomProvider
from simulator.providers.values import UNKNOWN, Properties

if TYPE_CHECKING:
    from tests.simulator.conftest import GcpWorld

PASSWORD = "random:index/randomPassword:RandomPassword"  # noqa: S105  a type, not a password


@pytest.fixture
def provider(gcp: GcpWorld) -> RandomProvider:
    """The provider as the engine configures it."""
    found = RandomProvider(gcp.engine)
    found.configure({"version": "4.21.4"})
    return found


def _target(token: str) -> Request:
    return Request(urn=f"urn:pulumi:dev::proj::{token}::res", type=token, name="res")


def _make(provider: RandomProvider, token: str, inputs: Properties, *, preview: bool = False) -> Created:
    checked = provider.check(replace(_target(token), new=inputs, seed=b"seed"))
    assert checked.failures == []
    return provider.create(replace(_target(token), new=checked.inputs, preview=preview))


def _text(created: Created) -> str:
    return cast("str", created.outputs["result"])


def test_a_password_has_its_length_and_its_classes(provider: RandomProvider) -> None:
    recipe: Properties = {"length": 32, "minLower": 5, "minNumeric": 4, "minUpper": 3, "minSpecial": 2}

    for _ in range(50):
        password = _text(_make(provider, PASSWORD, recipe))
        assert len(password) == 32
        assert sum(letter in string.ascii_lowercase for letter in password) >= 5
        assert sum(letter in string.digits for letter in password) >= 4
        assert sum(letter in string.ascii_uppercase for letter in password) >= 3
        assert sum(letter in "!@#$%&*()-_=+[]{}<>:?" for letter in password) >= 2


@pytest.mark.parametrize(
    ("inputs", "alphabet"),
    [
        ({"special": False}, string.ascii_letters + string.digits),
        ({"special": False, "upper": False, "lower": False}, string.digits),
        ({"upper": False, "lower": False, "numeric": False, "overrideSpecial": "_%"}, "_%"),
    ],
)
def test_only_the_named_classes_occur(provider: RandomProvider, inputs: Properties, alphabet: str) -> None:
    assert set(_text(_make(provider, PASSWORD, {"length": 200, **inputs}))) <= set(alphabet)


def test_values_differ_from_draw_to_draw(provider: RandomProvider) -> None:
    assert len({_text(_make(provider, PASSWORD, {"length": 16})) for _ in range(20)}) == 20


def test_a_preview_draws_nothing(provider: RandomProvider) -> None:
    preview = _make(provider, PASSWORD, {"length": 16}, preview=True)
    assert preview.id == ""
    assert preview.outputs["result"] is UNKNOWN
    assert preview.outputs["length"] == 16


def test_a_value_stays_over_refreshes_and_changes_with_its_inputs(provider: RandomProvider) -> None:
    inputs: Properties = {"length": 16, "keepers": {"cluster": "a"}}
    target, made = _target(PASSWORD), _make(provider, PASSWORD, inputs)
    recorded = provider.check(replace(target, new=inputs)).inputs

    found = provider.read(replace(target, id=made.id, old=recorded, outputs=made.outputs))
    assert found is not None
    assert (found.inputs, found.outputs) == (recorded, made.outputs)

    def changes(new: Properties, *ignored: str) -> dict[str, Change]:
        checked = provider.check(replace(target, old=recorded, new=new)).inputs
        difference = provider.diff(
            replace(target, id=made.id, old=recorded, outputs=made.outputs, new=checked, ignored=ignored)
        )
        assert not difference.delete_before_replace
        return difference.changes

    assert changes(inputs) == {}
    assert changes({**inputs, "keepers": {"cluster": "b"}}) == {"keepers.cluster": Change.UPDATE_REPLACE}
    assert changes({**inputs, "keepers": {"cluster": "b"}}, "keepers") == {}
    assert changes({**inputs, "length": 20}) == {"length": Change.UPDATE_REPLACE}
    assert changes({**inputs, "special": False}) == {"special": Change.UPDATE_REPLACE}
    assert changes({**inputs, "special": True}) == {}


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (
            {"length": 3, "minLower": 2, "minUpper": 2},
            "res: length 3 must be at least 1 and at least the sum 4 of the min_* values",
        ),
        (
            {"length": 3, "lower": False, "upper": False, "numeric": False, "special": False},
            "res: at least one of lower, numeric, special and upper must be true",
        ),
        ({"length": 0}, "res: length 0 must be at least 1 and at least the sum 0 of the min_* values"),
    ],
)
def test_impossible_passwords_are_refused(provider: RandomProvider, inputs: Properties, text: str) -> None:
    with pytest.raises(ProviderError) as caught:
        _make(provider, PASSWORD, inputs)
    assert str(caught.value) == text


def test_an_import_brings_its_value(provider: RandomProvider) -> None:
    found = provider.read(replace(_target(PASSWORD), id="hunter2!"))
    assert found is not None
    assert (found.id, found.outputs["result"], found.inputs["length"]) == ("none", "hunter2!", 8)


def test_what_is_not_modelled_is_refused(provider: RandomProvider) -> None:
    with pytest.raises(ProviderError, match="random has no configuration seed"):
        provider.configure({"seed": "1"})
    with pytest.raises(ProviderError, match=r"^stand-in provider: resource type random:index/randomId:RandomId"):
        provider.check(_target("random:index/randomId:RandomId"))
    (failure,) = provider.check(replace(_target(PASSWORD), new={"length": 8, "size": 3})).failures
    assert failure.property == "size"
