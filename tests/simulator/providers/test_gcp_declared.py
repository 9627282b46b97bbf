"""A whole platform's resources: made, read back and looked at again, nothing may seem to have changed.

`declared.yaml` has what a stack of every kind says of networks, clusters, node pools, storage and identity.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml

from simulator.providers.base import Change

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.providers.values import Properties
    from tests.simulator.conftest import GcpWorld, Resource

_DECLARED: Final = cast(
    "dict[str, dict[str, Any]]", yaml.safe_load((Path(__file__).parent / "declared.yaml").read_text())
)
_NO_ROTATION: Final = {"enabled": False}
_CLUSTERS: Final = ("std", "auto")


@pytest.fixture
def platform(gcp: GcpWorld) -> dict[str, Resource]:
    """Everything of the file, by name."""
    return {name: gcp.up(each["type"], name, each["inputs"]) for name, each in _DECLARED.items()}


def _ignored(name: str) -> tuple[str, ...]:
    """What a program ignores where the cloud has the last word: the default pool's settings, an autoscaled size."""
    return ("nodeConfig",) if name in _CLUSTERS else ("initialNodeCount", "nodeCount")


def test_nothing_seems_to_have_changed_right_after(gcp: GcpWorld, platform: dict[str, Resource]) -> None:
    found = {
        name: gcp.diff(each, _DECLARED[name]["inputs"], *_ignored(name)).changes for name, each in platform.items()
    }
    assert {name: changes for name, changes in found.items() if changes} == {}


def test_a_refresh_finds_everything_as_it_was(gcp: GcpWorld, platform: dict[str, Resource]) -> None:
    for name, resource in platform.items():
        before = (resource.inputs, resource.outputs)
        assert gcp.refresh(resource), name
        assert (resource.inputs, resource.outputs) == before, name


def _at(properties: Properties, path: str) -> dict[str, Any]:
    inner: Any = properties
    for key in path.split("."):
        inner = inner[int(key)] if key.isdecimal() else inner[key]
    return inner


_EDITS: Final[dict[str, tuple[str, Callable[[Properties], Any]]]] = {
    "maintenance exclusions": (
        "std",
        lambda given: _at(given, "maintenancePolicy").update(
            maintenanceExclusions=_at(given, "maintenancePolicy")["maintenanceExclusions"][:1]
        ),
    ),
    "authorised networks": (
        "std",
        lambda given: _at(given, "masterAuthorizedNetworksConfig.cidrBlocks.1").update(cidrBlock="192.168.4.0/22"),
    ),
    "limits of node auto-provisioning": (
        "std",
        lambda given: _at(given, "clusterAutoscaling.resourceLimits.0").update(maximum=200),
    ),
    "resource labels": ("std", lambda given: given.update(resourceLabels={"team": "ml"})),
    "a daily window": (
        "auto",
        lambda given: _at(given, "maintenancePolicy.dailyMaintenanceWindow").update(startTime="04:00"),
    ),
    "surge settings": ("surge", lambda given: _at(given, "upgradeSettings").update(maxSurge=1, maxUnavailable=0)),
    "labels of nodes": ("surge", lambda given: _at(given, "nodeConfig").update(labels={"a": "c"})),
    "blue-green settings": (
        "blue",
        lambda given: _at(given, "upgradeSettings.blueGreenSettings").update(nodePoolSoakDuration="900s"),
    ),
    "limits of a pool in all zones": ("blue", lambda given: _at(given, "autoscaling").update(totalMaxNodeCount=7)),
    "a lifecycle rule": ("b", lambda given: _at(given, "lifecycleRules.0.condition").update(age=60)),
    "capacity of a Lustre instance": ("lustre", lambda given: given.update(capacityGib="36000")),
    "size of a disk": ("disk", lambda given: given.update(size=300)),
    "an add-on": ("std", lambda given: _at(given, "addonsConfig.rayOperatorConfigs.0").update(enabled=False)),
    "rotation of secrets": ("std", lambda given: _at(given, "secretManagerConfig").update(rotationConfig=_NO_ROTATION)),
    "capacity": ("fs", lambda given: _at(given, "fileShares").update(capacityGb=2048)),
}


@pytest.mark.parametrize("edit", _EDITS)
def test_what_can_change_in_place_does_and_stays(gcp: GcpWorld, platform: dict[str, Resource], edit: str) -> None:
    name, change = _EDITS[edit]
    wanted = yaml.safe_load(yaml.safe_dump(_DECLARED[name]["inputs"]))
    change(wanted)
    resource, ignored = platform[name], _ignored(name)

    planned = gcp.diff(resource, wanted, *ignored).changes
    assert planned
    assert not any(one.replaces for one in planned.values())
    assert set(planned.values()) <= {Change.UPDATE, Change.ADD, Change.DELETE}

    gcp.change(resource, wanted, *ignored)
    assert gcp.diff(resource, wanted, *ignored).changes == {}
    before = (resource.inputs, resource.outputs)
    assert gcp.refresh(resource)
    assert (resource.inputs, resource.outputs) == before
