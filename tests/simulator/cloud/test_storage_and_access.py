"""Filestore, buckets, service accounts, IAM members and enabled APIs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, Kind
from simulator.cloud.service import merged

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


@pytest.mark.parametrize(
    ("location", "body", "text"),
    [
        (
            "us-west4-a",
            _of("GOLD", 1024),
            "tier GOLD is not one of BASIC_HDD, BASIC_SSD, ZONAL, REGIONAL, ENTERPRISE",
        ),
        ("us-west4", BASIC, "location us-west4: an instance of tier BASIC_HDD is created in a zone"),
        (
            "us-west4-a",
            _of("ENTERPRISE", 1024),
            "location us-west4-a: an instance of tier ENTERPRISE is created in a region",
        ),
        (
            "us-west4-a",
            _of("BASIC_HDD", 1000),
            "fileShares[0].capacityGb 1000: tier BASIC_HDD takes 1024 to 65433 in steps of 1",
        ),
        (
            "us-west4-a",
            _of("ZONAL", 11000),
            "fileShares[0].capacityGb 11000: tier ZONAL takes 100 to 102400 in steps of 2560",
        ),
        (
            "us-west4-a",
            merged(BASIC, {"fileShares": [{"name": "a" * 17, "capacityGb": "1024"}]}),
            "fileShares[0].name aaaaaaaaaaaaaaaaa: at most 16 characters",
        ),
        (
            "us-west4-a",
            BASIC | {"protocol": "NFS_V4_1"},
            "protocol NFS_V4_1 is not supported by tier BASIC_HDD",
        ),
        (
            "us-west4-a",
            BASIC | {"deletionProtectionEnabled": True},
            "deletionProtectionEnabled is not supported by tier BASIC_HDD",
        ),
        (
            "us-west4-a",
            BASIC | {"networks": [{"network": "default", "reservedIpRange": "10.182.0.8/29"}]},
            "networks[0].reservedIpRange 10.182.0.8/29 overlaps 10.182.0.0/20 of the network",
        ),
    ],
)
def test_an_instance_is_refused(world: World, location: str, body: Body, text: str) -> None:
    name = f"projects/acme/locations/{location}/instances/one"

    assert world.refusal(lambda: world.cloud.create(Kind.FILESTORE, name, body)).message == text


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


@pytest.mark.parametrize(
    ("kind", "name", "code", "text"),
    [
        (
            Kind.SERVICE_ACCOUNT,
            "projects/acme/serviceAccounts/me@acme.iam.gserviceaccount.com",
            400,
            'Invalid account ID "me": 6 to 30 lower case letters, digits and hyphens, a letter first.',
        ),
        (
            Kind.IAM_MEMBER,
            f"projects/acme/iam/roles/viewer/{NODES}",
            400,
            "Service account runner@acme.iam.gserviceaccount.com does not exist.",
        ),
        (
            Kind.IAM_MEMBER,
            "projects/acme/iam/roles/viewer/somebody",
            400,
            "Invalid member somebody: an identity is TYPE:ID, such as user:EMAIL or serviceAccount:EMAIL.",
        ),
        (
            Kind.IAM_MEMBER,
            "projects/acme/iam/roles/viewer/serviceAccount:acme.svc.id.goog[team/runner]",
            400,
            (
                "Identity Pool does not exist (acme.svc.id.goog). Please check that you specified a valid resource "
                "name as returned in the `name` attribute in the configuration API."
            ),
        ),
        (Kind.IAM_MEMBER, "b/none/iam/roles/viewer/user:a@example.com", 404, "b/none was not found"),
        (
            Kind.SERVICE,
            "projects/acme/services/compute",
            403,
            "Not found or permission denied for service(s): compute.",
        ),
        (Kind.BUCKET, "b/Bucket", 400, "Invalid bucket name: 'Bucket'"),
    ],
)
def test_a_request_is_refused(world: World, kind: str, name: str, code: int, text: str) -> None:
    refused = world.refusal(lambda: world.cloud.create(kind, name, {"location": "us"}))

    assert (refused.code, refused.message) == (code, text)


def test_workloads_have_identities_once_a_cluster_has_the_pool(world: World) -> None:
    world.make_cluster({"autopilot": {"enabled": True}})
    world.make(Kind.SERVICE_ACCOUNT, ACCOUNT, {})
    name = f"{ACCOUNT}/iam/roles/iam.workloadIdentityUser/serviceAccount:acme.svc.id.goog[team/runner]"

    member = world.make(Kind.IAM_MEMBER, name, {})

    assert (member["resource"], member["role"]) == (ACCOUNT, "roles/iam.workloadIdentityUser")


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
