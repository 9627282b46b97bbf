"""Rules about quotas as ClusterQueues and Cohorts state them: groups of resources, and amounts that can be used.

Rules over the chip ledger check sums of chips, and limits on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, listing
from components.model.rule import Family
from policies.objects.judging import object_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object

_WEBHOOK: Final = "Kueue 0.16.2 and 0.19.2, pkg/webhooks/clusterqueue_webhook.go"
_HOLDERS: Final = (kinds.CLUSTER_QUEUE, kinds.COHORT)
_AMOUNTS: Final = ("nominalQuota", "borrowingLimit", "lendingLimit")
_ABOVE: Final = {
    kinds.CLUSTER_QUEUE: (("cohortName", "cohort"), "in no cohort", "Name its cohort"),
    kinds.COHORT: (("parentName",), "in no other cohort", "Name its parent"),
}
"""What says who is above, how to say that nobody is, and what to do then."""


def _groups(each: Object) -> tuple[Part, ...]:
    return each.parts("spec", "resourceGroups")


def _shares(each: Object) -> Iterator[tuple[Part, Part]]:
    """Every quota of a resource, with the flavor that it is of."""
    for group in _groups(each):
        for flavor in group.parts("flavors"):
            for resource in flavor.parts("resources"):
                yield flavor, resource


@object_rule(
    "flavor-covers-its-group",
    summary="each flavor of a group has a quota of every resource of the group, in the same order",
    why="The API server refuses a queue if one is missing or out of order.",
    source=_WEBHOOK,
    family=Family.QUOTA,
    kinds=_HOLDERS,
)
def _flavor_covers_its_group(each: Object) -> Iterator[Finding]:
    for group in _groups(each):
        covered = list(group.texts("coveredResources"))
        for flavor in group.parts("flavors") if covered else ():
            names = [resource.string("name") for resource in flavor.parts("resources")]
            if names and names != covered:
                is_order = sorted(names) == sorted(covered)
                yield Finding(
                    place=flavor.place.at("resources"),
                    says=f"{flavor.text('name')} has {listing(names)}, but its group covers {listing(covered)}"
                    f"{', in that order' if is_order else ''}.",
                    remedy=f"State {listing(covered)}, in that order; 0 is an amount.",
                )


@object_rule(
    "groups-share-nothing",
    summary="each resource and each flavor is in one group of a queue, once",
    why="The API server refuses the queue: Kueue would not know which quota a pod takes from.",
    source=_WEBHOOK,
    family=Family.QUOTA,
    kinds=_HOLDERS,
)
def _groups_share_nothing(each: Object) -> Iterator[Finding]:
    resources: dict[str, int] = {}
    flavors: dict[str, int] = {}
    for number, group in enumerate(_groups(each)):
        for index, name in enumerate(group.texts("coveredResources")):
            if name in resources:
                yield Finding(
                    place=group.place.at("coveredResources", index),
                    says=f"{name} is covered by {_group(resources[name], number)} already.",
                    remedy="Keep one of them; a group may have several flavors.",
                )
            resources.setdefault(name, number)
        for flavor in group.parts("flavors"):
            name = flavor.string("name")
            if name in flavors:
                yield Finding(
                    place=flavor.place.at("name"),
                    says=f"{name} is in {_group(flavors[name], number)} already.",
                    remedy="Keep one of them, with the resources of both.",
                )
            flavors.setdefault(name, number)


def _group(first: int, here: int) -> str:
    return "this group" if first == here else f"resourceGroups[{first}]"


@object_rule(
    "quota-is-whole-chips",
    summary="chips are counted in whole numbers",
    why="A pod requests whole chips, so a part of one can never be used.",
    source='Kubernetes documentation "Extended resources", read 2026-11',
    family=Family.QUOTA,
    kinds=_HOLDERS,
)
def _quota_is_whole_chips(each: Object) -> Iterator[Finding]:
    for _flavor, resource in _shares(each):
        for key in _AMOUNTS if resource.text("name") == gke.RESOURCE_TPU else ():
            amount = resource.quantity(key)
            if amount is not None and amount.milli % 1000:
                yield Finding(
                    place=resource.place.at(key),
                    says=f"{amount} is not a whole number of chips.",
                    remedy=f"Set {amount.milli // 1000} or {amount.milli // 1000 + 1}.",
                )


@object_rule(
    "ordinary-limits-need-a-cohort",
    summary="a queue that may borrow or lend ordinary resources is in a cohort, and a cohort that may has a parent",
    why="The API server refuses such limits elsewhere.",
    source=_WEBHOOK,
    family=Family.QUOTA,
    kinds=_HOLDERS,
)
def _ordinary_limits_need_a_cohort(each: Object) -> Iterator[Finding]:
    keys, says, remedy = _ABOVE[each.kind]
    if any(each.text("spec", key) is not None for key in keys):
        return
    for _flavor, resource in _shares(each):
        if resource.text("name") == gke.RESOURCE_TPU and each.kind is kinds.CLUSTER_QUEUE:
            continue  # the ledger's
        for key in ("borrowingLimit", "lendingLimit"):
            if resource.quantity(key) is not None:
                yield Finding(
                    place=resource.place.at(key),
                    says=f"{each.name} is {says}, so there is nobody to {_WITH[key]}.",
                    remedy=f"{remedy}, or remove the key.",
                    is_about_key=True,
                )


_WITH: Final = {"borrowingLimit": "borrow from", "lendingLimit": "lend to"}


@object_rule(
    "ordinary-lend-within-quota",
    summary="a queue lends no more of an ordinary resource than it has",
    why="The API server refuses a lending limit above the quota.",
    source=_WEBHOOK,
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _ordinary_lend_within_quota(queue: Object) -> Iterator[Finding]:
    for flavor, resource in _shares(queue):
        name, quota, lend = resource.text("name"), resource.quantity("nominalQuota"), resource.quantity("lendingLimit")
        if name == gke.RESOURCE_TPU or quota is None or lend is None or lend.milli <= quota.milli:
            continue
        yield Finding(
            place=resource.place.at("lendingLimit"),
            says=f"{lend} of {name} are more than the {quota} that {queue.name} has of {flavor.text('name')}.",
            remedy=f"Set {quota} or less, or remove the key: then it lends all that is idle.",
        )


QUEUE_QUOTA_RULES: Final = (
    _flavor_covers_its_group,
    _groups_share_nothing,
    _quota_is_whole_chips,
    _ordinary_limits_need_a_cohort,
    _ordinary_lend_within_quota,
)
