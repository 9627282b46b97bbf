"""Rules about who reaches nodes and control plane, and as whom pods reach Google Cloud."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding
from components.model.rule import Family
from policies.objects.belonging import is_autopilot
from policies.objects.judging import Settings, guard_rule, object_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_ISOLATION: Final = 'GKE documentation "Customize your network isolation", read 2026-11'
_IDENTITY: Final = 'GKE documentation "Authenticate to Google Cloud APIs from GKE workloads", read 2026-11'
_POOL_SUFFIX: Final = ".svc.id.goog"
_PROJECT: Final = re.compile(r"([a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]*[a-z0-9]")
"""A project's id, with its domain where it is of one."""


@guard_rule(
    "control-plane-is-private",
    setting="has_public_access",
    summary="control planes have no public address where the environment allows none",
    why="A public control plane is one stolen credential away from everybody.",
    source=_ISOLATION,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _control_plane_is_private(cluster: Object, settings: Settings) -> Iterator[Finding]:
    if settings.has_public_access:
        return
    is_private = cluster.flag("privateClusterConfig", "enablePrivateEndpoint") is True
    has_no_address = cluster.flag("controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled") is False
    if not is_private and not has_no_address:
        yield Finding(
            place=cluster.place.at("privateClusterConfig", "enablePrivateEndpoint"),
            says="the control plane has a public address, and this environment allows none.",
            remedy="Set enablePrivateEndpoint: true and the networks that may reach it, or keep its DNS name only: "
            "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled: false.",
        )


@guard_rule(
    "nodes-are-private",
    setting="has_public_access",
    summary="nodes have no public addresses where the environment allows none",
    why="Each public address is a way in, and a quota to run out of.",
    source=_ISOLATION,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER, kinds.NODE_POOL),
)
def _nodes_are_private(each: Object, settings: Settings) -> Iterator[Finding]:
    if settings.has_public_access:
        return
    if each.kind is kinds.NODE_POOL:
        path, is_public = ("networkConfig",), each.flag("networkConfig", "enablePrivateNodes") is False
    else:
        path = ("privateClusterConfig",)
        is_public = each.flag("privateClusterConfig", "enablePrivateNodes") is not True
    if is_public:
        yield Finding(
            place=each.place.at(*path, "enablePrivateNodes"),
            says="nodes get public addresses, and this environment allows none.",
            remedy="Set true.",
        )


@guard_rule(
    "google-addresses-are-kept-out",
    setting="has_public_access",
    summary="the control plane is closed to Google Cloud's public addresses where no public access is allowed",
    why="Anybody's virtual machine has such an address.",
    source=_ISOLATION,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _google_addresses_are_kept_out(cluster: Object, settings: Settings) -> Iterator[Finding]:
    path = ("masterAuthorizedNetworksConfig", "gcpPublicCidrsAccessEnabled")
    if not settings.has_public_access and cluster.flag(*path) is True:
        yield Finding(
            place=cluster.place.at(*path),
            says="every virtual machine of Google Cloud may reach the control plane, whoever owns it.",
            remedy="Set false.",
        )


@guard_rule(
    "workload-identity-is-on",
    setting="has_default_identity",
    summary="clusters have Workload Identity where pods may not act as their node",
    why="Without it every pod has the rights of the node's service account.",
    source=_IDENTITY,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _workload_identity_is_on(cluster: Object, settings: Settings) -> Iterator[Finding]:
    if settings.has_default_identity or is_autopilot(cluster):
        return
    if not cluster.has("workloadIdentityConfig", "workloadPool"):
        project = cluster.text("project")
        yield Finding(
            place=cluster.place.at("workloadIdentityConfig"),
            says="the cluster has no Workload Identity, so pods act as their node.",
            remedy=f"Set workloadPool: {'<project>' if project is None else project}{_POOL_SUFFIX}.",
            is_about_key=True,
        )


@object_rule(
    "workload-pool-is-the-projects",
    summary="the workload pool is that of the cluster's project",
    why="A project has one pool, and the API refuses every other name.",
    source=_IDENTITY,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _workload_pool_is_the_projects(cluster: Object) -> Iterator[Finding]:
    path = ("workloadIdentityConfig", "workloadPool")
    stated, project = cluster.text(*path), cluster.text("project")
    if stated is None:
        return
    of = stated.removesuffix(_POOL_SUFFIX)
    if of != stated and (of == project or (project is None and _PROJECT.fullmatch(of) is not None)):
        return
    yield Finding(
        place=cluster.place.at(*path),
        says=f"{stated} is not the workload pool of {'a project' if project is None else project}.",
        remedy=f"Set {'<project>' if project is None else project}{_POOL_SUFFIX}.",
    )


CLUSTER_ACCESS_RULES: Final = (
    _control_plane_is_private,
    _nodes_are_private,
    _google_addresses_are_kept_out,
    _workload_identity_is_on,
    _workload_pool_is_the_projects,
)
