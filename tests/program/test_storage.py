"""Shares and buckets as the program registers them."""

from __future__ import annotations

import json

from tests.model.catalogue.checkpoints import with_checkpoints
from tests.model.catalogue.disk import with_disk
from tests.model.catalogue.lustre import with_lustre
from tests.program.harness import ADDRESS, Run, run_program
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform

_NODES = "serviceAccount:ml-nodes@tpu-sandbox.iam.gserviceaccount.com"
_SHARE = {
    "name": "data",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 2560,
    "claims": [{"name": "data"}, {"name": "data", "namespace": "research"}],
}


def _run(stack: Stack) -> Run:
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert run.exit_code is None, run.log
    return run


def test_claims_of_two_namespaces_have_a_volume_each_on_one_share() -> None:
    run = _run(a_platform().set(shared_storage=[_SHARE]))
    instance = run.one("Instance", "data")
    assert instance.inputs["fileShares"] == {"name": "data", "capacityGb": 2560}
    assert instance.inputs["networks"] == [{"network": "ml", "modes": ["MODE_IPV4"]}]
    assert instance.inputs["deletionProtectionEnabled"] is True
    volumes = {each.name: each.inputs["spec"] for each in run.of("PersistentVolume")}
    assert {name: spec["nfs"] for name, spec in volumes.items()} == {
        "data-default-data": {"server": ADDRESS, "path": "/data"},
        "data-research-data": {"server": ADDRESS, "path": "/data"},
    }
    claims = {each.name: each for each in run.of("PersistentVolumeClaim")}
    assert {name: claim.inputs["spec"]["volumeName"] for name, claim in claims.items()} == {
        "default/data": "data-default-data",
        "research/data": "data-research-data",
    }
    needed = claims["research/data"].options["dependencies"]
    assert {"kubernetes:core/v1:Namespace::research", instance.reference} <= set(needed)
    assert run.outputs["shared_storage"] == [
        {
            "name": "data",
            "tier": "ZONAL",
            "location": "us-west4-a",
            "address": ADDRESS,
            "path": "/data",
            "capacity_gib": 2560,
            "claims": [{"namespace": "default", "name": "data"}, {"namespace": "research", "name": "data"}],
        }
    ]


def test_a_namespace_of_a_queue_and_a_claim_is_made_once() -> None:
    stack = a_platform().set(shared_storage=[_SHARE]).add("queues", 0, "local_queues", name="r", namespace="research")
    assert [each.name for each in _run(stack).of("Namespace")] == ["research"]


def test_a_tier_without_protection_is_not_asked_for_it() -> None:
    share = {**_SHARE, "tier": "BASIC_HDD", "protect": True}
    instance = _run(a_platform().set(shared_storage=[share])).one("Instance", "data")
    assert "deletionProtectionEnabled" not in instance.inputs
    assert instance.options["protect"] is True


def test_nodes_may_write_buckets_made_here_and_there_before() -> None:
    run = _run(a_platform().set(buckets=[{"name": "new", "location": "us-west4"}, {"name": "old"}]))
    (bucket,) = run.of("Bucket")
    assert (bucket.name, bucket.inputs["location"], bucket.inputs["uniformBucketLevelAccess"]) == (
        "new",
        "us-west4",
        True,
    )
    grants = [(each.inputs["bucket"], each.inputs["role"], each.inputs["member"]) for each in run.of("BucketIAMMember")]
    assert grants == [("new", "roles/storage.objectUser", _NODES), ("old", "roles/storage.objectUser", _NODES)]


def test_a_lustre_instance_is_reached_through_the_services_of_the_network() -> None:
    run = _run(with_lustre())
    instance = run.one("Instance", "scratch")
    assert instance.inputs == {
        "instanceId": "scratch",
        "location": "us-west4-a",
        "filesystem": "scratch",
        "capacityGib": "18000",
        "perUnitStorageThroughput": "1000",
        "network": f"projects/{GCP_PROJECT}/global/networks/ml",
        "labels": {},
    }
    peering, addresses = run.one("Connection", "ml-private-services"), run.one("GlobalAddress", "ml-private-services")
    assert {peering.reference, run.one("Firewall", "ml-lustre").reference} <= set(instance.options["dependencies"])
    assert peering.inputs["reservedPeeringRanges"] == [addresses.inputs["name"]]
    assert (addresses.inputs["purpose"], addresses.inputs["prefixLength"]) == ("VPC_PEERING", 20)
    assert run.one("Firewall", "ml-lustre").inputs["sourceRanges"] == ["10.200.0.0/20"]
    (volume,) = run.of("PersistentVolume")
    assert volume.inputs["spec"]["csi"]["volumeAttributes"] == {"ip": ADDRESS, "filesystem": "scratch"}
    assert run.one("Cluster", "ml").inputs["addonsConfig"] == {"lustreCsiDriverConfig": {"enabled": True}}
    assert [each["address"] for each in run.outputs["lustre"]] == [ADDRESS]


def test_a_network_that_exists_has_its_own_way_to_services() -> None:
    shared = "https://www.googleapis.com/compute/v1/projects/host/global/networks/shared"
    run = _run(with_lustre().set(network={"existing": shared, "subnetwork": "tpu"}))
    assert run.one("Instance", "scratch").inputs["network"] == "projects/host/global/networks/shared"
    assert (run.of("Connection"), run.of("GlobalAddress")) == ([], [])


def test_a_stated_range_is_that_of_services() -> None:
    run = _run(with_lustre().set("network", private_services_cidr="10.9.0.0/18"))
    addresses = run.one("GlobalAddress", "ml-private-services").inputs
    assert (addresses["address"], addresses["prefixLength"]) == ("10.9.0.0", 18)


def test_a_disk_that_many_nodes_read_has_a_volume_for_each_claim() -> None:
    claims = [{"name": "model"}, {"name": "model", "namespace": "research"}]
    run = _run(with_disk(access="ReadOnlyMany", throughput=2400, snapshot="weights-1", claims=claims, protect=True))
    disk = run.one("Disk", "model")
    assert disk.inputs == {
        "name": "model",
        "zone": "us-west4-a",
        "type": "hyperdisk-ml",
        "size": 100,
        "accessMode": "READ_ONLY_MANY",
        "provisionedThroughput": 2400,
        "snapshot": "weights-1",
        "labels": {},
    }
    assert disk.options["protect"] is True
    volumes = {each.name: each.inputs["spec"] for each in run.of("PersistentVolume")}
    assert {name: (spec["csi"]["volumeHandle"], spec["accessModes"]) for name, spec in volumes.items()} == {
        name: (f"projects/{GCP_PROJECT}/zones/us-west4-a/disks/model", ["ReadOnlyMany"])
        for name in ("model-default-model", "model-research-model")
    }


def test_checkpoints_have_their_addons_and_write_to_their_bucket() -> None:
    run = _run(with_checkpoints())
    assert run.one("Cluster", "ml").inputs["addonsConfig"] == {
        "gcsFuseCsiDriverConfig": {"enabled": True},
        "highScaleCheckpointingConfig": {"enabled": True},
    }
    grant = run.one("BucketIAMMember", "checkpoints-checkpoints").inputs
    assert (grant["role"], grant["member"]) == (
        "roles/storage.objectUser",
        f"serviceAccount:{GCP_PROJECT}.svc.id.goog[gke-managed-checkpointing/gke-checkpointing-multitier-node]",
    )
    (configured,) = run.of("CheckpointConfiguration")
    assert configured.type == "kubernetes:checkpointing.gke.io/v1:CheckpointConfiguration"
    assert configured.inputs["spec"]["nodeSelector"] == {"node.kubernetes.io/instance-type": "ct5lp-hightpu-4t"}
    assert "gcp:storage/bucketIAMMember:BucketIAMMember::checkpoints-checkpoints" in configured.options["dependencies"]


def test_pods_are_granted_what_they_mount_as_their_service_account() -> None:
    mounts = [
        {"bucket": "data", "path": "/data", "read_only": True},
        {"bucket": "out", "path": "/out", "profile": "checkpointing"},
        {"bucket": "out", "path": "/before", "read_only": True},
    ]
    buckets = [{"name": "data", "location": "us-west4"}, {"name": "out"}]
    stack = a_platform().set("workloads", 0, mounts=mounts, service_account="trainer").set(buckets=buckets)
    stack = stack.set(service_accounts=[{"name": "trainer"}])
    run = _run(stack)
    grants = {each.name: (each.inputs["role"], each.inputs["member"]) for each in run.of("BucketIAMMember")}
    trainer = f"serviceAccount:{GCP_PROJECT}.svc.id.goog[default/trainer]"
    assert grants == {
        "data-default/trainer-reads": ("roles/storage.objectViewer", trainer),
        "out-nodes": ("roles/storage.objectUser", _NODES),
        "out-default/trainer": ("roles/storage.objectUser", trainer),
    }
    assert run.one("Cluster", "ml").inputs["addonsConfig"] == {"gcsFuseCsiDriverConfig": {"enabled": True}}


def test_a_sidecar_that_mounts_a_bucket_switches_its_driver_on() -> None:
    logger = {"name": "logger", "image": "registry.example/logger:1.0", "mounts": [{"bucket": "out", "path": "/out"}]}
    run = _run(a_platform().set("workloads", 0, sidecars=[logger]).set(buckets=[{"name": "out"}]))
    assert run.one("Cluster", "ml").inputs["addonsConfig"] == {"gcsFuseCsiDriverConfig": {"enabled": True}}
