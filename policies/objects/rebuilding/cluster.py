"""The cluster, its maintenance, its controllers and its ComputeClasses, from their resources.

Without a cluster among the objects, as much of one as rules need.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, versions
from components.model.places import Key, Place, Root
from components.model.plan.cloud import (
    AuthorizedNetworkPlan,
    AutoProvisioningPlan,
    ClusterPlan,
    MaintenanceExclusionPlan,
    MaintenanceWindowPlan,
)
from components.model.plan.nodes import ComputeClassPlan
from components.model.plan.queues import ControllersPlan, ReleasePlan
from policies.objects.ranges import checked_range, range_at
from policies.objects.releases import chart_of, exact_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.facts.versions import Controller
    from policies.objects.values import Part
    from policies.objects.world import Object, World

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
NOWHERE: Final = Place(root=Root.OBJECT)
"""The place of what is not there."""
_UTC: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
"""Moments in UTC, whose texts are in their order; a span with another offset, or without an end, is left out."""
_POLICY: Final = "maintenancePolicy"
_KUEUE_KINDS: Final = (kinds.RESOURCE_FLAVOR, kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE)


def cluster(each: Object | None, location: str) -> ClusterPlan:
    """The cluster; without one, a Standard cluster at `location` without other properties."""
    place = NOWHERE if each is None else each.place.with_key_names(**_NAMES).with_phrases(_PHRASES)
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
        window=None if each is None else window(each),
        exclusions=() if each is None else tuple(exclusions(each)),
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
            place=place.at("authorized_networks", index).with_key_names(cidr=("cidrBlock",)),
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


def window(each: Object) -> MaintenanceWindowPlan | None:
    """The window that recurs; None where none is stated."""
    stated = each.part(_POLICY, "recurringWindow")
    span = None if stated is None else _span(stated)
    if stated is None or span is None:
        return None
    return MaintenanceWindowPlan(
        place=stated.place.with_key_names(end=("endTime",)),
        start=span[0],
        end=span[1],
        recurrence=stated.string("recurrence"),
    )


def exclusions(each: Object) -> Iterator[MaintenanceExclusionPlan]:
    """Spans in which nothing is done."""
    for stated in each.parts(_POLICY, "maintenanceExclusions"):
        span = _span(stated)
        if span is not None:
            yield MaintenanceExclusionPlan(
                place=stated.place.with_key_names(end=("endTime",)),
                name=stated.string("exclusionName"),
                start=span[0],
                end=span[1],
                scope=stated.string("exclusionOptions", "scope"),
            )


def _span(stated: Part) -> tuple[str, str] | None:
    start, end = stated.string("startTime"), stated.string("endTime")
    return (start, end) if _UTC.fullmatch(start) and _UTC.fullmatch(end) else None


def release(each: Object) -> tuple[str, ReleasePlan] | None:
    """The controller that a release installs, and the release; None where it is none of them, or of no one version.

    What is older than our own stacks need is not carried: others may write for an older release, and a rule over
    objects says when they do not.
    """
    chart, version = chart_of(each), exact_version(each)
    for controller in (versions.KUEUE, versions.JOBSET):
        if chart == controller.name and version is not None and not _is_older(version, controller):
            return controller.name, _release(controller, each, version)
    return None


def _is_older(version: str, controller: Controller) -> bool:
    minimum = controller.minimum_version
    return minimum is not None and versions.parse_release(version) < versions.parse_release(minimum)


def controllers(
    world: World, releases: Iterable[tuple[str, ReleasePlan] | None], *, has_weights: bool
) -> ControllersPlan:
    """Those that a Helm release installs, and those with objects alone, which count as the tested release.

    Kueue is taken to share fairly where somebody states a weight.
    """
    known = dict(each for each in releases if each is not None)
    for controller, marks in ((versions.JOBSET, (kinds.JOBSET,)), (versions.KUEUE, _KUEUE_KINDS)):
        if world.has(*marks):
            known.setdefault(controller.name, _release(controller, None, controller.version))
    return ControllersPlan(
        place=NOWHERE,
        jobset=known.get(versions.JOBSET.name),
        kueue=known.get(versions.KUEUE.name),
        fair_sharing=has_weights,
        frameworks=(),
        firewall=None,
    )


def _release(controller: Controller, each: Object | None, version: str) -> ReleasePlan:
    return ReleasePlan(
        place=NOWHERE if each is None else each.place,
        name=controller.name,
        chart=controller.chart,
        version=version,
        namespace=controller.namespace,
        image=controller.image,
        tag=f"v{version}",
    )


def compute_class(each: Object) -> ComputeClassPlan:
    """The class without its priorities, which rules over objects read themselves."""
    anyway = each.text("spec", "whenUnsatisfiable") == "ScaleUpAnyway"
    return ComputeClassPlan(
        place=each.place,
        name=each.name,
        priorities=(),
        known_entries=(),
        makes_pools=each.flag("spec", "nodePoolAutoCreation", "enabled") is True,
        when_unsatisfiable="ScaleUpAnyway" if anyway else "DoNotScaleUp",
        migrates=each.flag("spec", "activeMigration", "optimizeRulePriority") is True,
    )
