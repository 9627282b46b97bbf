"""Each part of a stack file that listings make, and what is left out of it for which reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.adopt.listed import (
    OWN,
    PROJECT,
    adopted,
    cluster,
    controllers,
    errors,
    kueue,
    network,
    of,
    platform,
    pool,
    queueing,
    slice_pool,
    told,
)
from tpu.adopt.listings import ListingError

if TYPE_CHECKING:
    from tests.adopt.listed import Item

_BASE: Final = (cluster(), pool("system"), *network())
_USED: Final = "the stack uses it as it is (cluster.existing) and does not own it."
_UNOWNED: Final = "the stack uses it as it is (network.existing) and does not own it."


def _cluster(**changes: object) -> Any:  # noqa: ANN401  a section
    found = adopted(cluster(**changes), *_BASE[1:])
    assert errors(found) == []
    return platform(found)["cluster"]


# --- the cluster


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"releaseChannel": {}}, "it is not in a release channel"),
        ({"workloadIdentityConfig": {}}, "it has no workload identity pool"),
        (
            {"maintenancePolicy": {"window": {"dailyMaintenanceWindow": {"startTime": "03:00"}}}},
            "it has a daily maintenance window, but the stack file states recurring ones",
        ),
    ],
)
def test_a_cluster_that_the_program_would_make_otherwise_is_used_as_it_is(changes: Item, says: str) -> None:
    found = adopted(cluster(**changes), *_BASE[1:])
    assert f"cluster ml: {says}: {_USED}" in told(found)
    assert platform(found)["cluster"]["existing"] == {"name": "ml", "location": "us-west4"}
    assert "network" not in platform(found)


def test_a_cluster_with_its_default_pool_is_used_as_it_is() -> None:
    found = adopted(cluster(), pool("default-pool"), *network())
    assert f"cluster ml: it still has its default pool: {_USED}" in told(found)


def test_pools_that_run_as_different_accounts_are_refused() -> None:
    other = pool("b", config={"serviceAccount": f"x@{PROJECT}.iam.gserviceaccount.com"})
    with pytest.raises(ListingError) as caught:
        adopted(*_BASE, other)
    assert str(caught.value).startswith(f"cluster ml: its pools run as {OWN} and x@{PROJECT}.iam.gserviceaccount.com, ")


@pytest.mark.parametrize(
    ("changes", "stated"),
    [
        ({"privateClusterConfig": {}}, {"private_nodes": False}),
        (
            {
                "privateClusterConfig": {
                    "enablePrivateNodes": True,
                    "masterIpv4CidrBlock": "172.16.1.0/28",
                    "enablePrivateEndpoint": True,
                },
                "masterAuthorizedNetworksConfig": {
                    "enabled": True,
                    "cidrBlocks": [
                        {"displayName": "office", "cidrBlock": "203.0.113.0/24"},
                        {"cidrBlock": "192.0.2.0/24"},
                    ],
                },
            },
            {
                "control_plane_cidr": "172.16.1.0/28",
                "private_endpoint": True,
                "authorized_networks": [
                    {"name": "office", "cidr": "203.0.113.0/24"},
                    {"name": "192.0.2.0/24", "cidr": "192.0.2.0/24"},
                ],
            },
        ),
        ({"addonsConfig": {"gcsFuseCsiDriverConfig": {"enabled": True}}}, {"addons": {"gcs_fuse": True}}),
        ({"location": "us-west4-a"}, {"location": "us-west4-a"}),
    ],
)
def test_settings_of_a_cluster_are_stated(changes: Item, stated: Item) -> None:
    plain = _cluster()
    assert _cluster(**changes) == {**plain, **stated}


def test_maintenance_is_stated() -> None:
    window = {"startTime": "2026-01-03T02:00:00Z", "endTime": "2026-01-03T08:00:00Z"}
    scope = {"maintenanceExclusionOptions": {"scope": "NO_MINOR_UPGRADES"}}
    policy = {
        "recurringWindow": {"window": window, "recurrence": "FREQ=WEEKLY;BYDAY=SA"},
        "maintenanceExclusions": {"freeze": {**window, **scope}, "deadline": window},
    }
    times = {"start": "2026-01-03T02:00:00Z", "end": "2026-01-03T08:00:00Z"}
    assert _cluster(maintenancePolicy={"window": policy})["maintenance"] == {
        "window": {**times, "recurrence": "FREQ=WEEKLY;BYDAY=SA"},
        "exclusions": [
            {"name": "deadline", **times, "scope": "NO_UPGRADES"},
            {"name": "freeze", **times, "scope": "NO_MINOR_UPGRADES"},
        ],
    }


def test_auto_provisioning_is_stated() -> None:
    limits = [{"resourceType": "cpu", "maximum": "64"}, {"resourceType": "memory", "maximum": "256"}]
    stated = {"enableNodeAutoprovisioning": True, "resourceLimits": limits, "autoprovisioningLocations": ["us-west4-a"]}
    found = adopted(cluster(autoscaling=stated), *_BASE[1:])
    assert platform(found)["auto_provisioning"] == {"limits": {"cpu": 64, "memory_gb": 256}, "zones": ["us-west4-a"]}


def test_services_are_those_that_the_platform_calls() -> None:
    on = [{"name": f"projects/1/services/{name}.googleapis.com"} for name in ("file", "bigquery", "compute")]
    assert platform(adopted(*_BASE, *on))["services"] == ["compute", "file"]


# --- the network


def _changed(index: int, **changes: object) -> list[Item]:
    items = network()
    items[index] |= changes
    return items


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (network()[1:], "it is not among the listed networks"),
        (_changed(0, autoCreateSubnetworks=True), "it creates its subnetworks automatically"),
        (_changed(1, name="other"), "the cluster is in subnetwork ml-nodes, but the stack's is ml-nodes"),
        (
            _changed(1, secondaryIpRanges=[{"rangeName": "pods", "ipCidrRange": "10.4.0.0/16"}]),
            "its subnetwork has other secondary ranges than pods and services",
        ),
        (
            _changed(2, nats=[{"name": "theirs"}]),
            "router ml-router with NAT gateway ml-nat is not among the listed routers",
        ),
    ],
)
def test_a_network_that_the_program_would_make_otherwise_is_used_as_it_is(items: list[Item], says: str) -> None:
    found = adopted(cluster(), pool("system"), *items)
    assert platform(found)["network"] == {"existing": "ml", "subnetwork": "ml-nodes"}
    assert f"network ml: {says}: {_UNOWNED}" in told(found)


def test_nodes_with_addresses_of_their_own_need_no_router() -> None:
    found = adopted(cluster(privateClusterConfig={}), pool("system"), *network()[:2])
    assert platform(found)["network"]["name"] == "ml"


# --- node pools


@pytest.mark.parametrize(
    ("item", "stated"),
    [
        (
            pool("b", upgradeSettings={"strategy": "SURGE", "maxSurge": 2, "maxUnavailable": 1}),
            {"upgrade": {"strategy": "SURGE", "max_surge": 2, "max_unavailable": 1}},
        ),
        (pool("b", config={"labels": {"team": "x"}, "spot": True}), {"spot": True, "labels": {"team": "x"}}),
    ],
)
def test_ordinary_pools_are_stated(item: Item, stated: Item) -> None:
    plain = {"name": "b", "machine_type": "e2-standard-4", "nodes": 1, "zones": ["us-west4-a"]}
    assert platform(adopted(*_BASE, item))["node_pools"][1:] == [{**plain, **stated}]


def test_autoscaled_pools_and_gpus_are_stated() -> None:
    scaled = pool("b", autoscaling={"enabled": True, "minNodeCount": 0, "maxNodeCount": 3})
    accelerators = [{"acceleratorType": "nvidia-tesla-t4", "acceleratorCount": "1"}]
    gpu = pool("g", "n1-standard-4", config={"accelerators": accelerators})
    assert platform(adopted(*_BASE, scaled, gpu))["node_pools"][1:] == [
        {
            "name": "b",
            "machine_type": "e2-standard-4",
            "autoscaling": {"min": 0, "max": 3},
            "zones": ["us-west4-a"],
        },
        {
            "name": "g",
            "machine_type": "n1-standard-4",
            "nodes": 1,
            "zones": ["us-west4-a"],
            "gpu": {"type": "nvidia-tesla-t4", "count": 1, "driver": "default"},
        },
    ]


def test_flex_start_gpus_are_stated() -> None:
    config = {"flexStart": True, "maxRunDuration": "3600s"}
    scaled = {"enabled": True, "minNodeCount": 0, "maxNodeCount": 3}
    item = pool("g", "g2-standard-4", config=config, autoscaling=scaled, queuedProvisioning={"enabled": True})
    (found,) = platform(adopted(*_BASE, item))["node_pools"][1:]
    assert found["flex_start"] == {"queued": True, "max_run_seconds": 3600}


_RESERVED: Final = {
    "consumeReservationType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": ["mine"],
}
_FLEX: Final = {"flexStart": True, "maxRunDuration": "3600s"}


@pytest.mark.parametrize(
    ("item", "stated"),
    [
        (
            slice_pool("b", config={"reservationAffinity": _RESERVED}),
            {"capacity": "reservation", "reservation": {"name": "mine"}},
        ),
        (
            slice_pool("b", initialNodeCount=0, autoscaling={"enabled": True, "maxNodeCount": 2}, config=_FLEX),
            {"capacity": "flex-start", "max_run_seconds": 3600},
        ),
        (
            slice_pool("b", initialNodeCount=0, autoscaling={"enabled": True, "maxNodeCount": 2}),
            {"autoscaled": True},
        ),
    ],
)
def test_how_slices_are_come_by_is_stated(item: Item, stated: Item) -> None:
    shape = {"name": "b", "machine_type": "ct5lp-hightpu-4t", "topology": "2x4", "zone": "us-west4-a"}
    assert platform(adopted(*_BASE, item))["tpu_slices"] == [{**shape, **stated}]


def test_a_pool_that_gke_made_is_left_out_and_not_spoken_of() -> None:
    made = pool("nap-1", autoscaling={"enabled": True, "autoprovisioned": True})
    assert platform(adopted(*_BASE, made)) == platform(adopted(*_BASE))
    assert told(adopted(*_BASE, made)) == told(adopted(*_BASE))


# --- shared storage


def _share(**changes: object) -> Item:
    return {
        "name": f"projects/{PROJECT}/locations/us-west4-a/instances/ml-share",
        "tier": "ZONAL",
        "networks": [{"network": f"projects/{PROJECT}/global/networks/ml", "ipAddresses": ["10.0.0.2"]}],
        "fileShares": [{"name": "data", "capacityGb": "1024"}],
        "deletionProtectionEnabled": True,
        **changes,
    }


def _volume(name: str, claim: str = "data") -> Item:
    spec = {
        "nfs": {"server": "10.0.0.2", "path": "/data"},
        "claimRef": {"namespace": "research", "name": claim},
    }
    return of("PersistentVolume", "v1", name, spec=spec)


_OWN_VOLUME: Final = _volume("ml-share-research-data")


def test_a_share_is_stated_with_the_claims_on_it_and_a_volume_of_another_name_is_told() -> None:
    found = adopted(*_BASE, _share(), _OWN_VOLUME, _volume("theirs", "more"))
    assert errors(found) == []
    assert platform(found)["shared_storage"] == [
        {
            "name": "ml-share",
            "tier": "ZONAL",
            "location": "us-west4-a",
            "share": "data",
            "capacity_gib": 1024,
            "claims": [{"name": "data", "namespace": "research"}],
            "deletion_protection": True,
        }
    ]
    says = "PersistentVolume theirs uses it, but the stack would name the volume ml-share-research-more."
    assert f"Filestore instance ml-share: {says}" in told(found)
    assert "PersistentVolumeClaim data: it is not in the listings." in told(found)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ((_share(),), "no PersistentVolume of the cluster uses it."),
        ((_share(networks=[{"network": "other"}]), _OWN_VOLUME), "it is on network other, but the cluster is on ml."),
        ((_share(tier="GOLD"), _OWN_VOLUME), "a stack file cannot state its tier GOLD."),
        ((_share(fileShares=[{"name": "a"}, {"name": "b"}]), _OWN_VOLUME), "it does not have exactly one share."),
    ],
)
def test_a_share_that_the_stack_cannot_own_is_left_out(items: tuple[Item, ...], says: str) -> None:
    found = adopted(*_BASE, *items)
    assert "shared_storage" not in platform(found)
    assert f"Filestore instance ml-share: {says}" in told(found)


# --- controllers, cohorts and priorities


def test_another_version_and_fair_sharing_are_stated() -> None:
    jobset, other = controllers()
    other["metadata"]["labels"]["helm.sh/chart"] = "kueue-0.15.0"
    other["data"] = {"controller_manager_config.yaml": "fairSharing: {}\n"}
    found = adopted(*_BASE, jobset, other)
    assert platform(found)["controllers"] == {"kueue": {"version": "0.15.0", "fair_sharing": True}}


def test_a_release_in_another_namespace_is_not_the_stacks() -> None:
    theirs, other = controllers()
    theirs["metadata"]["annotations"]["meta.helm.sh/release-namespace"] = "default"
    found = adopted(*_BASE, theirs, other)
    assert platform(found)["controllers"] == {"jobset": {"install": False}}
    says = "it is not installed by Helm in the way of the stack (no ConfigMap jobset-controller-config of its release)."
    assert f"jobset: {says}" in told(found)


def test_a_cohort_that_only_a_queue_names_is_stated_and_told() -> None:
    items = queueing()
    items[1]["spec"]["cohortName"] = "teams"
    items.append(kueue("Cohort", "shared", spec={"parentName": "company"}))
    found = adopted(*_BASE, slice_pool("v5e1"), slice_pool("v5e2"), *controllers(), *items)
    assert errors(found) == []
    assert platform(found)["cohorts"] == [
        {"name": "shared", "parent": "company"},
        {"name": "company"},
        {"name": "teams"},
    ]
    for name in ("company", "teams"):
        assert f"Cohort {name}: it is not in the listings." in told(found)


def test_a_priority_of_two_values_is_left_out() -> None:
    items = queueing()
    items[4]["value"] = 400
    found = adopted(*_BASE, *controllers(), *items)
    assert "priorities" not in platform(found)
    assert "priority normal: PriorityClass and WorkloadPriorityClass differ." in told(found)
