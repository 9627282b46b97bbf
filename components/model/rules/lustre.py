"""Rules about Managed Lustre: capacities of its tiers, where an instance lies, how it is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, lustre
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_LUSTRE: Final = "components/model/facts/lustre.py"


@rule(
    "lustre-fits-tier",
    summary="a Managed Lustre instance has a capacity that its throughput has",
    why="The API refuses others.",
    source=_LUSTRE,
    family=Family.GUARDRAILS,
)
def _lustre_fits_tier(plan: Plan) -> Iterator[Finding]:
    for each in plan.lustre:
        tier = lustre.tier(each.throughput)
        if not tier.has(each.capacity_gib):
            near = [str(capacity) for capacity in tier.nearest(each.capacity_gib)]
            yield Finding(
                place=each.place.at("capacity_gib"),
                says=f"no instance of {tier.throughput} MBps per TiB has {each.capacity_gib} GiB: it has {tier.least} "
                f"to {tier.most} in steps of {tier.step_at(each.capacity_gib)}.",
                remedy=f"Set {listing(near, 'or')}.",
            )


@rule(
    "lustre-is-where-nodes-are",
    summary="a Managed Lustre instance is in the region of the cluster",
    why="From another region every read would cross the continent.",
    source=_LUSTRE,
    family=Family.GUARDRAILS,
    severity=Severity.WARNING,
)
def _lustre_is_where_nodes_are(plan: Plan) -> Iterator[Finding]:
    for each in plan.lustre:
        if gke.region_of(each.location) != plan.cluster.region:
            yield Finding(
                place=each.place.at("location"),
                says=f"{each.location} is not in {plan.cluster.region}, the region of the cluster.",
                remedy=f"Name a zone, such as {plan.cluster.region}-a.",
            )


@rule(
    "lustre-filesystems-differ",
    summary="Managed Lustre instances have different file system names",
    why="A node cannot mount two file systems of one name, so pods of both instances fail on it.",
    source='GKE documentation "About the Managed Lustre CSI driver", read 2026-11',
    family=Family.GUARDRAILS,
    severity=Severity.WARNING,
)
def _lustre_filesystems_differ(plan: Plan) -> Iterator[Finding]:
    taken: dict[str, str] = {}
    for each in plan.lustre:
        other = taken.setdefault(each.filesystem, each.name)
        if other != each.name:
            yield Finding(
                place=each.place.at("filesystem"),
                says=f"the file system of {other} is also named {each.filesystem}.",
                remedy="Choose another name.",
            )


@rule(
    "lustre-apis-are-on",
    summary="where a stack switches on APIs, those of Managed Lustre are among them",
    why="The API refuses the instance, after minutes, if nobody has switched them on.",
    source=_LUSTRE,
    family=Family.GUARDRAILS,
    severity=Severity.WARNING,
)
def _lustre_apis_are_on(plan: Plan) -> Iterator[Finding]:
    stated = {service.name for service in plan.services}
    missing = [name for name in lustre.APIS if name not in stated]
    if plan.lustre and stated and missing:
        yield Finding(
            place=plan.place.at("services"),
            says=f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} missing, which Managed Lustre needs.",
            remedy="Add the names, unless the APIs are on already.",
        )


LUSTRE_RULES: Final = (
    _lustre_fits_tier,
    _lustre_is_where_nodes_are,
    _lustre_filesystems_differ,
    _lustre_apis_are_on,
)
