"""Imports: every form of id that the real provider documents, and inputs that need no change afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.providers.base import ProviderError

if TYPE_CHECKING:
    from simulator.providers.values import Properties
    from tests.simulator.conftest import GcpWorld

SUBNETWORK: Properties = {
    "name": "nodes",
    "network": "vpc",
    "ipCidrRange": "10.1.0.0/20",
    "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}],
}
EVERYTHING: list[tuple[str, Properties, tuple[str, ...]]] = [
    (
        "gcp:compute/network:Network",
        {"name": "vpc", "autoCreateSubnetworks": False},
        ("projects/acme/global/networks/vpc", "acme/vpc", "vpc"),
    ),
    (
        "gcp:compute/subnetwork:Subnetwork",
        SUBNETWORK,
        ("projects/acme/regions/us-west4/subnetworks/nodes", "acme/us-west4/nodes", "us-west4/nodes", "nodes"),
    ),
    (
        "gcp:compute/router:Router",
        {"name": "router", "network": "vpc"},
        ("projects/acme/regions/us-west4/routers/router", "acme/us-west4/router", "us-west4/router", "router"),
    ),
    (
        "gcp:compute/routerNat:RouterNat",
        {
            "name": "nat",
            "router": "router",
            "natIpAllocateOption": "AUTO_ONLY",
            "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
        },
        (
            "acme/us-west4/router/nat",
            "projects/acme/regions/us-west4/routers/router/nat",
            "us-west4/router/nat",
            "router/nat",
        ),
    ),
    (
        "gcp:compute/firewall:Firewall",
        {"name": "rule", "network": "vpc", "allows": [{"protocol": "tcp", "ports": ["9443"]}]},
        ("projects/acme/global/firewalls/rule", "acme/rule", "rule"),
    ),
    (
        "gcp:compute/resourcePolicy:ResourcePolicy",
        {"name": "mesh", "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}},
        ("projects/acme/regions/us-west4/resourcePolicies/mesh", "acme/us-west4/mesh", "us-west4/mesh", "mesh"),
    ),
    (
        "gcp:container/cluster:Cluster",
        {"name": "tpus", "initialNodeCount": 1, "releaseChannel": {"channel": "RAPID"}},
        ("projects/acme/locations/us-west4/clusters/tpus", "acme/us-west4/tpus", "us-west4/tpus"),
    ),
    (
        "gcp:container/nodePool:NodePool",
        {
            "name": "slice",
            "cluster": "tpus",
            "nodeCount": 2,
            "nodeLocations": ["us-west4-a"],
            "nodeConfig": {"machineType": "ct5lp-hightpu-4t", "labels": {"team": "a"}},
            "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
        },
        (
            "projects/acme/locations/us-west4/clusters/tpus/nodePools/slice",
            "acme/us-west4/tpus/slice",
            "us-west4/tpus/slice",
        ),
    ),
    (
        "gcp:serviceaccount/account:Account",
        {"accountId": "tpu-nodes", "displayName": "Nodes"},
        (
            "projects/acme/serviceAccounts/tpu-nodes@acme.iam.gserviceaccount.com",
            "tpu-nodes@acme.iam.gserviceaccount.com",
        ),
    ),
    (
        "gcp:projects/iAMMember:IAMMember",
        {"project": "acme", "role": "roles/viewer", "member": "user:a@example.com"},
        ("acme/roles/viewer/user:a@example.com", "acme roles/viewer user:a@example.com"),
    ),
    (
        "gcp:serviceaccount/iAMMember:IAMMember",
        {
            "serviceAccountId": "projects/acme/serviceAccounts/tpu-nodes@acme.iam.gserviceaccount.com",
            "role": "roles/iam.serviceAccountUser",
            "member": "user:a@example.com",
        },
        (
            (
                "projects/acme/serviceAccounts/tpu-nodes@acme.iam.gserviceaccount.com/roles/iam.serviceAccountUser/"
                "user:a@example.com"
            ),
            (
                "projects/acme/serviceAccounts/tpu-nodes@acme.iam.gserviceaccount.com roles/iam.serviceAccountUser "
                "user:a@example.com"
            ),
        ),
    ),
    (
        "gcp:projects/service:Service",
        {"service": "container.googleapis.com"},
        ("acme/container.googleapis.com",),
    ),
    (
        "gcp:filestore/instance:Instance",
        {
            "name": "shared",
            "tier": "ZONAL",
            "location": "us-west4-a",
            "fileShares": {"name": "data", "capacityGb": 1024},
            "networks": [{"network": "default", "modes": ["MODE_IPV4"]}],
        },
        ("projects/acme/locations/us-west4-a/instances/shared", "acme/us-west4-a/shared", "us-west4-a/shared"),
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"name": "outputs", "location": "us", "uniformBucketLevelAccess": True},
        ("outputs", "acme/outputs"),
    ),
    (
        "gcp:storage/bucketIAMMember:BucketIAMMember",
        {"bucket": "outputs", "role": "roles/storage.objectUser", "member": "user:a@example.com"},
        (
            "b/outputs/roles/storage.objectUser/user:a@example.com",
            "b/outputs roles/storage.objectUser user:a@example.com",
        ),
    ),
    (
        "gcp:compute/globalAddress:GlobalAddress",
        {
            "name": "peering",
            "addressType": "INTERNAL",
            "purpose": "VPC_PEERING",
            "prefixLength": 20,
            "network": "projects/acme/global/networks/vpc",
        },
        ("projects/acme/global/addresses/peering", "acme/peering", "peering"),
    ),
    (
        "gcp:servicenetworking/connection:Connection",
        {
            "network": "projects/acme/global/networks/vpc",
            "service": "servicenetworking.googleapis.com",
            "reservedPeeringRanges": ["peering"],
        },
        (
            "projects%2Facme%2Fglobal%2Fnetworks%2Fvpc:servicenetworking.googleapis.com",
            "/projects/acme/global/networks/vpc:servicenetworking.googleapis.com",
        ),
    ),
    (
        "gcp:lustre/instance:Instance",
        {
            "instanceId": "scratch",
            "location": "us-west4-a",
            "filesystem": "scratch",
            "capacityGib": "18000",
            "perUnitStorageThroughput": "1000",
            "network": "projects/acme/global/networks/vpc",
        },
        ("projects/acme/locations/us-west4-a/instances/scratch", "acme/us-west4-a/scratch", "us-west4-a/scratch"),
    ),
    (
        "gcp:compute/disk:Disk",
        {"name": "weights", "zone": "us-west4-a", "type": "hyperdisk-ml", "size": 200, "provisionedThroughput": 2400},
        ("projects/acme/zones/us-west4-a/disks/weights", "acme/us-west4-a/weights", "us-west4-a/weights"),
    ),
    (
        "gcp:secretmanager/secret:Secret",
        {"secretId": "hf-token", "replication": {"auto": {}}},
        ("projects/acme/secrets/hf-token", "acme/hf-token", "hf-token"),
    ),
    (
        "gcp:secretmanager/secretIamMember:SecretIamMember",
        {
            "secretId": "projects/acme/secrets/hf-token",
            "role": "roles/secretmanager.secretAccessor",
            "member": "user:a@example.com",
        },
        (
            "projects/acme/secrets/hf-token/roles/secretmanager.secretAccessor/user:a@example.com",
            "projects/acme/secrets/hf-token roles/secretmanager.secretAccessor user:a@example.com",
        ),
    ),
]


def test_every_resource_comes_back_as_it_was_declared(gcp: GcpWorld) -> None:
    for token, inputs, ids in EVERYTHING:
        made = gcp.up(token, "made", inputs)
        assert made.id == ids[0], token
        for id_ in ids:
            found = gcp.provider.read(gcp.target(token, "made"), id_, {}, {})
            assert found is not None, (token, id_)
            assert found.id == made.id
            stated = {key: value for key, value in found.inputs.items() if key != "__defaults"}
            again = gcp.checked(token, "made", stated)
            assert gcp.provider.diff(made.target, found.id, found.inputs, found.outputs, again, []).changes == {}
            declared = gcp.provider.diff(made.target, found.id, found.inputs, found.outputs, made.inputs, [])
            assert declared.changes == {}, (token, id_)


def test_a_refresh_right_after_creation_changes_nothing(gcp: GcpWorld) -> None:
    for token, inputs, _ in EVERYTHING:
        made = gcp.up(token, "made", inputs)
        before = (made.inputs, made.outputs)
        assert gcp.refresh(made)
        assert (made.inputs, made.outputs) == before, token
        assert gcp.diff(made, inputs).changes == {}, token


def test_what_is_not_there_is_not_imported(gcp: GcpWorld) -> None:
    assert gcp.provider.read(gcp.target("gcp:compute/network:Network", "vpc"), "nowhere", {}, {}) is None


def test_another_form_of_id_is_refused(gcp: GcpWorld) -> None:
    target = gcp.target("gcp:container/cluster:Cluster", "cluster")

    with pytest.raises(ProviderError) as caught:
        gcp.provider.read(target, "tpus", {}, {})

    assert str(caught.value) == (
        'Import id "tpus" doesn\'t match any of the accepted formats: '
        "[projects/{{project}}/locations/{{location}}/clusters/{{name}}, {{project}}/{{location}}/{{name}}, "
        "{{location}}/{{name}}]"
    )
