"""The stacks of the tutorials have the values that their pages promise, and a slice of other hosts has other limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml

from tests.program.harness import Run, run_program
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, a_platform, stack_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROMISED: Final[Mapping[str, Mapping[str, object]]] = yaml.safe_load(
    Path(__file__).with_name("tutorials.yaml").read_text(encoding="utf-8")
)


def _run(name: str, platform: object, project: str) -> Run:
    run = run_program(name, {"gcp:project": project, PLATFORM_KEY: json.dumps(platform)})
    assert run.exit_code is None, run.log
    return run


def projected(given: object, part: object) -> object:
    """A document without the keys and entries that a part of it leaves out; an absent key is None."""
    match given, part:
        case dict(), dict() if part:
            whole, keys = cast("dict[str, object]", given), cast("dict[str, object]", part)
            return {key: projected(whole.get(key), value) for key, value in keys.items()}
        case list(), list():
            pairs = zip(cast("list[object]", given), cast("list[object]", part), strict=False)
            return [projected(value, wanted) for value, wanted in pairs]
        case _:
            return given


@pytest.mark.parametrize("stack", _PROMISED)
def test_a_stack_has_the_values_of_its_page(stack: str) -> None:
    config: dict[str, Any] = yaml.safe_load(stack_file(stack))["config"]
    run = _run(stack, config[PLATFORM_KEY], config["gcp:project"])
    registered = {each.reference: each.inputs for each in run.resources}
    assert _PROMISED[stack].keys() <= registered.keys()
    assert {name: projected(registered[name], part) for name, part in _PROMISED[stack].items()} == _PROMISED[stack]


_PARTS: Final[Mapping[str, tuple[dict[str, Any], bool]]] = {
    "a part": ({"a": {"b": [{"c": 1}]}, "gone": None}, True),
    "another value": ({"a": {"b": [{"c": 2}]}}, False),
    "more entries": ({"a": {"b": [{"c": 1}, {}]}}, False),
    "a key that should be absent": ({"a": None}, False),
    "an empty mapping": ({"a": {}}, False),
}


@pytest.mark.parametrize("case", _PARTS)
def test_a_difference_is_found(case: str) -> None:
    part, is_in = _PARTS[case]
    assert (projected({"a": {"b": [{"c": 1}]}}, part) == part) is is_in


def test_a_4x4_slice_has_four_hosts_and_so_up_to_four_nodes() -> None:
    zone = "us-east5-b"
    slices = {"name": "v6e", "machine_type": "ct6e-standard-4t", "topology": "4x4", "zone": zone}
    stack = (
        a_platform()
        .set(tpu_slices=[{**slices, "capacity": "flex-start"}], flavors=[], queues=[], workloads=[])
        .set("cluster", location="us-east5")
        .set("node_pools", 0, zones=[zone])
    )
    pool = _run("test", stack.platform, GCP_PROJECT).one("NodePool", "v6e").inputs
    assert pool["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}
    assert pool["initialNodeCount"] == 0
