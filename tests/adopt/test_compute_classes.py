"""ComputeClasses of a platform that runs: the section of the stack file, and what is left out of it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.adopt.listed import Item, adopted, cluster, errors, network, of, platform, pool, slice_pool, told

_LABEL: Final = "cloud.google.com/compute-class"
_GROWS: Final[Item] = {"autoscaling": {"enabled": True, "maxNodeCount": 2, "locationPolicy": "ANY"}}
_TPU: Final = {"type": "tpu-v5-lite-podslice", "count": 4, "topology": "2x4"}
_T4: Final = {"type": "nvidia-tesla-t4", "count": 1}


def _own(name: str) -> Item:
    """What nodes of a class have."""
    return {"labels": {_LABEL: name}, "taints": [{"key": _LABEL, "value": name, "effect": "NO_SCHEDULE"}]}


def _class(*priorities: Item, **spec: object) -> Item:
    stated = {"priorities": list(priorities), "whenUnsatisfiable": "DoNotScaleUp", **spec}
    return of("ComputeClass", "cloud.google.com/v1", "any", spec=stated)


def _slices(number: int) -> Item:
    found = slice_pool(f"v5e{number}", **_GROWS)
    return {**found, "config": {**found["config"], **_own("any")}}


_BASE: Final = (cluster(), pool("system"), *network(), _slices(1), _slices(2))
_MADE: Final = {"nodePoolAutoCreation": {"enabled": True}}


def test_a_chain_of_declared_pools_and_machines() -> None:
    found = adopted(
        *_BASE,
        _class(
            {"nodepools": ["v5e1", "v5e2"]},
            {"tpu": _TPU, "spot": True, "location": {"zones": ["us-west4-a"]}},
            {"tpu": _TPU, "reservations": {"affinity": "Specific", "specific": [{"name": "mine"}]}, "spot": False},
            {"machineFamily": "n1", "gpu": _T4, "flexStart": {"enabled": True}, "maxRunDurationSeconds": 3600},
            **_MADE,
            activeMigration={"optimizeRulePriority": False},
        ),
    )
    assert errors(found) == []
    assert not any("ComputeClass" in each or "v5e" in each for each in told(found))
    slices = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
    assert platform(found)["compute_classes"] == [
        {
            "name": "any",
            "priorities": [
                {"node_pools": ["v5e"]},
                {**slices, "capacity": "spot", "zones": ["us-west4-a"]},
                {**slices, "capacity": "reservation", "reservation": {"name": "mine"}},
                {"machine_family": "n1", "gpu": _T4, "capacity": "flex-start", "max_run_seconds": 3600},
            ],
        }
    ]
    assert "labels" not in platform(found)["tpu_slices"][0]


def test_what_happens_at_the_end_of_the_chain_is_kept() -> None:
    moves = {"activeMigration": {"optimizeRulePriority": True}, "whenUnsatisfiable": "ScaleUpAnyway"}
    found = adopted(*_BASE[:4], _class({"machineType": "n2-standard-8"}, **_MADE, **moves))
    (of_class,) = platform(found)["compute_classes"]
    assert (of_class["when_unsatisfiable"], of_class["active_migration"]) == ("ScaleUpAnyway", True)


@pytest.mark.parametrize(
    ("priority", "spec", "says"),
    [
        ({"nodepools": ["v5e1"]}, {}, "its node pools v5e1 are not whole entries of the stack file"),
        ({"nodepools": ["gone"]}, {}, "its node pools gone are not whole entries of the stack file"),
        ({"machineFamily": "n2", "minCores": 8}, {}, "it states minCores, which a stack file does not state"),
        ({"machineFamily": "n2"}, {"description": "cheap"}, "it states description, which a stack file does not state"),
        ({"spot": True}, {}, "a priority states neither a machine type nor a machine series"),
        (
            {"tpu": {**_TPU, "count": 3}},
            {},
            "no machine type makes 2x4 slices of tpu-v5-lite-podslice with 3 chips a node",
        ),
        (
            {"machineFamily": "n2", "reservations": {"affinity": "AnyBestEffort"}},
            {},
            "a priority takes other reservations than one that it names",
        ),
    ],
)
def test_a_class_that_no_stack_file_can_state_is_left_out(priority: Item, spec: dict[str, Any], says: str) -> None:
    found = adopted(*_BASE, _class(priority, **spec))
    assert any(each.startswith(f"ComputeClass any: {says}") for each in told(found))
    assert "compute_classes" not in platform(found)
