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
    return json.loads(
        simulator.run("exec", "--", "pulumi", "package", "get-schema", str(ROOT / "components" / "package")).out
    )


def test_it_is_what_was_reviewed(schema: dict[str, Any]) -> None:
    """Names and types: the descriptions are reviewed where the inputs are declared."""
    resources = {
        name: {
            "inputs": _shown(resource["inputProperties"], resource.get("requiredInputs", [])),
            "outputs": _shown(resource["properties"], resource.get("required", [])),
        }
        for name, resource in schema["resources"].items()
    }
    types = {name: _shown(kind["properties"], kind.get("required", [])) for name, kind in schema["types"].items()}
    assert_golden(GOLDEN, {**schema, "resources": resources, "types": types})


def test_every_component_input_output_and_type_is_described(schema: dict[str, Any]) -> None:
    described = dict(_described(schema))
    assert len(described) > 80
    assert [path for path, text in described.items() if not text.endswith(".")] == []


def _shown(properties: dict[str, Any], required: list[str]) -> dict[str, str]:
    """Each property with its type, and with `?` where it may be left out."""
    return {name if name in required else f"{name}?": _type(spec) for name, spec in properties.items()}


def _type(spec: dict[str, Any]) -> str:
    """A type as Pulumi's: `[T]` of a list, `{T}` of a map, `plain T` where no output is taken."""
    if "items" in spec:
        shown = f"[{_type(spec['items'])}]"
    elif "additionalProperties" in spec:
        shown = f"{{{_type(spec['additionalProperties'])}}}"
    else:
        shown = spec.get("$ref", spec.get("type", "")).rpartition(":")[2]
    return f"plain {shown}" if spec.get("plain") else shown


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
