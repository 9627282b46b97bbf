"""A whole platform's resources: made, read back, imported and changed, nothing else may seem to have changed.

`declared.yaml` has what a stack of every kind says of networks, clusters, node pools, storage and identity.
"""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml

from simulator.providers.base import Change, ProviderError

if TYPE_CHECKING:
    from tests.simulator.conftest import GcpWorld, Resource

_DECLARED: Final = cast(
    "dict[str, dict[str, Any]]", yaml.safe_load((Path(__file__).parent / "declared.yaml").read_text())
)
_CLUSTERS: Final = ("std", "auto")
_NOT_IN_THE_API: Final = {
    "deletionPolicy",
    "deletionProtection",
    "forceDestroy",
    "minMasterVersion",
    "removeDefaultNodePool",
    "resourceLabels",
    "labels",
}
"""What an import cannot know: settings of the provider itself, and which labels are the program's."""


@pytest.fixture
def platform(gcp: GcpWorld) -> dict[str, Resource]:
    """Everything of the file, by name."""
    gcp.provider.configure({"project": "acme", "region": "us-central1"})
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


def test_an_import_by_any_form_of_id_needs_no_change(gcp: GcpWorld, platform: dict[str, Resource]) -> None:
    with_ids = {name: each["ids"] for name, each in _DECLARED.items() if "ids" in each}
    assert {_DECLARED[name]["type"] for name in with_ids} == {each["type"] for each in _DECLARED.values()}
    for name, ids in with_ids.items():
        made = platform[name]
        assert made.id == ids[0]
        for id_ in ids:
            found = gcp.provider.read(replace(made.target, id=id_))
            assert found is not None, id_
            assert found.id == made.id
            imported = dataclasses.replace(made, inputs=found.inputs, outputs=found.outputs)
            stated = {key: value for key, value in found.inputs.items() if key != "__defaults"}
            assert gcp.diff(imported, stated).changes == {}, id_
            changes = gcp.diff(imported, _DECLARED[name]["inputs"], *_ignored(name)).changes
            assert {path.partition(".")[0] for path in changes} <= _NOT_IN_THE_API, id_


def test_what_is_not_there_is_not_imported(gcp: GcpWorld) -> None:
    assert gcp.provider.read(replace(gcp.target("gcp:compute/network:Network", "vpc"), id="nowhere")) is None


def test_another_form_of_id_is_refused(gcp: GcpWorld) -> None:
    with pytest.raises(ProviderError) as caught:
        gcp.provider.read(replace(gcp.target("gcp:container/cluster:Cluster", "cluster"), id="tpus"))

    assert str(caught.value) == (
        'Import id "tpus" doesn\'t match any of the accepted formats: '
        "[projects/{{project}}/locations/{{location}}/clusters/{{name}}, {{project}}/{{location}}/{{name}}, "
        "{{location}}/{{name}}]"
    )


_EDITS: Final[dict[str, tuple[str, str, Any]]] = {
    "maintenance exclusions": ("std", "maintenancePolicy.maintenanceExclusions.1", None),
    "authorized networks": ("std", "masterAuthorizedNetworksConfig.cidrBlocks.1.cidrBlock", "192.168.4.0/22"),
    "limits of node auto-provisioning": ("std", "clusterAutoscaling.resourceLimits.0.maximum", 200),
    "resource labels": ("std", "resourceLabels", {"team": "ml"}),
    "an add-on": ("std", "addonsConfig.rayOperatorConfigs.0.enabled", False),
    "rotation of secrets": ("std", "secretManagerConfig.rotationConfig", {"enabled": False}),
    "a daily window": ("auto", "maintenancePolicy.dailyMaintenanceWindow.startTime", "04:00"),
    "surge settings": ("surge", "upgradeSettings.maxUnavailable", 0),
    "labels of nodes": ("surge", "nodeConfig.labels", {"a": "c"}),
    "blue-green settings": ("blue", "upgradeSettings.blueGreenSettings.nodePoolSoakDuration", "900s"),
    "limits of a pool in all zones": ("blue", "autoscaling.totalMaxNodeCount", 7),
    "a lifecycle rule": ("b", "lifecycleRules.0.condition.age", 60),
    "capacity of a Lustre instance": ("lustre", "capacityGib", "36000"),
    "size of a disk": ("disk", "size", 300),
    "capacity of a Filestore instance": ("fs", "fileShares.capacityGb", 2048),
}
"""The resource, the path of a property, and its new value; None removes an item of a list."""


def _edited(name: str, path: str, value: object) -> dict[str, Any]:
    """The inputs of a resource after an edit."""
    wanted = copy.deepcopy(_DECLARED[name]["inputs"])
    *parents, last = (int(key) if key.isdecimal() else key for key in path.split("."))
    inner: Any = wanted
    for key in parents:
        inner = inner[key]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return wanted


@pytest.mark.parametrize("edit", _EDITS)
def test_what_can_change_in_place_does_and_stays(gcp: GcpWorld, platform: dict[str, Resource], edit: str) -> None:
    name, *change = _EDITS[edit]
    wanted, resource, ignored = _edited(name, *change), platform[name], _ignored(name)

    planned = gcp.diff(resource, wanted, *ignored).changes
    assert planned
    assert set(planned.values()) <= {Change.UPDATE, Change.ADD, Change.DELETE}

    gcp.change(resource, wanted, *ignored)
    assert gcp.diff(resource, wanted, *ignored).changes == {}
    before = (resource.inputs, resource.outputs)
    assert gcp.refresh(resource)
    assert (resource.inputs, resource.outputs) == before
