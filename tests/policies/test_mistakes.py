"""Manifests with the mistakes that tutorials make: each raises the rules that it must and no other, its twin none.

In `mistakes/`, one file per kind of platform. `right` has the resources of the twin, and `wrong` changes them as a case
of the catalogue changes the world of its file (`cases.py`). `objects` are what several mistakes of the file share.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from policies.objects.judging import Settings
from policies.objects.world import World
from policies.rules import judge
from tests.policies.cases import an_object, resources_of, world_of
from tests.policies.patches import read, shared, spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDER: Final = Path(__file__).parent / "mistakes"


def _pairs() -> Iterator[Any]:
    for file in sorted(_FOLDER.glob("*.yaml")):
        document = read(file)
        objects = spelled_out(document.get("objects", {}), shared())
        for pair in document["mistakes"]:
            right = world_of({"world": pair["right"]}, objects)
            wrong = resources_of(pair["wrong"], right, objects)
            yield pytest.param(wrong, list(right.values()), pair["raises"], id=f"{file.stem}: {pair['name']}")


def _raised(resources: Iterable[dict[str, Any]]) -> set[str]:
    return {finding.rule for finding in judge(World(map(an_object, resources)), Settings()).findings}


@pytest.mark.parametrize(("wrong", "right", "raises"), list(_pairs()))
def test_a_mistake_raises_its_rules_and_nothing_else(
    wrong: list[dict[str, Any]], right: list[dict[str, Any]], raises: list[str]
) -> None:
    assert _raised(wrong) == set(raises)
    assert _raised(right) == set()
