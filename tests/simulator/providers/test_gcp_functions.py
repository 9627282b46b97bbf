"""What a program asks of what is there, held against the SDK's own result types."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from simulator.providers.base import ProviderError
from simulator.providers.gcp.functions import GET_CLUSTER, GET_ENGINE_VERSIONS, GET_PROJECT, GET_SECRET, plural

if TYPE_CHECKING:
    from simulator.providers.values import Properties
    from tests.simulator.conftest import GcpWorld

_NAME: Final = "projects/acme/locations/us-west4/clusters/tpus"


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower().replace("_ipv4_", "_ipv4_")


def _parameters(type_: type) -> set[str]:
    return set(inspect.signature(type_).parameters)


def _unknown(properties: dict[str, Any], type_name: str | None, type_: type) -> list[str]:
    """Keys of an answer, at any depth, that the SDK's result type does not have."""
    outputs = importlib.import_module("pulumi_gcp.container.outputs")
    found = [f"{type_name}.{name}" for name in properties if _snake(name) not in _parameters(type_)]
    for name, value in properties.items():
        inner = f"{type_name or 'GetCluster'}{name[0].upper()}{_singular(name)[1:]}"
        items = cast("list[Any]", value) if isinstance(value, list) else []
        result = getattr(outputs, f"{inner}Result", None)
        for item in items:
            if isinstance(item, dict) and result is not None:
                found += _unknown(cast("dict[str, Any]", item), inner, result)
    return found


def _singular(name: str) -> str:
    return next(
        (stem for stem in (f"{name.removesuffix('ies')}y", name.removesuffix("s")) if plural(stem) == name), name
    )


def test_a_cluster_that_somebody_made_is_found(gcp: GcpWorld, slice_inputs: Properties) -> None:
    cluster = gcp.cluster(
        resourceLabels={"team": "ai"}, maintenancePolicy={"dailyMaintenanceWindow": {"startTime": "03:00"}}
    )
    gcp.up("gcp:container/nodePool:NodePool", "slice", slice_inputs)

    found = cast("dict[str, Any]", gcp.provider.invoke(GET_CLUSTER, {"name": "tpus", "location": "us-west4"}))

    assert found["id"] == _NAME
    assert found["endpoint"] == cluster.outputs["endpoint"]
    assert found["masterAuths"][0]["clusterCaCertificate"] == "Q0E="
    assert found["resourceLabels"] == {"goog-pulumi-provisioned": "true", "team": "ai"}
    assert found["maintenancePolicies"][0]["dailyMaintenanceWindows"][0]["startTime"] == "03:00"
    assert [pool["name"] for pool in found["nodePools"]] == ["slice"]
    assert found["nodePools"][0]["nodeConfigs"][0]["machineType"] == "ct5lp-hightpu-4t"
    assert found["nodePools"][0]["placementPolicies"] == [{"type": "COMPACT", "tpuTopology": "2x4"}]
    result = importlib.import_module("pulumi_gcp.container.get_cluster").GetClusterResult
    assert _unknown(found, None, result) == []


def test_node_pools_may_be_left_out(gcp: GcpWorld, slice_inputs: Properties) -> None:
    gcp.cluster()
    gcp.up("gcp:container/nodePool:NodePool", "slice", slice_inputs)
    asked: Properties = {"name": "tpus", "skipNodePoolRefresh": True, "project": None}
    assert gcp.provider.invoke(GET_CLUSTER, asked)["nodePools"] == []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": "other"}, "projects/acme/locations/us-west4/clusters/other not found"),
        ({"name": "tpus", "location": "us-east1"}, "projects/acme/locations/us-east1/clusters/tpus not found"),
        ({}, "name: required field is not set"),
        ({"name": "tpus", "zone": "z"}, "gcp:container/getCluster:getCluster has no argument zone"),
    ],
)
def test_what_is_not_there_is_told(gcp: GcpWorld, arguments: Properties, text: str) -> None:
    gcp.cluster()
    with pytest.raises(ProviderError) as caught:
        gcp.provider.invoke(GET_CLUSTER, arguments)
    assert str(caught.value) == f"invoking {GET_CLUSTER}: {text}"


def test_the_versions_of_a_location_are_listed_newest_first_in_the_form_of_the_sdk(gcp: GcpWorld) -> None:
    found = cast("dict[str, Any]", gcp.provider.invoke(GET_ENGINE_VERSIONS, {"location": "us-west4"}))
    result = importlib.import_module("pulumi_gcp.container.get_engine_versions").GetEngineVersionsResult
    assert {_snake(name) for name in found} == _parameters(result) - {"__self__"}
    assert found["validMasterVersions"] == ["1.36.4-gke.1247000", "1.36.4-gke.1082000"]
    assert found["releaseChannelDefaultVersion"]["RAPID"] == found["latestMasterVersion"] == "1.36.4-gke.1247000"


def test_a_project_has_a_number(gcp: GcpWorld) -> None:
    own = gcp.provider.invoke(GET_PROJECT, {})
    other = gcp.provider.invoke(GET_PROJECT, {"projectId": "other"})
    result = importlib.import_module("pulumi_gcp.organizations.get_project").GetProjectResult
    assert {_snake(name) for name in own} <= _parameters(result)
    assert (own["projectId"], other["id"]) == ("acme", "projects/other")
    assert own["number"] != other["number"]
    assert str(own["number"]).isdecimal()


def test_a_secret_is_found_without_its_value(gcp: GcpWorld) -> None:
    gcp.up("gcp:secretmanager/secret:Secret", "hf", {"secretId": "hf-token", "replication": {"auto": {}}})
    found = gcp.provider.invoke(GET_SECRET, {"secretId": "hf-token", "project": None})
    assert (found["id"], found["secretId"]) == ("projects/acme/secrets/hf-token", "hf-token")
    result = importlib.import_module("pulumi_gcp.secretmanager.get_secret").GetSecretResult
    assert [name for name in found if _snake(name) not in _parameters(result)] == []


def test_a_secret_that_nobody_made_is_told_as_google_does(gcp: GcpWorld) -> None:
    with pytest.raises(ProviderError) as caught:
        gcp.provider.invoke(GET_SECRET, {"secretId": "hf-token"})
    assert str(caught.value) == f"invoking {GET_SECRET}: projects/acme/secrets/hf-token not found"
