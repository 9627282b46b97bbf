"""Rules about the cluster, its control plane and the releases on it."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, versions
from components.model.facts.apis.fields import minor
from components.model.findings import Finding, Severity
from components.model.rule import Family, rule
from components.model.rules.access import ACCESS_RULES
from components.model.rules.maintenance import MAINTENANCE_RULES
from components.model.rules.network import NETWORK_RULES
from components.model.rules.version import VERSION_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan


@rule(
    "control-plane-range",
    summary="the control plane's range is a /28, and stated for private nodes only",
    why="The API refuses every other size, and public nodes reach the control plane by its public address.",
    source="GKE API, PrivateClusterConfig.masterIpv4CidrBlock",
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _control_plane_range(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.control_plane_cidr is None:
        return
    place = cluster.place.at("control_plane_cidr")
    if not cluster.private_nodes:
        yield Finding(
            place=place,
            says=f"it has no effect where {cluster.place.word('private_nodes')} is false.",
            remedy=f"Remove it, or set {cluster.place.word('private_nodes')}: true.",
            is_about_key=True,
        )
    elif IPv4Network(cluster.control_plane_cidr).prefixlen != gke.CONTROL_PLANE_PREFIX:
        address = cluster.control_plane_cidr.partition("/")[0]
        yield Finding(
            place=place,
            says=f"{cluster.control_plane_cidr} is not a /{gke.CONTROL_PLANE_PREFIX}, as a control plane takes.",
            remedy=f"Such as {address}/{gke.CONTROL_PLANE_PREFIX}.",
        )


@rule(
    "controller-release",
    summary="controllers are of a release that is supported",
    why="Another release may not understand what is written here, or understand it differently.",
    source="components/model/facts/versions.py",
    family=Family.GUARDRAILS,
    also_warns=True,
    kinds=(kinds.RELEASE,),
)
def _controller_release(plan: Plan) -> Iterator[Finding]:
    for controller, release in ((versions.JOBSET, plan.controllers.jobset), (versions.KUEUE, plan.controllers.kueue)):
        if release is None:
            continue
        number = versions.parse_release(release.version)
        minimum = controller.minimum_version
        is_too_old = minimum is not None and number < versions.parse_release(minimum)
        if is_too_old:
            says, severity = f"{release.version} is too old: {controller.why_minimum}.", Severity.ERROR
        elif not controller.supports(release.version):
            supported = f"{controller.oldest} to {minor(controller.version)}"
            says, severity = f"{release.version} is not one of the supported releases, {supported}.", Severity.WARNING
        else:
            continue
        yield Finding(
            place=release.place.at("version"),
            says=says,
            remedy=f"Use {controller.version}, which is tested.",
            severity=severity,
        )


CLUSTER_RULES: Final = (
    *NETWORK_RULES,
    _control_plane_range,
    *ACCESS_RULES,
    *MAINTENANCE_RULES,
    *VERSION_RULES,
    _controller_release,
)
