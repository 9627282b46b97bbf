"""Whatever a field holds, all rules together end in a verdict: the catalogue with odd values put into its resources."""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from components.model.facts import kinds
from policies.objects.judging import TYPES, Settings
from policies.objects.values import UNKNOWN, Value
from policies.objects.world import Object, World, cloud_object, manifest
from policies.rules import judge
from tests.policies.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES: Final = list(cases())
STRICT: Final = Settings(
    is_protected=True,
    has_public_access=False,
    has_default_identity=False,
    regions=("us-central1",),
    generations=("v6e",),
    billing_labels=("team",),
)
WORDS: Final = ("", "/", ":", "a/b", "-5", "1T", "0.0.0.0/0", "999.1.1.1/8", "ROUTES", "x" * 300, "²")
ODD: Final[tuple[Value, ...]] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("nan"),
    *WORDS,
    UNKNOWN,
    [],
    {},
    [UNKNOWN],
    [None],
    [[]],
    {"": ""},
)


def body_of(resource: dict[str, Any]) -> dict[str, Any]:
    return resource["manifest"] if "manifest" in resource else resource["properties"]


def an_object(resource: dict[str, Any]) -> Object | None:
    if "manifest" in resource:
        return manifest(resource["manifest"], origin="it")
    kind = kinds.of_type(resource["type"])
    assert kind is not None
    return cloud_object(kind, resource["properties"], origin="it")


def holders(value: object) -> Iterator[tuple[Any, Any]]:
    """Every mapping or list in a value with each of its keys."""
    held = cast("Any", value)
    keys = list(held) if isinstance(value, dict) else range(len(held)) if isinstance(value, list) else ()
    for key in keys:
        yield held, key
        yield from holders(held[key])


@pytest.mark.parametrize("seed", range(8))
def test_every_value_ends_in_a_verdict(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  not for secrets
    for _ in range(60):
        resources = copy.deepcopy(chance.choice(CASES).resources)
        for _ in range(chance.choice((1, 2, 3))):
            held, key = chance.choice(list(holders(body_of(chance.choice(resources)))))
            held[key] = copy.deepcopy(chance.choice(ODD))
        found = [each for each in map(an_object, resources) if each is not None]
        judge(World(found), STRICT)


@pytest.mark.parametrize("spec", ["none", {"nodeLabels": "v5e"}, {"nodeLabels": [1]}, {"nodeLabels": {"a": 1}}])
def test_a_flavor_of_odd_labels_is_told(spec: Value) -> None:
    flavor = manifest(
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "it"}, "spec": spec},
        origin="it",
    )
    assert flavor is not None
    assert TYPES.id in {each.rule for each in judge(World([flavor]), Settings()).findings}
