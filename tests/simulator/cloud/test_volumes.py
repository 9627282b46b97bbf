"""Managed Lustre, private services access, disks and secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cloud.api import Body, Kind

if TYPE_CHECKING:
    from tests.simulator.conftest import World

NETWORK = "projects/acme/global/networks/default"
RANGE = "projects/acme/global/addresses/peering"
CONNECTION = f"{NETWORK}/connections/servicenetworking.googleapis.com"
LUSTRE = "projects/acme/locations/us-west4-a/lustreInstances/scratch"
INSTANCE: Body = {
    "capacityGib": "18000",
    "filesystem": "scratch",
    "network": NETWORK,
    "perUnitStorageThroughput": "500",
}
ADDRESS: Body = {"addressType": "INTERNAL", "purpose": "VPC_PEERING", "network": NETWORK, "prefixLength": 20}
HIDDEN = "projects/acme/secrets/hf-token"
DISK = "projects/acme/zones/us-west4-a/disks/data"


def _peer(world: World) -> None:
    world.make(Kind.GLOBAL_ADDRESS, RANGE, ADDRESS)
    world.make(Kind.CONNECTION, CONNECTION, {"reservedPeeringRanges": ["peering"]})


def test_a_lustre_instance_takes_an_address_of_the_peering(world: World) -> None:
    _peer(world)
    made = world.make(Kind.LUSTRE, LUSTRE, INSTANCE)

    assert (made["mountPoint"], made["state"]) == ("10.0.0.2@tcp:/scratch", "ACTIVE")
    assert made["name"] == "projects/acme/locations/us-west4-a/instances/scratch"
    assert (world.state.parent / "volumes" / LUSTRE).is_dir()

    world.delete(LUSTRE)
    assert not (world.state.parent / "volumes").exists() or not list((world.state.parent / "volumes").iterdir())


def test_a_lustre_instance_lies_in_a_zone_of_a_peered_network(world: World) -> None:
    region = LUSTRE.replace("us-west4-a", "us-west4")
    assert world.refusal(lambda: world.cloud.create(Kind.LUSTRE, region, INSTANCE)).message == (
        "location us-west4: an instance is created in a zone"
    )
    assert world.refusal(lambda: world.cloud.create(Kind.LUSTRE, LUSTRE, INSTANCE)).message == (
        f"network {NETWORK} has no private services access: allocate a range of purpose VPC_PEERING and connect the "
        "network to servicenetworking.googleapis.com"
    )


def test_the_capacity_of_a_lustre_instance_only_grows_within_its_step(world: World) -> None:
    _peer(world)
    world.make(Kind.LUSTRE, LUSTRE, INSTANCE)

    assert world.update(LUSTRE, {"capacityGib": "36000"})["error"] is None
    assert world.cloud.get(LUSTRE)["state"] == "ACTIVE"
    smaller = world.refusal(lambda: world.cloud.update(LUSTRE, {"capacityGib": "18000"}))
    assert smaller.message == "capacityGib 18000: capacity cannot be decreased from 36000"
    larger = world.refusal(lambda: world.cloud.update(LUSTRE, {"capacityGib": "3168000"}))
    assert larger.message.startswith("capacityGib 3168000: an instance of 36000 GiB can be increased up to 3060000")
    fixed = world.refusal(lambda: world.cloud.update(LUSTRE, {"perUnitStorageThroughput": "1000"}))
    assert "cannot be changed after creation" in fixed.message


def test_private_services_access_goes_after_its_instances(world: World) -> None:
    _peer(world)
    world.make(Kind.LUSTRE, LUSTRE, INSTANCE)

    assert world.refusal(lambda: world.cloud.delete(CONNECTION)).message.startswith("Failed to delete connection; ")
    assert world.refusal(lambda: world.cloud.delete(RANGE)).status == "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE"
    for name in (LUSTRE, CONNECTION, RANGE):
        assert world.delete(name)["error"] is None


def test_a_connection_names_ranges_of_its_network(world: World) -> None:
    refused = world.refusal(lambda: world.cloud.create(Kind.CONNECTION, CONNECTION, {"reservedPeeringRanges": ["x"]}))
    assert refused.message == f"Cannot find an allocated range named x in network {NETWORK}."
    _peer(world)
    again = world.refusal(lambda: world.cloud.create(Kind.CONNECTION, CONNECTION, {"reservedPeeringRanges": []}))
    assert again.message == "Cannot modify allocated ranges in CreateConnection. Please use UpdateConnection."


def test_a_disk_has_the_performance_of_its_type(world: World) -> None:
    made = world.make(Kind.DISK, DISK, {"type": "hyperdisk-ml", "sizeGb": "200"})

    assert (made["provisionedThroughput"], made["accessMode"]) == ("400", "READ_WRITE_SINGLE")
    assert world.update(DISK, {"provisionedThroughput": "2000", "sizeGb": "300"})["error"] is None
    smaller = world.refusal(lambda: world.cloud.update(DISK, {"sizeGb": "100"}))
    assert smaller.message.endswith("New disk size '100' GiB must be larger than existing size '300' GiB.")


def test_a_secret_is_deleted_with_its_versions(world: World) -> None:
    member = f"{HIDDEN}/iam/roles/secretmanager.secretAccessor/user:a@example.com"
    missing = world.refusal(lambda: world.cloud.create(Kind.IAM_MEMBER, member, {}))
    assert (missing.code, missing.message) == (404, f"Secret [{HIDDEN}] not found.")

    world.make(Kind.CONFIDENTIAL, HIDDEN, {})
    world.make(Kind.IAM_MEMBER, member, {})
    world.make(Kind.CONFIDENTIAL_VERSION, f"{HIDDEN}/versions/1", {"payload": {"data": "eA=="}})
    again = world.refusal(lambda: world.cloud.create(Kind.CONFIDENTIAL, HIDDEN, {}))
    assert again.message == f"Secret [{HIDDEN}] already exists."

    world.delete(HIDDEN)
    assert world.cloud.list(Kind.CONFIDENTIAL_VERSION) == []


def test_a_bucket_with_objects_stays(world: World) -> None:
    world.make(Kind.BUCKET, "b/outputs", {"location": "us"})
    folder = world.state.parent / "volumes" / "b" / "outputs"
    folder.mkdir(parents=True)
    (folder / "model.bin").write_text("x")

    refused = world.refusal(lambda: world.cloud.delete("b/outputs"))
    assert (refused.code, refused.message) == (409, "The bucket you tried to delete is not empty.")
    world.update("b/outputs", {"emptied": True})
    assert world.delete("b/outputs")["error"] is None


def test_a_principal_belongs_to_the_pool_of_a_cluster(world: World) -> None:
    pool = "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/acme.svc.id.goog"
    name = f"projects/acme/iam/roles/logging.logWriter/{pool}/subject/ns/team/sa/runner"

    missing = world.refusal(lambda: world.cloud.create(Kind.IAM_MEMBER, name, {}))
    assert missing.message.startswith("Identity Pool does not exist (acme.svc.id.goog).")
    world.make_cluster({"autopilot": {"enabled": True}})
    assert world.make(Kind.IAM_MEMBER, name, {})["role"] == "roles/logging.logWriter"


ADD_ON = "addonsConfig"
IDENTITY: Body = {"workloadIdentityConfig": {"workloadPool": "acme.svc.id.goog"}}


def test_add_ons_come_and_go_with_their_switch(world: World) -> None:
    cluster = world.make_cluster({"initialNodeCount": 1, **IDENTITY, ADD_ON: {"rayOperatorConfig": {"enabled": True}}})
    assert world.machines.add_ons[cluster] == ["GcePersistentDiskCsiDriver", "RayOperator"]

    world.update(cluster, {"secretManagerConfig": {"enabled": True}, ADD_ON: {"rayOperatorConfig": {"enabled": False}}})
    assert world.machines.add_ons[cluster] == ["GcePersistentDiskCsiDriver", "SecretManager"]
