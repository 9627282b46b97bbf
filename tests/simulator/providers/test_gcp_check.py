"""What the gcp provider refuses before anything is planned, and what it fills in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from simulator.providers.base import Difference, ProviderError, Request
from simulator.providers.gcp import GcpProvider
from simulator.providers.values import UNKNOWN, Properties
from tests.golden import assert_golden

if TYPE_CHECKING:
    from tests.simulator.conftest import GcpWorld

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
REFUSALS: dict[str, tuple[str, Properties]] = {
    "a property that the simulator does not model": (
        NODE_POOL,
        {"cluster": "tpus", "nodeConfig": {"linuxNodeConfig": {"sysctls": {}}}},
    ),
    "a property that nobody has": (NODE_POOL, {"cluster": "tpus", "nodeConfig": {"machineTyp": "e2-medium"}}),
    "a missing property": (NODE_POOL, {}),
    "a missing property inside a list": (
        NODE_POOL,
        {"cluster": "tpus", "nodeConfig": {"taints": [{"key": "a", "value": "b"}]}},
    ),
    "a text where a number belongs": (NODE_POOL, {"cluster": "tpus", "nodeCount": "two"}),
    "a list where an object belongs": (NODE_POOL, {"cluster": "tpus", "autoscaling": []}),
    "a text where a list belongs": (NODE_POOL, {"cluster": "tpus", "nodeLocations": "us-west4-a"}),
    "a value outside the choices": (NODE_POOL, {"cluster": "tpus", "upgradeSettings": {"strategy": "FAST"}}),
    "a property that the cloud decides": (CLUSTER, {"privateClusterConfig": {"peeringName": "mine"}}),
    "what Autopilot excludes": (CLUSTER, {"enableAutopilot": True, "removeDefaultNodePool": True}),
    "what Autopilot excludes, where it is said to be off": (
        CLUSTER,
        {"enableAutopilot": False, "clusterAutoscaling": {"resourceLimits": []}},
    ),
    "a value that exists and is not modelled": (CLUSTER, {"networkingMode": "ROUTES"}),
    "a value that nobody has, where not all are modelled": (CLUSTER, {"networkingMode": "ROUTE"}),
    "an account id that is none": ("gcp:serviceaccount/account:Account", {"accountId": "A"}),
}


def test_every_refusal_names_its_property(gcp: GcpWorld) -> None:
    found: dict[str, str] = {}
    for case, (token, inputs) in REFUSALS.items():
        (failure,) = gcp.provider.check(replace(gcp.target(token, "res"), new=inputs, seed=b"seed")).failures
        found[case] = f"{failure.property}: {failure.reason}".replace(GcpProvider.version, "VERSION")
    assert_golden(Path(__file__).parent / "check_refusals.yaml", found)


def test_every_failure_is_reported_at_once(gcp: GcpWorld) -> None:
    checked = gcp.provider.check(replace(gcp.target(NODE_POOL, "res"), new={"nodeCount": "x", "enableTpu": True}))

    assert sorted(failure.property for failure in checked.failures) == ["cluster", "enableTpu", "nodeCount"]


def test_defaults_are_filled_in_and_named(gcp: GcpWorld) -> None:
    inputs = gcp.checked(NODE_POOL, "pool", {"name": "a", "cluster": "tpus", "management": {"autoRepair": False}})

    assert inputs == {
        "name": "a",
        "cluster": "tpus",
        "deletionPolicy": "DELETE",
        "management": {"autoRepair": False, "autoUpgrade": True, "__defaults": ["autoUpgrade"]},
        "__defaults": ["deletionPolicy"],
    }


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ({}, True),
        ({"enableAutopilot": True}, False),
        ({"enableAutopilot": False}, False),
        ({"enableAutopilot": UNKNOWN}, True),
    ],
)
def test_a_default_is_left_out_beside_what_excludes_it(gcp: GcpWorld, given: Properties, *, filled: bool) -> None:
    inputs = gcp.checked(CLUSTER, "tpus", {"name": "tpus", **given})

    assert ("enableShieldedNodes" in inputs) is filled
    assert ("enableShieldedNodes" in cast("list[str]", inputs["__defaults"])) is filled


def test_a_default_that_was_left_out_is_no_change(gcp: GcpWorld) -> None:
    inputs: Properties = {"name": "tpus", "enableAutopilot": True, "deletionProtection": False}
    cluster = gcp.up(CLUSTER, "tpus", inputs)

    assert cluster.outputs["enableShieldedNodes"] is True
    assert gcp.diff(cluster, inputs) == Difference()
    assert gcp.refresh(cluster)
    assert gcp.diff(cluster, inputs) == Difference()


def test_a_name_that_was_given_and_is_not_any_more_stays(gcp: GcpWorld) -> None:
    old = gcp.checked(NODE_POOL, "pool", {"name": "mine", "cluster": "tpus"})

    inputs = gcp.checked(NODE_POOL, "pool", {"cluster": "tpus"}, old)

    assert (inputs["name"], inputs["__defaults"]) == ("mine", ["deletionPolicy", "name"])


def test_a_missing_name_is_generated_once(gcp: GcpWorld) -> None:
    target = gcp.target(NODE_POOL, "Pool")
    first = gcp.provider.check(replace(target, new={"cluster": "tpus"}, seed=b"seed")).inputs

    later = gcp.provider.check(replace(target, old=first, new={"cluster": "tpus"}, seed=b"another seed")).inputs
    replaced = gcp.provider.check(replace(target, new={"cluster": "tpus"}, seed=b"another seed")).inputs

    name = first["name"]
    assert isinstance(name, str)
    assert (name.startswith("pool-"), len(name)) == (True, len("pool-") + 7)
    assert first["__defaults"] == ["deletionPolicy", "name"]
    assert later == first
    assert replaced["name"] != name
    assert gcp.provider.check(replace(target, new={"cluster": "tpus"}, seed=b"seed")).inputs == first


def test_a_generated_name_that_is_too_long_is_refused(gcp: GcpWorld) -> None:
    checked = gcp.provider.check(replace(gcp.target(NODE_POOL, "a" * 40), new={"cluster": "tpus"}, seed=b"seed"))

    (failure,) = checked.failures
    assert failure.property == "name"
    assert failure.reason.endswith(": has 48 characters, at most 40.")


def test_values_are_converted_as_the_real_provider_does(gcp: GcpWorld) -> None:
    given: Properties = {
        "name": "pool",
        "cluster": "tpus",
        "nodeCount": "2",
        "management": {"autoRepair": "false", "autoUpgrade": True},
        "nodeConfig": {"labels": {"gpu": False, "rank": 3}},
    }
    inputs = gcp.checked(NODE_POOL, "pool", given)

    assert inputs["nodeCount"] == 2
    assert inputs["management"] == {"autoRepair": False, "autoUpgrade": True, "__defaults": []}
    assert inputs["nodeConfig"] == {
        "labels": {"gpu": "false", "rank": "3"},
        "preemptible": False,
        "spot": False,
        "__defaults": ["preemptible", "spot"],
    }


def test_unknown_values_pass(gcp: GcpWorld) -> None:
    given: Properties = {"cluster": UNKNOWN, "nodeConfig": {"taints": [UNKNOWN], "serviceAccount": UNKNOWN}}

    assert gcp.checked(NODE_POOL, "pool", given)["cluster"] is UNKNOWN


def test_configuration_that_is_not_modelled_is_refused(gcp: GcpWorld) -> None:
    with pytest.raises(ProviderError) as caught:
        gcp.provider.configure({"project": "acme", "credentials": "x", "version": "10.2.0"})

    assert str(caught.value) == (
        "stand-in provider: gcp has configuration credentials that the simulator does not model; it models project, "
        "region, zone. It refuses rather than ignores; see simulator/__init__.py."
    )


def test_a_type_that_is_not_modelled_is_refused(gcp: GcpWorld) -> None:
    target = Request(urn="urn:pulumi:a::b::gcp:compute/image:Image::c", type="gcp:compute/image:Image", name="c")

    with pytest.raises(
        ProviderError, match=r"^stand-in provider: resource type gcp:compute/image:Image is not modelled"
    ):
        gcp.provider.check(target)


def test_functions_that_are_not_modelled_are_refused(gcp: GcpWorld) -> None:
    with pytest.raises(ProviderError) as caught:
        gcp.provider.invoke("gcp:compute/getZones:getZones", {})

    assert str(caught.value) == (
        "stand-in provider: function gcp:compute/getZones:getZones is not modelled by the simulator; it models "
        "gcp:container/getCluster:getCluster, gcp:container/getEngineVersions:getEngineVersions, "
        "gcp:organizations/getProject:getProject, gcp:secretmanager/getSecret:getSecret. It refuses rather than "
        "ignores; see simulator/__init__.py."
    )
