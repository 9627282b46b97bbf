"""Filestore, buckets, service accounts, IAM members and enabled APIs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cloud.api import Body, Kind

if TYPE_CHECKING:
    from tests.simulator.conftest import World

PLACE = "projects/acme/locations/us-west4-a/instances"
BASIC: Body = {
    "tier": "BASIC_HDD",
    "fileShares": [{"name": "data", "capacityGb": "1024"}],
    "networks": [{"network": "default", "modes": ["MODE_IPV4"]}],
}
ACCOUNT = "projects/acme/serviceAccounts/runner@acme.iam.gserviceaccount.com"
NODES = "serviceAccount:runner@acme.iam.gserviceaccount.com"


def _of(tier: str, capacity: int) -> Body:
    return BASIC | {"tier": tier, "fileShares": [{"name": "data", "capacityGb": str(capacity)}]}


def test_an_instance_has_an_address_of_its_own(world: World) -> None:
    first = world.make(Kind.FILESTORE, f"{PLACE}/one", BASIC)["networks"][0]
    second = world.make(Kind.FILESTORE, f"{PLACE}/two", BASIC)["networks"][0]

    assert (first["reservedIpRange"], first["ipAddresses"]) == ("10.0.0.0/29", ["10.0.0.2"])
    assert (second["reservedIpRange"], second["ipAddresses"]) == ("10.0.0.8/29", ["10.0.0.10"])


def test_a_basic_instance_grows_only(world: World) -> None:
    name = f"{PLACE}/one"
    world.make(Kind.FILESTORE, name, BASIC)
    grown = {"fileShares": [{"name": "data", "capacityGb": "2048"}]}

    assert world.update(name, grown)["error"] is None
    refused = world.refusal(lambda: world.cloud.update(name, {"fileShares": BASIC["fileShares"]}))

    assert refused.message == (
        "capacityGb 1024: an instance of tier BASIC_HDD cannot be made smaller than its present 2048"
    )
    assert world.cloud.get(name)["state"] == "READY"


def test_a_protected_instance_stays(world: World) -> None:
    name = f"{PLACE}/one"
    world.make(Kind.FILESTORE, name, _of("ZONAL", 1024) | {"deletionProtectionEnabled": True})

    refused = world.refusal(lambda: world.cloud.delete(name))

    assert (refused.status, refused.message) == (
        "FAILED_PRECONDITION",
        f"Instance {name} has deletion protection enabled.",
    )


def test_an_account_is_named_once(world: World) -> None:
    account = world.make(Kind.SERVICE_ACCOUNT, ACCOUNT, {"displayName": "Nodes"})
    assert account["email"] == "runner@acme.iam.gserviceaccount.com"
    assert (len(account["uniqueId"]), account["uniqueId"].isdecimal()) == (21, True)

    again = world.refusal(lambda: world.cloud.create(Kind.SERVICE_ACCOUNT, ACCOUNT, {}))

    assert (again.code, again.message) == (409, "Service account runner already exists within project projects/acme.")


def test_a_bucket_says_what_was_asked_and_what_is_usual(world: World) -> None:
    access = {"iamConfiguration": {"uniformBucketLevelAccess": {"enabled": True}}}

    bucket = world.make(Kind.BUCKET, "b/outputs", {"location": "us-west4", **access})

    assert (bucket["location"], bucket["storageClass"]) == ("US-WEST4", "STANDARD")
    assert bucket["iamConfiguration"] == {
        "uniformBucketLevelAccess": {"enabled": True},
        "publicAccessPrevention": "inherited",
    }
    again = world.refusal(lambda: world.cloud.create(Kind.BUCKET, "b/outputs", {"location": "us"}))
    assert again.message == "Your previous request to create the named bucket succeeded and you already own it."
