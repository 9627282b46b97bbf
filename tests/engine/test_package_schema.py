"""The schema of the package, as the real engine reads it from the plugin; every language is generated from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.golden import assert_golden
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.harness import Simulator

GOLDEN: Final = Path(__file__).parent / "golden" / "package-schema.yaml"


@pytest.fixture(scope="module")
def schema(simulator: Simulator) -> dict[str, Any]:
    """What `pulumi package get-schema` prints."""
    return json.loads(simulator.run("exec", "--", "pulumi", "package", "get-schema", str(ROOT / "package")).out)


def test_it_is_what_was_reviewed(schema: dict[str, Any]) -> None:
    assert_golden(GOLDEN, schema)


def test_every_component_input_output_and_type_is_described(schema: dict[str, Any]) -> None:
    described = dict(_described(schema))
    assert len(described) > 80
    assert [path for path, text in described.items() if not text.endswith(".")] == []


def _described(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Everything that a user meets, with its description; an empty one where there is none."""
    for name, resource in schema["resources"].items():
        yield name, resource.get("description", "")
        for part in ("inputProperties", "properties"):
            for key, spec in resource[part].items():
                yield f"{name}.{part}.{key}", spec.get("description", "")
    for name, kind in schema["types"].items():
        yield name, kind.get("description", "")
        for key, spec in kind["properties"].items():
            yield f"{name}.{key}", spec.get("description", "")
