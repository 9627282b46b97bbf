"""Resources from creation to deletion: previews, updates, refreshes, failures on the way."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from simulator.cloud.api import Kind
from simulator.providers.base import Change, PartlyCreatedError, ProviderError
from simulator.providers.gcp import calls
from simulator.providers.values import UNKNOWN, Properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator.conftest import GcpWorld, Resource

NODE_POOL = "gcp:container/nodePool:NodePool"
NAME = "projects/acme/locations/us-west4/clusters/tpus"


def _failure(call: Callable[[], object]) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        call()
    return caught.value


def test_a_cluster_as_a_platform_declares_it(gcp: GcpWorld) -> None:
    cluster = gcp.cluster(
        releaseChannel={"channel": "RAPID"},
        privateClusterConfig={"enablePrivateNodes": True, "masterIpv4CidrBlock": "172.16.0.0/28"},
        masterAuthorizedNetworksConfig={"cidrBlocks": [{"cidrBlock": "10.0.0.0/8", "displayName": "vpc"}]},
        workloadIdentityConfig={"workloadPool": "acme.svc.id.goog"},
        addonsConfig={"gcpFilestoreCsiDriverConfig": {"enabled": True}},
        resourceLabels={"team": "ai"},
    )

    assert cluster.id == NAME
    expected: Properties = {
        "endpoint": "127.0.0.1:16443",
        "masterVersion": "1.36.4-gke.1247000",
        "selfLink": f"https://container.googleapis.com/v1/{NAME}",
        "servicesIpv4Cidr": "34.118.224.0/20",
        "project": "acme",
        "location": "us-west4",
        "network": "projects/acme/global/networks/default",
        "effectiveLabels": {"goog-pulumi-provisioned": "true", "team": "ai"},
        "resourceLabels": {"team": "ai"},
        "operation": "",
    }
    assert {key: cluster.outputs[key] for key in expected} == expected
    assert cast("dict[str, Any]", cluster.outputs["masterAuth"])["clusterCaCertificate"] == "Q0E="
    assert gcp.world.cloud.list(Kind.NODE_POOL) == []
    assert gcp.diff(cluster, {key: value for key, value in cluster.inputs.items() if key != "__defaults"}).changes == {}


def test_settings_of_the_default_pool_stay_with_the_cluster(gcp: GcpWorld) -> None:
    cluster = gcp.cluster(nodeConfig={"machineType": "e2-small", "oauthScopes": ["cloud-platform"]})
    before = (cluster.inputs, cluster.outputs)

    assert gcp.refresh(cluster)
    assert (cluster.inputs, cluster.outputs) == before
    stated = {key: value for key, value in cluster.inputs.items() if key != "__defaults"}
    assert gcp.diff(cluster, stated).changes == {}
    assert gcp.diff(cluster, {**stated, "nodeConfig": {"machineType": "e2-small", "spot": True}}).changes == {
        "nodeConfig.spot": Change.UPDATE_REPLACE
    }


def test_a_preview_knows_what_the_program_says_and_no_more(gcp: GcpWorld, slice_inputs: Properties) -> None:
    inputs = gcp.checked(NODE_POOL, "slice", slice_inputs | {"cluster": UNKNOWN})

    created = gcp.provider.create(replace(gcp.target(NODE_POOL, "slice"), new=inputs, preview=True))

    assert created.id == ""
    known = {"name", "nodeCount", "nodeLocations", "placementPolicy", "project", "location", "deletionPolicy"}
    assert {key for key in created.outputs if created.outputs[key] is not UNKNOWN} == {*known, "nodeConfig"}
    config = cast("dict[str, Any]", created.outputs["nodeConfig"])
    assert (config["machineType"], config["spot"], config["diskType"]) == ("ct5lp-hightpu-4t", False, UNKNOWN)
    assert gcp.world.cloud.list(Kind.NODE_POOL) == []


def test_an_update_preview_keeps_what_does_not_change(gcp: GcpWorld) -> None:
    cluster = gcp.cluster()

    planned = gcp.change(cluster, {**cluster.inputs, "resourceLabels": {"team": "b"}}, preview=True)

    assert planned["endpoint"] == cluster.outputs["endpoint"]
    assert planned["masterAuth"] == cluster.outputs["masterAuth"]
    assert planned["effectiveLabels"] == {"goog-pulumi-provisioned": "true", "team": "b"}
    assert gcp.world.cloud.get(NAME)["resourceLabels"] == {"goog-pulumi-provisioned": "true"}


def test_settings_and_size_change_in_place(gcp: GcpWorld) -> None:
    gcp.cluster()
    inputs: Properties = {"name": "pool", "cluster": "tpus", "nodeCount": 1, "nodeLocations": ["us-west4-a"]}
    pool = gcp.up(NODE_POOL, "pool", inputs)
    config: Properties = {"labels": {"a": "b"}, "taints": [{"key": "k", "value": "v", "effect": "NO_EXECUTE"}]}

    gcp.change(pool, {**inputs, "nodeCount": 3, "nodeConfig": config, "autoscaling": {"maxNodeCount": 5}})

    body = gcp.world.cloud.get(pool.id)
    assert body["autoscaling"] == {"enabled": True, "maxNodeCount": 5}
    nodes = gcp.world.pool_nodes("pool")
    assert [node["metadata"]["labels"]["a"] for node in nodes] == ["b", "b", "b"]
    assert pool.outputs["nodeCount"] == 3
    gcp.change(pool, {**inputs, "nodeCount": 3, "nodeConfig": {"labels": {"a": "b"}}})
    assert "autoscaling" not in gcp.world.cloud.get(pool.id)
    assert pool.outputs.get("autoscaling") is None
    assert gcp.world.pool_nodes("pool")[0]["spec"]["taints"] == []


def test_an_update_leaves_ignored_properties_alone(gcp: GcpWorld) -> None:
    gcp.cluster()
    inputs: Properties = {"name": "pool", "cluster": "tpus", "nodeCount": 1, "nodeLocations": ["us-west4-a"]}
    pool = gcp.up(NODE_POOL, "pool", inputs)
    gcp.world.update(pool.id, {"nodeCount": 4})
    gcp.refresh(pool)

    gcp.change(pool, {**inputs, "management": {"autoUpgrade": False}}, "nodeCount")

    assert len(gcp.world.pool_nodes("pool")) == 4


def test_the_topology_of_a_slice_cannot_change_in_place(gcp: GcpWorld, slice_inputs: Properties) -> None:
    gcp.cluster()
    slice_ = gcp.up(NODE_POOL, "slice", slice_inputs)
    other: Properties = {
        **slice_inputs,
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
        "nodeCount": 4,
    }

    for preview in (True, False):
        failure = _failure(lambda preview=preview: gcp.change(slice_, other, preview=preview))
        assert str(failure) == (
            "placementPolicy.tpuTopology: Google's API cannot change it on an existing NodePool, and the official "
            "provider would record the change without making it. Replace the resource: give it "
            'replace_on_changes=["placementPolicy.tpuTopology"] and delete_before_replace=True.'
        )


def test_a_refresh_sees_what_somebody_else_did(gcp: GcpWorld, slice_inputs: Properties) -> None:
    cluster = gcp.cluster(resourceLabels={"team": "ai"})
    slice_ = gcp.up(NODE_POOL, "slice", slice_inputs)
    gcp.world.update(NAME, {"resourceLabels": {"team": "other", "extra": "x"}})
    gcp.world.delete(slice_.id)

    assert not gcp.refresh(slice_)
    assert gcp.refresh(cluster)
    assert cluster.inputs["resourceLabels"] == {"team": "other"}
    assert cluster.outputs["effectiveLabels"] == {
        "goog-pulumi-provisioned": "true",
        "team": "other",
        "extra": "x",
    }
    wanted: Properties = {**cluster.inputs, "resourceLabels": {"team": "ai"}}
    assert gcp.diff(cluster, wanted).changes == {"resourceLabels.team": Change.UPDATE}
    gcp.world.delete(NAME)
    assert not gcp.refresh(cluster)


def test_a_protected_cluster_stays(gcp: GcpWorld) -> None:
    cluster = gcp.cluster(deletionProtection=True)

    assert str(_failure(lambda: gcp.destroy(cluster))) == (
        "Cannot destroy cluster because deletion_protection is set to true. "
        "Set it to false to proceed with cluster deletion."
    )
    gcp.change(cluster, {**cluster.inputs, "deletionProtection": False})
    gcp.destroy(cluster)
    gcp.destroy(cluster)
    assert gcp.world.cloud.list(Kind.CLUSTER) == []


def test_deletion_policies(gcp: GcpWorld) -> None:
    network = gcp.up("gcp:compute/network:Network", "vpc", {"name": "vpc", "deletionPolicy": "PREVENT"})

    assert str(_failure(lambda: gcp.destroy(network))) == (
        "cannot destroy Network without setting deletion_policy=DELETE: it is PREVENT for "
        "projects/acme/global/networks/vpc"
    )
    gcp.change(network, {**network.inputs, "deletionPolicy": "ABANDON"})
    gcp.destroy(network)
    assert len(gcp.world.cloud.list(Kind.NETWORK)) == 1


def test_a_refusal_reads_like_the_real_one(gcp: GcpWorld, slice_inputs: Properties) -> None:
    missing = _failure(lambda: gcp.up(NODE_POOL, "slice", slice_inputs))
    gcp.cluster()
    gcp.up(NODE_POOL, "slice", slice_inputs)

    taken = _failure(lambda: gcp.up(NODE_POOL, "again", slice_inputs))
    wrong = _failure(lambda: gcp.up(NODE_POOL, "wrong", slice_inputs | {"name": "wrong", "nodeCount": 3}))
    both = _failure(lambda: gcp.up(NODE_POOL, "both", slice_inputs | {"name": "both", "initialNodeCount": 2}))

    assert str(missing) == f"Error creating NodePool: googleapi: Error 404: Not found: {NAME}., notFound"
    assert str(taken) == (
        f"Error creating NodePool: googleapi: Error 409: Already exists: {NAME}/nodePools/slice., alreadyExists"
    )
    assert str(wrong) == (
        "Error creating NodePool: googleapi: Error 400: Initial node count 3 is not a valid size of TPU pod slice "
        'with topology "2x4", badRequest'
    )
    assert str(both) == "Cannot set both initial_node_count and node_count on node pool both"


def test_a_pool_that_ends_in_error_stays_in_the_state(gcp: GcpWorld, slice_inputs: Properties) -> None:
    gcp.cluster()
    inputs: Properties = {
        **slice_inputs,
        "nodeConfig": {"machineType": "tpu7x-standard-4t"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x2"},
    }

    failure = _failure(lambda: gcp.up(NODE_POOL, "slice", inputs))

    assert isinstance(failure, PartlyCreatedError)
    assert failure.id == f"{NAME}/nodePools/slice"
    assert failure.reasons == [
        (
            "Error waiting for creating NodePool: Creation of a managed instance group with tpu7x-standard-4t machine "
            "type with placement policy is not supported. Use workload policy instead."
        )
    ]
    assert failure.outputs["nodeCount"] == 0
    again = _failure(
        lambda: gcp.provider.update(
            replace(
                gcp.target(NODE_POOL, "slice"),
                id=failure.id,
                old=failure.inputs,
                outputs=failure.outputs | {"nodeCount": 2},
                new=failure.inputs,
            )
        )
    )
    assert isinstance(again, PartlyCreatedError)
    assert again.reasons[0].startswith(f"NodePool {NAME}/nodePools/slice is in the state ERROR: Creation of a managed")


def test_changes_of_one_cluster_wait_for_each_other(gcp: GcpWorld, slice_inputs: Properties) -> None:
    cluster = gcp.cluster()
    gcp.world.machines.gate.clear()
    operation = gcp.world.cloud.create(Kind.NODE_POOL, f"{NAME}/nodePools/other", {"initialNodeCount": 1})
    made: list[Resource] = []
    pool = threading.Thread(target=lambda: made.append(gcp.up(NODE_POOL, "slice", slice_inputs)))
    label = threading.Thread(target=lambda: gcp.change(cluster, {**cluster.inputs, "resourceLabels": {"a": "b"}}))
    label.start()
    gcp.world.machines.gate.set()
    label.join(10)
    pool.start()
    pool.join(10)

    assert gcp.world.done(operation)["error"] is None
    assert gcp.world.cloud.get(NAME)["resourceLabels"]["a"] == "b"
    assert [resource.id for resource in made] == [f"{NAME}/nodePools/slice"]


def test_an_interrupted_creation_is_awaited_by_the_next_refresh(gcp: GcpWorld, slice_inputs: Properties) -> None:
    gcp.cluster()
    gcp.world.machines.gate.clear()
    gcp.provider.cancel()

    failure = _failure(lambda: gcp.up(NODE_POOL, "slice", slice_inputs))

    assert isinstance(failure, PartlyCreatedError)
    operation = cast("str", failure.outputs["operation"])
    assert failure.reasons == [f"interrupted; {operation} goes on in the cloud"]
    gcp.world.machines.gate.set()
    gcp.provider = type(gcp.provider)(gcp.engine, gcp.world.cloud)
    gcp.provider.configure({"project": "acme", "region": "us-west4"})
    found = gcp.provider.read(
        replace(gcp.target(NODE_POOL, "slice"), id=failure.id, old=failure.inputs, outputs=failure.outputs)
    )
    assert found is not None
    assert (found.outputs["nodeCount"], found.outputs["operation"]) == (2, "")


def test_patience_has_an_end(gcp: GcpWorld) -> None:
    gcp.world.machines.gate.clear()
    token = "gcp:container/cluster:Cluster"  # noqa: S105  not a secret
    inputs = gcp.checked(token, "cluster", {"name": "tpus", "initialNodeCount": 1})

    failure = _failure(lambda: gcp.provider.create(replace(gcp.target(token, "cluster"), new=inputs, timeout=0.01)))

    assert str(failure) == (
        "Error waiting for creating GKE cluster: timeout while waiting for state to become 'DONE' "
        "(last state: 'RUNNING', timeout: 0.01s)"
    )
    assert isinstance(failure, PartlyCreatedError)
    assert "/operations/operation-" in cast("str", failure.outputs["operation"])


def test_the_user_sees_how_far_it_is(gcp: GcpWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_LOOK_SECONDS", 0.01)
    gcp.world.machines.gate.clear()
    maker = threading.Thread(target=gcp.cluster)
    maker.start()
    while not gcp.engine.states:
        assert maker.is_alive()
        maker.join(0.01)
    gcp.world.machines.gate.set()
    maker.join(10)

    assert gcp.engine.states[0] == "cluster: creating GKE cluster: RUNNING, 0 s"
    assert gcp.engine.states[-1] == "cluster: "


def test_gateways_of_one_router_do_not_lose_each_other(gcp: GcpWorld) -> None:
    nat = "gcp:compute/routerNat:RouterNat"
    inputs: Properties = {"router": "router", "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES"}
    gcp.up("gcp:compute/router:Router", "router", {"name": "router", "network": "default"})
    threads = [
        threading.Thread(target=gcp.up, args=(nat, name, inputs | {"name": name})) for name in ("a", "b", "c", "d")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    (router,) = gcp.world.cloud.list(Kind.ROUTER)
    assert sorted(entry["name"] for entry in router["nats"]) == ["a", "b", "c", "d"]
    again = _failure(lambda: gcp.up(nat, "a", inputs | {"name": "a"}))
    assert str(again).endswith("/routers/router/a' already exists, alreadyExists")


def test_what_is_given_twice_is_no_error(gcp: GcpWorld) -> None:
    member: Properties = {"project": "acme", "role": "roles/viewer", "member": "user:a@example.com"}
    service: Properties = {"service": "container.googleapis.com"}

    for name in ("one", "two"):
        gcp.up("gcp:projects/iAMMember:IAMMember", name, member)
        kept = gcp.up("gcp:projects/service:Service", name, service)

    gcp.destroy(kept)
    assert len(gcp.world.cloud.list(Kind.SERVICE)) == 1
    gcp.change(kept, service | {"disableOnDestroy": True})
    gcp.destroy(kept)
    assert gcp.world.cloud.list(Kind.SERVICE) == []


def test_an_account_is_known_before_it_exists(gcp: GcpWorld) -> None:
    token = "gcp:serviceaccount/account:Account"  # noqa: S105  not a secret
    inputs = gcp.checked(token, "nodes", {"accountId": "tpu-nodes"})

    created = gcp.provider.create(replace(gcp.target(token, "nodes"), new=inputs, preview=True))

    assert created.outputs["email"] == "tpu-nodes@acme.iam.gserviceaccount.com"
    assert created.outputs["member"] == "serviceAccount:tpu-nodes@acme.iam.gserviceaccount.com"
    assert created.outputs["uniqueId"] is UNKNOWN


def test_no_project_is_said_at_preview(gcp: GcpWorld) -> None:
    gcp.provider.configure({})
    token = "gcp:compute/network:Network"  # noqa: S105  not a secret
    inputs = gcp.checked(token, "vpc", {})

    failure = _failure(lambda: gcp.provider.create(replace(gcp.target(token, "vpc"), new=inputs, preview=True)))

    assert str(failure) == "project: required field is not set"


def test_the_modelled_properties_are_read_before_the_engine_asks_from_many_threads() -> None:
    program = (
        "import msgspec; from simulator.providers.gcp.types import TYPES; "
        "msgspec.convert = None; print(all(each.fields for each in TYPES))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", ""), "the first conversions by several threads end the process"
