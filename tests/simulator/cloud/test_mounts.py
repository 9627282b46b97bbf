"""What the pods of a cluster reach in the cloud, and who may."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, CloudError, Kind
from simulator.pods.storage import Identity
from tests.simulator.conftest import CLUSTER, World

if TYPE_CHECKING:
    from simulator.cloud.mounts import Mounts

POOL = "iam.googleapis.com/projects/12/locations/global/workloadIdentityPools/acme.svc.id.goog"
WHO = Identity(namespace="team", account="runner")
ACCOUNT = "runner@acme.iam.gserviceaccount.com"
HIDDEN = "projects/acme/secrets/hf-token"
NETWORK = "projects/acme/global/networks/default"
AS_RUNNER = Identity(namespace="team", account="runner", google_account=ACCOUNT)


@pytest.fixture
def mounts(world: World) -> Mounts:
    """Those of a cluster with Workload Identity; the project has a bucket."""
    world.make_cluster({"initialNodeCount": 1, "workloadIdentityConfig": {"workloadPool": "acme.svc.id.goog"}})
    world.make(Kind.BUCKET, "b/data", {"location": "us", "project": "acme"})
    return world.cloud.mounts(CLUSTER)


def _refused(mounts: Mounts, bucket: str, who: Identity) -> CloudError:
    with pytest.raises(CloudError) as caught:
        mounts.bucket(bucket, who)
    return caught.value


@pytest.mark.parametrize(
    ("resource", "role", "member"),
    [
        ("b/data", "roles/storage.objectViewer", "serviceAccount:acme.svc.id.goog[team/runner]"),
        ("b/data", "roles/storage.objectUser", f"principal://{POOL}/subject/ns/team/sa/runner"),
        ("projects/acme", "roles/storage.objectAdmin", f"principalSet://{POOL}/namespace/team"),
        (
            "b/data",
            "roles/storage.objectViewer",
            f"principalSet://{POOL}/kubernetes.cluster/https://container.googleapis.com/v1/{CLUSTER}",
        ),
        ("b/data", "roles/storage.objectViewer", "allAuthenticatedUsers"),
        ("b/data", "projects/acme/roles/reader", f"principal://{POOL}/subject/ns/team/sa/runner"),
    ],
)
def test_a_member_with_a_role_reaches_the_bucket(
    world: World, mounts: Mounts, resource: str, role: str, member: str
) -> None:
    refused = _refused(mounts, "data", WHO)
    assert (refused.code, refused.message.partition(" to ")[0]) == (
        403,
        "Caller does not have storage.objects.list access",
    )

    world.make(Kind.IAM_MEMBER, f"{resource}/iam/{role}/{member}", {})
    assert mounts.bucket("data", WHO) == world.state.parent / "volumes" / "b" / "data"


@pytest.mark.parametrize(
    ("role", "member"),
    [
        ("roles/storage.objectCreator", f"principal://{POOL}/subject/ns/team/sa/runner"),
        ("roles/storage.objectViewer", f"principal://{POOL}/subject/ns/team/sa/other"),
        ("roles/storage.objectViewer", f"principalSet://{POOL}/namespace/other"),
    ],
)
def test_another_role_or_member_does_not(world: World, mounts: Mounts, role: str, member: str) -> None:
    world.make(Kind.IAM_MEMBER, f"b/data/iam/{role}/{member}", {})
    assert _refused(mounts, "data", WHO).code == 403


def test_a_bucket_that_does_not_exist_is_told_first(mounts: Mounts) -> None:
    assert (_refused(mounts, "none", WHO).code, _refused(mounts, "none", WHO).message) == (
        404,
        "The specified bucket does not exist.",
    )


def test_who_acts_as_a_google_account_needs_leave_and_has_its_roles(world: World, mounts: Mounts) -> None:
    account = f"projects/acme/serviceAccounts/{ACCOUNT}"
    world.make(Kind.SERVICE_ACCOUNT, account, {})
    assert "iam.serviceAccounts.getAccessToken" in _refused(mounts, "data", AS_RUNNER).message

    member = "serviceAccount:acme.svc.id.goog[team/runner]"
    world.make(Kind.IAM_MEMBER, f"{account}/iam/roles/iam.workloadIdentityUser/{member}", {})
    assert _refused(mounts, "data", AS_RUNNER).message.startswith(f"{ACCOUNT} does not have storage.objects.list")

    world.make(Kind.IAM_MEMBER, f"b/data/iam/roles/storage.objectUser/serviceAccount:{ACCOUNT}", {})
    assert mounts.bucket("data", AS_RUNNER).is_dir()


def test_a_node_is_its_pools_account(mounts: Mounts) -> None:
    refused = _refused(mounts, "data", Identity(pool="default-pool"))
    assert refused.message.startswith("acme-compute@developer.gserviceaccount.com does not have")


def test_the_newest_version_of_a_secret_is_read_by_whoever_may(world: World, mounts: Mounts) -> None:
    latest = f"{HIDDEN}/versions/latest"
    with pytest.raises(CloudError, match=r"Permission 'secretmanager.versions.access' denied"):
        mounts.secret(latest, WHO)
    world.make(Kind.CONFIDENTIAL, HIDDEN, {})
    member = f"principal://{POOL}/subject/ns/team/sa/runner"
    world.make(Kind.IAM_MEMBER, f"{HIDDEN}/iam/roles/secretmanager.secretAccessor/{member}", {})
    with pytest.raises(CloudError, match=r"not found or has no versions\."):
        mounts.secret(latest, WHO)

    for number in (9, 10):
        body: Body = {"payload": {"data": base64.b64encode(f"v{number}".encode()).decode()}}
        world.make(Kind.CONFIDENTIAL_VERSION, f"{HIDDEN}/versions/{number}", body)
    assert (mounts.secret(latest, WHO), mounts.secret(f"{HIDDEN}/versions/9", WHO)) == (b"v10", b"v9")


def test_a_lustre_instance_answers_its_network_and_port(world: World, mounts: Mounts) -> None:
    address = {"addressType": "INTERNAL", "purpose": "VPC_PEERING", "network": NETWORK, "prefixLength": 20}
    world.make(Kind.GLOBAL_ADDRESS, "projects/acme/global/addresses/peering", address)
    connection = f"{NETWORK}/connections/servicenetworking.googleapis.com"
    world.make(Kind.CONNECTION, connection, {"reservedPeeringRanges": ["peering"]})
    instance = {"capacityGib": "9000", "perUnitStorageThroughput": "1000", "filesystem": "fs", "network": NETWORK}
    name = "projects/acme/locations/us-west4-a/lustreInstances"
    found = {
        is_legacy: world.make(Kind.LUSTRE, f"{name}/i{is_legacy:d}", {**instance, "gkeSupportEnabled": is_legacy})
        for is_legacy in (False, True)
    }
    reached = {
        is_legacy: mounts.lustre(body["mountPoint"].partition("@")[0], "fs") for is_legacy, body in found.items()
    }

    assert (reached[False] is not None, reached[True]) == (True, None)
    assert mounts.lustre("10.1.2.3", "fs") is None
    world.update(
        CLUSTER, {"addonsConfig": {"lustreCsiDriverConfig": {"enabled": True, "enableLegacyLustrePort": True}}}
    )
    assert mounts.lustre(found[True]["mountPoint"].partition("@")[0], "fs") is not None


def test_a_disk_is_made_once_and_deleted(world: World, mounts: Mounts) -> None:
    name = "projects/acme/zones/us-west4-a/disks/pvc-1"
    for _ in range(2):
        mounts.make_disk(name, {"type": "pd-ssd", "sizeGb": "10"})
    assert mounts.disk(name) == world.state.parent / "volumes" / name
    with pytest.raises(CloudError, match="floppy"):
        mounts.make_disk(f"{name}2", {"type": "floppy"})
    for _ in range(2):
        mounts.delete_disk(name)
    assert mounts.disk(name) is None
    assert [each["name"] for each in world.cloud.volumes()] == ["b/data"]
