"""Manifests with the mistakes that tutorials make: each raises the rules that it must and no other, its twin none.

In `mistakes/`, one file per kind of platform. `resources` are registered beside both manifests of a pair,
`resources_wrong` and `resources_right` beside one of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from policies.objects.judging import Settings
from policies.objects.world import World
from policies.rules import judge
from tests.policies.cases import an_object

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER: Final = Path(__file__).parent / "mistakes"


def _pairs() -> Iterator[Any]:
    for file in sorted(_FOLDER.glob("*.yaml")):
        for pair in yaml.safe_load(file.read_text(encoding="utf-8")):
            yield pytest.param(pair, id=f"{file.stem}: {pair['name']}")


def _raised(pair: dict[str, Any], which: str) -> set[str]:
    """Rules that the manifests of one half raise."""
    documents = [{"manifest": each} for each in yaml.safe_load_all(pair[which]) if each is not None]
    beside = [*pair.get("resources", ()), *pair.get(f"resources_{which}", ())]
    world = World(an_object(each) for each in (*beside, *documents))
    return {finding.rule for finding in judge(world, Settings()).findings}


@pytest.mark.parametrize("pair", list(_pairs()))
def test_a_mistake_raises_its_rules_and_nothing_else(pair: dict[str, Any]) -> None:
    if pair.get("is_no_yaml"):
        with pytest.raises(yaml.YAMLError):
            list(yaml.safe_load_all(pair["wrong"]))
    else:
        assert _raised(pair, "wrong") == set(pair["raises"])
    assert _raised(pair, "right") == set()
