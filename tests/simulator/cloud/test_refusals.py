"""What the cloud refuses to create, with the code and the whole text of each refusal in `refusals.yaml`.

Node pools have a file of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from simulator.cloud.api import Body, Kind
from tests.golden import assert_golden
from tests.simulator.conftest import CLUSTER, ZONE, World

_GOLDEN: Final = Path(__file__).parent / "refusals.yaml"
_DEFAULT: Final = "projects/acme/global/networks/default"
_NETWORK: Final = "projects/acme/global/networks/vpc"
_REGION: Final = "projects/acme/regions/us-west4"
_PLACE: Final = f"projects/acme/locations/{ZONE}"
_NODES: Final = "serviceAccount:runner@acme.iam.gserviceaccount.com"

Case = tuple[Kind, str, Body]


def _cluster(**settings: object) -> Case:
    return Kind.CLUSTER, CLUSTER, {"initialNodeCount": 1, **settings}


def _elsewhere(location: str, **settings: object) -> Case:
    return Kind.CLUSTER, f"projects/acme/locations/{location}/clusters/tpus", {"initialNodeCount": 1, **settings}


def _autopilot(**add_ons: object) -> Case:
    return Kind.CLUSTER, CLUSTER, {"autopilot": {"enabled": True}, "addonsConfig": add_ons}


def _subnetwork(cidr: str, *pods: str, region: str = "us-west4", network: str = _NETWORK) -> Case:
    """A subnetwork with secondary ranges, all named `pods`."""
    secondary = [{"rangeName": "pods", "ipCidrRange": each} for each in pods]
    body = {"network": network, "ipCidrRange": cidr, "secondaryIpRanges": secondary}
    return Kind.SUBNETWORK, f"projects/acme/regions/{region}/subnetworks/more", body


def _policy(**workload_policy: str) -> Case:
    return Kind.RESOURCE_POLICY, f"{_REGION}/resourcePolicies/policy", {"workloadPolicy": workload_policy}


def _share(tier: str, capacity: int, location: str = ZONE, **settings: object) -> Case:
    share = {"name": "data", "capacityGb": str(capacity)}
    body: Body = {"tier": tier, "fileShares": [share], "networks": [{"network": "default", "modes": ["MODE_IPV4"]}]}
    return Kind.FILESTORE, f"projects/acme/locations/{location}/instances/one", body | settings


def _lustre(**change: object) -> Case:
    body = {"capacityGib": "18000", "filesystem": "scratch", "network": _DEFAULT, "perUnitStorageThroughput": "500"}
    return Kind.LUSTRE, f"{_PLACE}/lustreInstances/scratch", body | change


def _range(**change: object) -> Case:
    body = {"addressType": "INTERNAL", "purpose": "VPC_PEERING", "network": _DEFAULT, "prefixLength": 20}
    return Kind.GLOBAL_ADDRESS, "projects/acme/global/addresses/more", body | change


def _disk(kind: str, size: int = 100, **performance: str) -> Case:
    return Kind.DISK, f"projects/acme/zones/{ZONE}/disks/data", {"type": kind, "sizeGb": str(size), **performance}


def _member(member: str, resource: str = "projects/acme") -> Case:
    return Kind.IAM_MEMBER, f"{resource}/iam/roles/viewer/{member}", {}


_CASES: Final[dict[str, Case]] = {
    "add-on: cannot be off on Autopilot": _autopilot(gcsFuseCsiDriverConfig={"enabled": False}),
    "add-on: not on Autopilot": _autopilot(highScaleCheckpointingConfig={"enabled": True}),
    "add-on: without Workload Identity": _cluster(addonsConfig={"highScaleCheckpointingConfig": {"enabled": True}}),
    "add-on: secrets without Workload Identity": _cluster(secretManagerConfig={"enabled": True}),
    "API: not its name": (Kind.SERVICE, "projects/acme/services/compute", {}),
    "bucket: malformed name": (Kind.BUCKET, "b/Bucket", {"location": "us"}),
    "cluster: no nodes": _cluster(initialNodeCount=0),
    "cluster: unknown network": _cluster(network="nowhere"),
    "cluster: unknown range": _cluster(ipAllocationPolicy={"clusterSecondaryRangeName": "pods"}),
    "cluster: unknown version": _cluster(initialClusterVersion="1.33.0-gke.1712000"),
    "cluster: unknown minor version": _cluster(initialClusterVersion="1.33"),
    "cluster: control plane range too large": _cluster(privateClusterConfig={"masterIpv4CidrBlock": "172.16.0.0/24"}),
    "cluster: control plane range in use": _cluster(privateClusterConfig={"masterIpv4CidrBlock": "10.182.0.0/28"}),
    "cluster: authorized network that is none": _cluster(
        masterAuthorizedNetworksConfig={"enabled": True, "cidrBlocks": [{"cidrBlock": "10.0.0.1/8"}]}
    ),
    "cluster: default pool of an unknown machine": _cluster(nodeConfig={"machineType": "e9-huge"}),
    "cluster: zone of another region": _cluster(locations=["us-west1-a"]),
    "cluster: unknown region": _elsewhere("us-west9"),
    "cluster: unknown zone": _elsewhere("us-west4-q"),
    "cluster: Autopilot in a zone": _elsewhere(ZONE, autopilot={"enabled": True}),
    "disk: unknown type": _disk("floppy"),
    "disk: too small": _disk("hyperdisk-ml", 3),
    "disk: IOPS of a type without": _disk("hyperdisk-ml", provisionedIops="3000"),
    "disk: too many IOPS": _disk("hyperdisk-balanced", provisionedIops="60000"),
    "disk: too little throughput": _disk("hyperdisk-balanced", provisionedThroughput="100"),
    "disk: throughput of a persistent disk": _disk("pd-ssd", provisionedThroughput="200"),
    "Filestore: unknown tier": _share("GOLD", 1024),
    "Filestore: basic tier in a region": _share("BASIC_HDD", 1024, "us-west4"),
    "Filestore: regional tier in a zone": _share("ENTERPRISE", 1024),
    "Filestore: capacity below the least": _share("BASIC_HDD", 1000),
    "Filestore: capacity between steps": _share("ZONAL", 11000),
    "Filestore: long name of a share": _share("BASIC_HDD", 0, fileShares=[{"name": "a" * 17, "capacityGb": "1024"}]),
    "Filestore: NFS 4 of a basic tier": _share("BASIC_HDD", 1024, protocol="NFS_V4_1"),
    "Filestore: protection of a basic tier": _share("BASIC_HDD", 1024, deletionProtectionEnabled=True),
    "Filestore: range in use": _share(
        "BASIC_HDD", 1024, networks=[{"network": "default", "reservedIpRange": "10.182.0.8/29"}]
    ),
    "firewall: says nothing": (Kind.FIREWALL, "projects/acme/global/firewalls/rule", {"network": _NETWORK}),
    "Lustre: capacity between steps": _lustre(capacityGib="20000"),
    "Lustre: capacity between larger steps": _lustre(capacityGib="3100000"),
    "Lustre: unknown throughput": _lustre(perUnitStorageThroughput="300"),
    "Lustre: no throughput": _lustre(perUnitStorageThroughput=None),
    "Lustre: malformed file system": _lustre(filesystem="a-b"),
    "Lustre: short name of a network": _lustre(network="default"),
    "member: account that is not there": _member(_NODES),
    "member: malformed": _member("somebody"),
    "member: pool that is not there": _member("serviceAccount:acme.svc.id.goog[team/runner]"),
    "member: resource that is not there": _member("user:a@example.com", "b/none"),
    "network: malformed name": (Kind.NETWORK, "projects/acme/global/networks/Vpc_1", {}),
    "policy: no type": _policy(type="FAST"),
    "policy: no topology": _policy(type="HIGH_THROUGHPUT", acceleratorTopology="big"),
    "range: another purpose": _range(purpose="PRIVATE_SERVICE_CONNECT"),
    "range: too small": _range(prefixLength=30),
    "range: in use": _range(address="10.182.0.0"),
    "range: network that is not there": _range(network="none"),
    "router: two gateways of one name": (
        Kind.ROUTER,
        f"{_REGION}/routers/router",
        {"network": _NETWORK, "nats": [{"name": "nat"}, {"name": "nat"}]},
    ),
    "service account: malformed id": (
        Kind.SERVICE_ACCOUNT,
        "projects/acme/serviceAccounts/me@acme.iam.gserviceaccount.com",
        {},
    ),
    "subnetwork: network that is not there": _subnetwork("10.0.16.0/20", network="nowhere"),
    "subnetwork: range of a neighbour": _subnetwork("10.0.8.0/21"),
    "subnetwork: secondary range of a neighbour": _subnetwork("10.1.0.0/20", "10.5.0.0/16", region="us-central1"),
    "subnetwork: own ranges overlap": _subnetwork("10.1.0.0/20", "10.1.8.0/21"),
    "subnetwork: range name twice": _subnetwork("10.1.0.0/20", "10.2.0.0/20", "10.3.0.0/20"),
    "subnetwork: range that is none": _subnetwork("10.1.0.1/20"),
}


def test_every_refusal_has_its_code_and_text_and_leaves_nothing(world: World) -> None:
    world.make(Kind.NETWORK, _NETWORK, {"autoCreateSubnetworks": False})
    world.make(Kind.SUBNETWORK, f"{_REGION}/subnetworks/nodes", _subnetwork("10.0.0.0/20", "10.4.0.0/14")[2])
    world.make(Kind.GLOBAL_ADDRESS, "projects/acme/global/addresses/peering", _range()[2])
    peering = {"reservedPeeringRanges": ["peering"]}
    world.make(Kind.CONNECTION, f"{_DEFAULT}/connections/servicenetworking.googleapis.com", peering)
    before = {kind: world.cloud.list(kind) for kind in Kind}

    found: dict[str, str] = {}
    for case, (kind, name, body) in _CASES.items():
        refused = world.refusal(lambda kind=kind, name=name, body=body: world.cloud.create(kind, name, body))
        found[case] = f"{refused.code} {refused.message}"

    assert_golden(_GOLDEN, found)
    assert {kind: world.cloud.list(kind) for kind in Kind} == before
    assert world.machines.calls == []
