"""The cluster as rules need it, from its resource; or as much of one as rules can do with where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.model.places import Place, Scope
from components.model.plan.cloud import AuthorizedNetworkPlan, AutoProvisioningPlan, ClusterPlan
from policies.objects.ranges import checked_range, range_at
from policies.objects.rebuilding import maintenance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Key
    from policies.objects.world import Object

_NAMES: Final[Mapping[str, tuple[Key, ...]]] = {
    "minimum_version": ("minMasterVersion",),
    "private_nodes": ("privateClusterConfig", "enablePrivateNodes"),
    "private_endpoint": ("privateClusterConfig", "enablePrivateEndpoint"),
    "authorized_networks": ("masterAuthorizedNetworksConfig", "cidrBlocks"),
    "node_pools": (),
    "control_plane_cidr": ("privateClusterConfig", "masterIpv4CidrBlock"),
}
_PHRASES: Final = {
    "mode: standard": "enableAutopilot: false",
    "leave authorized_networks out": "leave masterAuthorizedNetworksConfig out",
    "machine_type: e2-standard-4, nodes: 1, zones": (
        "nodeConfig: {machineType: e2-standard-4}, nodeCount: 1, nodeLocations"
    ),
}
NOWHERE: Final = Place(scope=Scope.OBJECT)
"""The place of what is not there."""


def cluster(each: Object | None, location: str) -> ClusterPlan:
    """The cluster; without one, a Standard cluster at `location` without other properties."""
    place = NOWHERE if each is None else each.place.called(**_NAMES).saying(_PHRASES)
    stated = None if each is None else each.text("location")
    where = location if stated is None else stated
    return ClusterPlan(
        place=place,
        name="" if each is None else each.name,
        mode="autopilot" if each is not None and each.flag("enableAutopilot") else "standard",
        is_existing=False,
        has_other_slices=False,
        location=where,
        region=gke.region_of(where),
        release_channel=None if each is None else each.text("releaseChannel", "channel"),
        minimum_version=None if each is None else each.text("minMasterVersion"),
        private_nodes=each is not None and each.flag("privateClusterConfig", "enablePrivateNodes") is True,
        private_endpoint=each is not None and each.flag("privateClusterConfig", "enablePrivateEndpoint") is True,
        control_plane_cidr=None if each is None else _control_plane(each),
        authorized_networks=() if each is None else _authorized(each, place),
        window=None if each is None else maintenance.window(each),
        exclusions=() if each is None else tuple(maintenance.exclusions(each)),
        auto_provisioning=None if each is None else _auto_provisioning(each),
        has_filestore_driver=False,
        has_gcs_fuse_driver=False,
        workload_pool="",
        identity=None,
        billing_labels={} if each is None else each.labels("resourceLabels"),
        deletion_protection=each is None or each.flag("deletionProtection") is not False,
    )


def _control_plane(each: Object) -> str | None:
    found = range_at(each, "privateClusterConfig", "masterIpv4CidrBlock")
    return None if found is None else str(found)


def _authorized(each: Object, place: Place) -> tuple[AuthorizedNetworkPlan, ...]:
    blocks = each.parts("masterAuthorizedNetworksConfig", "cidrBlocks")
    return tuple(
        AuthorizedNetworkPlan(
            place=place.at("authorized_networks", index).called(cidr=("cidrBlock",)),
            name=block.string("displayName"),
            cidr=str(checked_range(block.string("cidrBlock"), block.place.at("cidrBlock"))),
        )
        for index, block in enumerate(blocks)
    )


def _auto_provisioning(each: Object) -> AutoProvisioningPlan | None:
    if each.flag("clusterAutoscaling", "enabled") is not True:
        return None
    limits = {
        part.string("resourceType"): part.count("maximum")
        for part in each.parts("clusterAutoscaling", "resourceLimits")
    }
    return AutoProvisioningPlan(
        place=each.place.at("clusterAutoscaling"),
        limits=limits,
        accelerators=tuple(name for name in limits if name not in (gke.RESOURCE_CPU, gke.RESOURCE_MEMORY)),
        zones=(),
    )
