"""The cloud half of the program on stacks that differ from the committed ones in one thing each."""

from __future__ import annotations

import json
from typing import Any

import pulumi
import pytest

from components.refusal import ALREADY_TOLD
from tests.program.harness import ENDPOINT, INVENTED, VERSION, Registered, Run, run_program, run_stack
from tests.stacks import (
    GCP_PROJECT,
    PLATFORM_KEY,
    Stack,
    a_platform,
    in_existing_cluster,
    on_autopilot,
    platform_of,
    reserved,
    with_capacity,
)

_SHARE = {
    "name": "data",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 2560,
    "claims": [{"name": "data"}, {"name": "data", "namespace": "research"}],
}
_SINGLE_HOST = a_platform().set("tpu_slices", 0, topology="2x2").set("flavors", 0, topology="2x2").drop("workloads")


def _pool(stack: Stack, name: str = "v5e1") -> Registered:
    return run_stack(stack).one("NodePool", name)


def _cluster(**settings: object) -> Registered:
    return run_stack(a_platform().set("cluster", **settings)).one("Cluster", "ml")


def test_apis_are_on_before_anything_is_made_and_stay_on() -> None:
    run = run_stack(a_platform().set(services=["compute", "container"]))
    services = run.of("Service")
    assert [(each.inputs["service"], each.inputs["disableOnDestroy"]) for each in services] == [
        ("compute.googleapis.com", False),
        ("container.googleapis.com", False),
    ]
    first = [run.one("Network", "ml"), run.one("Account", "ml-nodes"), run.one("Cluster", "ml")]
    wanted = {each.reference for each in services}
    assert all(wanted <= set(each.options["dependencies"]) for each in first if each.type.startswith("gcp:"))


def test_billing_labels_are_on_all_that_takes_some() -> None:
    labels = {"environment": "dev"}
    run = run_stack(
        a_platform().set(labels=labels, shared_storage=[_SHARE], buckets=[{"name": "out", "location": "US"}])
    )
    assert run.one("Cluster", "ml").inputs["resourceLabels"] == labels
    assert {pool.name: pool.inputs["nodeConfig"]["resourceLabels"] for pool in run.of("NodePool")} == {
        "system": labels,
        "v5e1": labels,
        "v5e2": labels,
    }
    assert (run.one("Instance", "data").inputs["labels"], run.one("Bucket", "out").inputs["labels"]) == (labels, labels)


def test_a_network_may_leave_the_subnetwork_to_gke() -> None:
    cluster = run_stack(a_platform().set(network={"existing": "default"})).one("Cluster", "ml")
    assert cluster.inputs["network"] == "default"
    assert "subnetwork" not in cluster.inputs


# --- clusters


def test_autopilot_makes_its_nodes_as_the_platforms_account() -> None:
    run = run_stack(on_autopilot())
    cluster = run.one("Cluster", "ml").inputs
    assert cluster["enableAutopilot"] is True
    assert cluster["clusterAutoscaling"]["autoProvisioningDefaults"] == {
        "serviceAccount": "ml-nodes@tpu-sandbox.iam.gserviceaccount.com",
        "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
    }
    refused = {"removeDefaultNodePool", "initialNodeCount", "nodeConfig", "workloadIdentityConfig", "addonsConfig"}
    assert refused.isdisjoint(cluster)
    assert run.of("NodePool") == []
    (pod,) = run.one("JobSet", "default/train").inputs["spec"]["replicatedJobs"]
    assert "hostNetwork" not in pod["template"]["spec"]["template"]["spec"]
    assert run.outputs["cluster"]["mode"] == "autopilot"


def test_an_existing_cluster_is_looked_up_and_not_made() -> None:
    run = run_stack(in_existing_cluster())
    assert [each.type for each in run.resources if each.type.startswith("gcp:")] == [
        "gcp:container/nodePool:NodePool"
    ] * 3
    pools = run.of("NodePool")
    assert {pool.inputs["cluster"] for pool in pools} == {"ml"}
    assert {pool.inputs["nodeConfig"]["serviceAccount"] for pool in pools} == {
        "nodes@tpu-sandbox.iam.gserviceaccount.com"
    }
    assert f"https://{ENDPOINT}" in run.outputs["kubeconfig"]
    asked = {"name": "ml", "location": "us-west4", "project": GCP_PROJECT}
    assert {token for token, _ in run.lookups} == {"gcp:container/getCluster:getCluster"}
    assert all(asked.items() <= arguments.items() for _, arguments in run.lookups)
    assert not any("deletedWith" in each.options for each in run.resources)


def test_the_control_plane_of_an_existing_cluster_is_let_in_where_it_is_stated() -> None:
    run = run_stack(in_existing_cluster().set("cluster", control_plane_cidr="172.16.1.0/28"))
    (firewall,) = run.of("Firewall")
    assert firewall.inputs["network"] == "projects/tpu-sandbox/global/networks/theirs"
    assert firewall.inputs["sourceRanges"] == ["172.16.1.0/28"]
    assert firewall.inputs["targetServiceAccounts"] == ["nodes@tpu-sandbox.iam.gserviceaccount.com"]


def test_a_private_control_plane_is_reached_from_stated_networks() -> None:
    cluster = _cluster(private_endpoint=True, authorized_networks=[{"name": "office", "cidr": "192.0.2.0/24"}]).inputs
    assert cluster["privateClusterConfig"]["enablePrivateEndpoint"] is True
    assert cluster["masterAuthorizedNetworksConfig"] == {
        "cidrBlocks": [{"cidrBlock": "192.0.2.0/24", "displayName": "office"}],
        "gcpPublicCidrsAccessEnabled": False,
    }


def test_maintenance_is_in_windows_and_not_in_exclusions() -> None:
    start, end = "2026-01-03T00:00:00Z", "2026-01-03T08:00:00Z"
    window = {"start": start, "end": end, "recurrence": "FREQ=WEEKLY;BYDAY=SA"}
    exclusion = {"name": "launch", "start": start, "end": end, "scope": "NO_MINOR_UPGRADES"}
    policy = _cluster(maintenance={"window": window, "exclusions": [exclusion]}).inputs["maintenancePolicy"]
    assert policy == {
        "recurringWindow": {"startTime": start, "endTime": end, "recurrence": "FREQ=WEEKLY;BYDAY=SA"},
        "maintenanceExclusions": [
            {
                "exclusionName": "launch",
                "startTime": start,
                "endTime": end,
                "exclusionOptions": {"scope": "NO_MINOR_UPGRADES"},
            }
        ],
    }


def test_add_ons_are_those_that_are_asked_for_or_needed() -> None:
    assert "addonsConfig" not in _cluster().inputs
    run = run_stack(a_platform().set("cluster", addons={"gcs_fuse": True}).set(shared_storage=[_SHARE]))
    assert run.one("Cluster", "ml").inputs["addonsConfig"] == {
        "gcpFilestoreCsiDriverConfig": {"enabled": True},
        "gcsFuseCsiDriverConfig": {"enabled": True},
    }


def test_auto_provisioning_has_limits_and_the_platforms_account() -> None:
    limits = {"cpu": 64, "memory_gb": 256, "nvidia-tesla-t4": 16}
    run = run_stack(a_platform().set(auto_provisioning={"limits": limits, "zones": ["us-west4-a"]}))
    made = run.one("Cluster", "ml").inputs["clusterAutoscaling"]
    assert made["enabled"] is True
    assert made["autoProvisioningLocations"] == ["us-west4-a"]
    assert made["resourceLimits"] == [
        {"resourceType": "cpu", "maximum": 64},
        {"resourceType": "memory", "maximum": 256},
        {"resourceType": "nvidia-tesla-t4", "maximum": 16},
    ]
    assert made["autoProvisioningDefaults"]["serviceAccount"] == "ml-nodes@tpu-sandbox.iam.gserviceaccount.com"


@pytest.mark.parametrize(
    ("floor", "made"), [("1.33.0-gke.1712000", None), ("1.36.4-gke.1082000", None), ("1.36.4-gke.1082001", VERSION)]
)
def test_a_cluster_is_made_of_a_version_that_the_channel_offers(floor: str, made: str | None) -> None:
    cluster = _cluster(minimum_version=floor)
    assert cluster.inputs.get("minMasterVersion") == made
    assert "minMasterVersion" in cluster.options["ignoreChanges"]


def test_a_floor_above_all_that_the_channel_offers_ends_the_program_before_the_cluster() -> None:
    stack = a_platform().set("cluster", minimum_version="1.37.0-gke.1")
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert run.exit_code == ALREADY_TOLD
    ((level, text),) = run.log
    assert level == "error"
    assert text == (
        f"cluster.minimum_version is 1.37.0-gke.1, but {VERSION} is the newest that release channel RAPID offers. "
        "Choose a faster channel, or lower the minimum."
    )
    assert not any(each.type == "gcp:container/cluster:Cluster" for each in run.resources)


def test_a_control_plane_below_the_floor_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(INVENTED["gcp:container/cluster:Cluster"], "masterVersion", "1.32.9-gke.1")
    stack = a_platform().set("cluster", minimum_version="1.33.0-gke.1712000")
    run = Run()
    with pytest.raises(pulumi.RunError) as refused:
        run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)}, run)
    assert str(refused.value) == (
        "cluster.minimum_version is 1.33.0-gke.1712000, but the control plane of ml is 1.32.9-gke.1. "
        "Upgrade it (gcloud container clusters upgrade ml --master), or lower the minimum."
    )
    assert not any(each.type.startswith("kubernetes:") for each in run.resources)


# --- pools


def test_an_autoscaled_pool_begins_at_its_least_and_is_left_to_the_autoscaler() -> None:
    stack = a_platform().drop("node_pools", 0, "nodes").set("node_pools", 0, autoscaling={"min": 1, "max": 3})
    pool = _pool(stack, "system")
    assert pool.inputs["autoscaling"] == {"minNodeCount": 1, "maxNodeCount": 3}
    assert (pool.inputs["initialNodeCount"], "nodeCount" in pool.inputs) == (1, False)
    assert pool.options["ignoreChanges"] == ["initialNodeCount", "nodeCount"]


def test_a_pool_of_gpus() -> None:
    gpu = {"type": "nvidia-tesla-t4", "count": 2, "driver": "latest"}
    stack = a_platform().add(
        "node_pools",
        name="t4",
        machine_type="n1-standard-4",
        autoscaling={"min": 0, "max": 10},
        zones=["us-west4-a"],
        gpu=gpu,
        spot=True,
        labels={"team": "ml"},
        upgrade={"strategy": "BLUE_GREEN", "batch_nodes": 2, "soak_seconds": 60},
    )
    pool = _pool(stack, "t4").inputs
    assert pool["nodeConfig"]["guestAccelerators"] == [
        {"type": "nvidia-tesla-t4", "count": 2, "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"}}
    ]
    assert (pool["nodeConfig"]["spot"], pool["nodeConfig"]["labels"]) == (True, {"team": "ml"})
    assert pool["upgradeSettings"] == {
        "strategy": "BLUE_GREEN",
        "blueGreenSettings": {"standardRolloutPolicy": {"batchNodeCount": 2}, "nodePoolSoakDuration": "60s"},
    }


def test_a_pool_of_queued_flex_start_gpus() -> None:
    stack = a_platform().add(
        "node_pools",
        name="l4",
        machine_type="g2-standard-4",
        autoscaling={"min": 0, "max": 4},
        zones=["us-west4-a"],
        gpu={"type": "nvidia-l4", "count": 1},
        flex_start={"queued": True, "max_run_seconds": 86400},
    )
    labels = {"cloud.google.com/gke-accelerator": "nvidia-l4"}
    share = {"name": "l4", "resources": {"nvidia.com/gpu": "4"}, "admission_checks": ["gpus"]}
    check = {"name": "gpus", "provisioning": {"managed_resources": ["nvidia.com/gpu"]}}
    stack = stack.add("flavors", name="l4", labels=labels).set(admission_checks=[check])
    pool = _pool(stack.add("queues", name="gpus", flavors=[share]), "l4").inputs
    config = pool["nodeConfig"]
    assert (config["flexStart"], config["maxRunDuration"]) == (True, "86400s")
    assert config["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
    assert pool["queuedProvisioning"] == {"enabled": True}
    assert pool["management"] == {"autoRepair": False, "autoUpgrade": True}
    assert pool["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}


# --- slices


def test_flex_start_slices_begin_at_none_and_take_no_reservation() -> None:
    pool = _pool(with_capacity("flex-start", topology="4x4", max_run_seconds=604800).set("flavors", 0, topology="4x4"))
    assert pool.inputs["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}
    assert (pool.inputs["initialNodeCount"], "nodeCount" in pool.inputs) == (0, False)
    assert pool.inputs["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}
    assert pool.inputs["management"] == {"autoRepair": False, "autoUpgrade": True}
    config = pool.inputs["nodeConfig"]
    assert (config["flexStart"], config["maxRunDuration"]) == (True, "604800s")
    assert config["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
    assert pool.options["ignoreChanges"] == ["initialNodeCount", "nodeCount"]


def test_single_hosts_in_several_zones_are_counted_in_each() -> None:
    stack = _SINGLE_HOST.drop("tpu_slices", 0, "zone").set(
        "tpu_slices", 0, zones=["us-west4-a", "us-west4-b"], capacity="flex-start"
    )
    pool = _pool(stack.set("flavors", 0, capacity="flex-start"), "v5e").inputs
    assert pool["nodeLocations"] == ["us-west4-a", "us-west4-b"]
    assert pool["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 2, "locationPolicy": "ANY"}
    assert "placementPolicy" not in pool
    assert pool["management"]["autoRepair"] is True


def test_spot_slices() -> None:
    fixed, moving = _pool(with_capacity("spot")).inputs, _pool(with_capacity("spot", autoscaled=True)).inputs
    assert fixed["nodeConfig"]["spot"] is True
    assert fixed["nodeConfig"]["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
    assert (fixed["nodeCount"], "autoscaling" in fixed) == (2, False)
    assert ("nodeCount" in moving, moving["autoscaling"]["maxNodeCount"]) == (False, 2)


@pytest.mark.parametrize(
    ("reservation", "path"),
    [
        ({}, "mine"),
        ({"project": "hardware"}, "projects/hardware/reservations/mine"),
        (
            {"project": "hardware", "block": "block-1"},
            "projects/hardware/reservations/mine/reservationBlocks/block-1",
        ),
    ],
)
def test_reserved_slices_name_their_reservation(reservation: dict[str, str], path: str) -> None:
    pool = _pool(reserved(**reservation).set("tpu_slices", 0, host_maintenance="PERIODIC", protect=True))
    assert pool.inputs["nodeConfig"]["reservationAffinity"] == {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": [path],
    }
    assert pool.inputs["nodeConfig"]["hostMaintenancePolicy"] == {"maintenanceInterval": "PERIODIC"}
    assert pool.options["protect"] is True


def test_slices_on_demand_say_nothing_of_reservations() -> None:
    assert "reservationAffinity" not in _pool(a_platform()).inputs["nodeConfig"]


def test_queued_slices() -> None:
    pools = {pool.name: pool.inputs for pool in run_stack(Stack(platform_of("training"))).of("NodePool")}
    assert pools["flex1"]["queuedProvisioning"] == {"enabled": True}
    assert "queuedProvisioning" not in pools["reserved1"]


def test_slices_that_need_a_policy_share_one_per_topology() -> None:
    shape: dict[str, Any] = {"machine_type": "tpu7x-standard-4t", "zone": "us-central1-c"}
    stack = (
        a_platform()
        .set("cluster", location="us-central1")
        .set("node_pools", 0, zones=["us-central1-c"])
        .set(tpu_slices=[{"name": "cube", "slices": 2, "topology": "4x4x4", **shape}])
        .add("tpu_slices", name="small", topology="2x2x2", **shape)
        .add("tpu_slices", name="host", topology="2x2x1", **shape)
        .drop("flavors")
        .drop("queues")
        .drop("workloads")
    )
    run = run_stack(stack)
    assert [(each.name, each.inputs["region"], each.inputs["workloadPolicy"]) for each in run.of("ResourcePolicy")] == [
        ("ml-slices-2x2x2", "us-central1", {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}),
        ("ml-slices-4x4x4", "us-central1", {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4"}),
    ]
    placements = {pool.name: pool.inputs.get("placementPolicy") for pool in run.of("NodePool")}
    cube = {"type": "", "policyName": "ml-slices-4x4x4", "tpuTopology": "4x4x4"}
    assert placements == {
        "system": None,
        "cube1": cube,
        "cube2": cube,
        "small": {"type": "", "policyName": "ml-slices-2x2x2", "tpuTopology": "2x2x2"},
        "host": None,
    }
    # The policies go before the cluster does, and after the pools that name them.
    deleted_alone = {pool.name for pool in run.of("NodePool") if "deletedWith" not in pool.options}
    assert deleted_alone == {"cube1", "cube2", "small"}
    disks = {pool.inputs["nodeConfig"].get("diskType") for pool in run.of("NodePool") if pool.name != "system"}
    assert disks == {"hyperdisk-balanced"}


def test_another_slice_touches_no_slice_that_runs() -> None:
    before, after = (run_stack(a_platform().set("tpu_slices", 0, slices=count)) for count in (3, 4))
    pools = {pool.name: pool for pool in before.of("NodePool")}
    now = {pool.name: pool for pool in after.of("NodePool")}
    assert {name: now[name] for name in pools} == pools
    assert now.keys() - pools.keys() == {"v5e4"}
