"""What a terminal shows of a preview: kinds, what changes of what exists, and the answers last."""

from __future__ import annotations

from typing import Any

import pytest

from policies.report.contents import brief
from tests.policies.report.stream import Resources, error, report, resources, steps, stream
from tests.stacks import Stack, a_platform

PLATFORM = a_platform()


@pytest.fixture(scope="module")
def before() -> Resources:
    return resources(PLATFORM)


def _shown(before: Resources, after: Stack, *others: dict[str, Any], result: str = "succeeded") -> list[str]:
    return brief(report(stream(steps(before, resources(after)), *others, result=result))).splitlines()


def _warning(text: str) -> dict[str, Any]:
    return {"diagnosticEvent": {"message": f"{text}\n", "severity": "warning"}}


def test_a_new_stack_is_summed_up_by_kind_with_chips_and_cost() -> None:
    first, *_, passes, counted, ends, chips, quota, cost = _shown({}, PLATFORM)
    assert first.startswith("create: ")
    assert {"1 Cluster", "1 ClusterQueue", "3 NodePool", "1 JobSet"} <= {*first.removeprefix("create: ").split(", ")}
    assert passes == "Passes."
    assert counted.startswith("Resources: ")
    assert ends.startswith("Ends: ")
    assert chips == "Chips: v5e on-demand none → 16 (2 slices)."
    assert quota.startswith("Quota: research v5e-2x4 none → 16")
    assert cost.startswith("Cost: 0.00 USD → ")
    assert not any("train" in line for line in (first, passes)), "what is created is counted, not named"


def test_what_exists_is_named_with_the_properties_that_change(before: Resources) -> None:
    lines = _shown(before, PLATFORM.set("tpu_slices", 0, topology="4x4").set("flavors", 0, topology="4x4"))
    replaced = [line for line in lines if line.startswith("  NodePool ")]
    assert replaced
    assert all(": " in line and "placementPolicy" in line for line in replaced if "v5e" in line)


def test_nothing_changes_is_said_alone(before: Resources) -> None:
    assert _shown(before, PLATFORM)[0] == "Passes: nothing changes."


def test_what_the_program_warns_of_comes_first_and_each_once(before: Resources) -> None:
    lines = _shown(before, PLATFORM, _warning("a Secret is missing"), _warning("a Secret is missing"))
    assert lines[:3] == ["warning: a Secret is missing", "", "Passes: nothing changes."]


def test_a_preview_that_fails_promises_nothing() -> None:
    lines = brief(report(stream([], error("the file is wrong"), result="failed"))).splitlines()
    assert lines[0] == "Does not pass: the preview failed before policies could check it."
    assert "Cost: unknown." in lines
