"""Rules about ClusterQueues, LocalQueues, Cohorts and Topologies: their fields, their quota and their references.

Rules over a plan check the flavors and admission checks that queues name, sums of chips, and limits on them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.apis.served import CURRENT, DEPRECATED, KUEUE_KINDS, KUEUE_RELEASES, QUEUE_KINDS
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing, nearest, unlisted
from components.model.rule import Family
from policies.objects.fields import fields_of, missing_fields, version_in, walk_dated_fields, walk_fields
from policies.objects.judging import object_rule, world_rule
from policies.objects.values import Part, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from policies.objects.world import Object, World

FAMILY: Final = Family.QUOTA

_CRDS: Final = f"CustomResourceDefinitions of {KUEUE_RELEASES}"
_HOSTNAME: Final = "kubernetes.io/hostname"
_NEXT: Final = "TryNextFlavor"
_WEBHOOK: Final = "Kueue 0.16.2 and 0.19.2, pkg/webhooks/clusterqueue_webhook.go"
_HOLDERS: Final = (kinds.CLUSTER_QUEUE, kinds.COHORT)
_AMOUNTS: Final = ("nominalQuota", "borrowingLimit", "lendingLimit")
_ABOVE: Final = {
    kinds.CLUSTER_QUEUE: (("cohortName", "cohort"), "in no cohort", "Name its cohort"),
    kinds.COHORT: (("parentName",), "in no other cohort", "Name its parent"),
}
"""The field that says who is above, how to say that nobody is, and what to do then."""
_LOCAL: Final = 'Kueue documentation "Local Queue", read 2026-11'
_QUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_SHORT: Final = 2
"""Characters of a word that numbers things."""
_NUMBER: Final = re.compile(r"[0-9]+")


@object_rule(
    summary="objects of Kueue use the current version of its API",
    why="v1beta1 is deprecated since Kueue 0.15, every use gets a warning, and a later release will not serve it.",
    source=_CRDS,
    kinds=KUEUE_KINDS,
    severity=Severity.ADVICE,
)
def _queue_api_is_current(each: Object) -> Iterator[Finding]:
    if version_in(each) == DEPRECATED:
        yield Finding(
            place=each.place.at("apiVersion"),
            says=f"{DEPRECATED} is deprecated.",
            remedy=f"Write {each.kind.group}/{CURRENT}.",
        )


@object_rule(
    summary="fields of Kueue's objects have valid values",
    why="The API server refuses every other value.",
    source=_CRDS,
    kinds=QUEUE_KINDS,
)
def _queue_value_exists(each: Object) -> Iterator[Finding]:
    for part, key, known in walk_dated_fields(each, fields_of(each)):
        value = part.text(key) if known.values else None
        if value is not None and value not in known.values:
            yield Finding(
                place=part.place.at(key),
                says=f"{value} is not a valid {key}.",
                remedy=f"{did_you_mean(value, known.values)}Set {listing(known.values, 'or')}.",
            )


@object_rule(
    summary="Kueue's objects state the fields that they need",
    why="The API server refuses the object, and Kueue has no use for it.",
    source=_CRDS,
    kinds=QUEUE_KINDS,
)
def _queue_field_is_stated(each: Object) -> Iterator[Finding]:
    for part, key in missing_fields(each, fields_of(each)):
        yield about_key(
            place=part.place.at(key),
            says="it is not stated.",
            remedy=_example(part, key),
        )


def _example(part: Part, key: str) -> str:
    """The valid list; the resources of the first flavor where those of its group are missing."""
    if key != "coveredResources":
        return f"State {key}."
    flavors = part.parts("flavors")
    names = [resource.string("name") for flavor in flavors[:1] for resource in flavor.parts("resources")]
    return f"Add coveredResources: [{', '.join(names) if names else gke.RESOURCE_TPU}]."


@object_rule(
    summary="lists in Kueue's objects are not too long",
    why="The API server refuses longer ones.",
    source=_CRDS,
    kinds=QUEUE_KINDS,
)
def _queue_lists_are_short(each: Object) -> Iterator[Finding]:
    for part, key, known in walk_fields(each, fields_of(each)):
        if known is None or known.most is None:
            continue
        found = part.raw(key)
        if isinstance(found, (list, dict)) and len(found) > known.most:
            yield Finding(
                place=part.place.at(key),
                says=f"{len(found)} items; there may be {known.most} at most.",
                remedy=f"Keep {known.most} of them.",
            )


@object_rule(
    summary="a ClusterQueue says which namespaces it serves",
    why="Without a selector it serves no namespace, and all of its workloads wait for ever.",
    source='Kueue documentation "ClusterQueue", namespaceSelector, read 2026-11',
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _queue_takes_namespaces(queue: Object) -> Iterator[Finding]:
    if not queue.has("spec", "namespaceSelector"):
        yield about_key(
            place=queue.place.at("spec", "namespaceSelector"),
            says=f"{queue.name} serves no namespace.",
            remedy="Add namespaceSelector: {} for all, or {matchLabels: {kubernetes.io/metadata.name: team-a}}.",
        )


@object_rule(
    summary="a preference between borrowing and preemption is stated where the queue tries its next flavor",
    why="The API server refuses it elsewhere: Kueue would stop before there is anything to choose.",
    source=_CRDS,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _preference_has_a_choice(queue: Object) -> Iterator[Finding]:
    stated = queue.part("spec", "flavorFungibility")
    if stated is None or stated.text("preference") is None:
        return
    going_on = {"whenCanBorrow": (_NEXT,), "whenCanPreempt": (_NEXT, None)}
    stopping = [key for key, values in going_on.items() if stated.text(key) not in values]
    if stopping:
        yield about_key(
            place=stated.place.at("preference"),
            says=f"there is nothing to prefer while {listing(stopping)} "
            f"{'is' if len(stopping) == 1 else 'are'} not TryNextFlavor.",
            remedy="Set whenCanBorrow and whenCanPreempt to TryNextFlavor, or remove the key.",
        )


@object_rule(
    summary="levels of a Topology are different labels, the host last",
    why="The API server refuses others: each level divides the one above it, and nothing divides a host.",
    source=_CRDS,
    kinds=(kinds.TOPOLOGY,),
)
def _levels_go_down(topology: Object) -> Iterator[Finding]:
    levels = topology.parts("spec", "levels")
    labels = [level.text("nodeLabel") for level in levels]
    for index, level in enumerate(levels):
        label = labels[index]
        if label is not None and label in labels[:index]:
            yield Finding(
                place=level.place.at("nodeLabel"), says=f"{label} is a level already.", remedy="Remove one of them."
            )
        elif label == _HOSTNAME and index + 1 < len(levels):
            yield Finding(
                place=level.place.at("nodeLabel"),
                says=f"nothing is below {_HOSTNAME}, and {labels[index + 1]} follows.",
                remedy="Write it last.",
            )


def _groups(each: Object) -> tuple[Part, ...]:
    return each.parts("spec", "resourceGroups")


def _shares(each: Object) -> Iterator[tuple[Part, Part]]:
    """Every quota of a resource, with the flavor that it is of."""
    for group in _groups(each):
        for flavor in group.parts("flavors"):
            for resource in flavor.parts("resources"):
                yield flavor, resource


@object_rule(
    summary="each flavor of a group has a quota of every resource of the group, in the same order",
    why="The API server refuses a queue if one is missing or out of order.",
    source=_WEBHOOK,
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
    summary="each resource and each flavor is in one group of a queue, once",
    why="The API server refuses the queue: Kueue would not know which quota a pod takes from.",
    source=_WEBHOOK,
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
    summary="chips are counted in whole numbers",
    why="A pod requests whole chips, so a part of one can never be used.",
    source='Kubernetes documentation "Extended resources", read 2026-11',
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
    summary="a queue that may borrow or lend ordinary resources is in a cohort, and a cohort that may has a parent",
    why="The API server refuses such limits elsewhere.",
    source=_WEBHOOK,
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
                yield about_key(
                    place=resource.place.at(key),
                    says=f"{each.name} is {says}, so there is nobody to {_WITH[key]}.",
                    remedy=f"{remedy}, or remove the key.",
                )


_WITH: Final = {"borrowingLimit": "borrow from", "lendingLimit": "lend to"}


@object_rule(
    summary="a queue lends no more of an ordinary resource than it has",
    why="The API server refuses a lending limit above the quota.",
    source=_WEBHOOK,
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


@world_rule(
    summary="a LocalQueue leads to a ClusterQueue that exists",
    why="Its workloads wait for ever.",
    source=_LOCAL,
    kinds=(kinds.LOCAL_QUEUE,),
    needs=(kinds.CLUSTER_QUEUE,),
)
def _local_queue_leads_to_a_queue(local: Object, world: World) -> Iterator[Finding]:
    name = local.text("spec", "clusterQueue")
    if name is not None and world.named(kinds.CLUSTER_QUEUE, name) is not None:
        return
    known = [each.name for each in world.of(kinds.CLUSTER_QUEUE)]
    yield Finding(
        place=local.place.at("spec", "clusterQueue"),
        says=f"{local.name} leads to no ClusterQueue." if name is None else f"no ClusterQueue is named {name}.",
        remedy=f"{'' if name is None else did_you_mean(name, known)}ClusterQueues: {listing(known)}.",
        is_about_key=name is None,
    )


@world_rule(
    summary="a LocalQueue is in a namespace that exists",
    why="The API server refuses it. A name that is like none here may be of a namespace that others create.",
    source="Kubernetes API v1, Namespace",
    also_warns=True,
    kinds=(kinds.LOCAL_QUEUE,),
    needs=(kinds.NAMESPACE,),
)
def _local_queue_has_a_namespace(local: Object, world: World) -> Iterator[Finding]:
    name = local.namespace
    if name == gke.DEFAULT_NAMESPACE or name.startswith(gke.SYSTEM_NAMESPACES):
        return
    if world.named(kinds.NAMESPACE, name) is None:
        known = [each.name for each in world.of(kinds.NAMESPACE)]
        yield Finding(
            place=local.place.at("metadata", "namespace"),
            says=f"no namespace is named {name}.",
            remedy=f"{did_you_mean(name, known)}Namespaces: {listing(known)}.",
            severity=Severity.ERROR if _is_misspelt(name, known) else Severity.WARNING,
        )


def _is_misspelt(name: str, known: list[str]) -> bool:
    """Whether a name is like a known one, and not another one of a series, such as team-a beside team-b."""
    near = nearest(name, known)
    if near is None:
        return False
    words, others = name.split("-"), near.split("-")
    return len(words) != len(others) or any(len(word) > _SHORT for word in set(words).difference(others))


@world_rule(
    summary="a LocalQueue is in a namespace that its ClusterQueue serves",
    why="Its workloads wait for ever: the namespace does not match the queue's selector.",
    source=_QUEUE,
    kinds=(kinds.LOCAL_QUEUE,),
    needs=(kinds.CLUSTER_QUEUE,),
)
def _queue_takes_the_namespace(local: Object, world: World) -> Iterator[Finding]:
    queue = world.named(kinds.CLUSTER_QUEUE, local.string("spec", "clusterQueue"))
    selector = None if queue is None else queue.part("spec", "namespaceSelector")
    if queue is None or selector is None:
        return  # other rules say so
    namespace = world.named(kinds.NAMESPACE, local.namespace)
    labels = {} if namespace is None else namespace.labels("metadata", "labels")
    verdicts = list(_matches(selector, {**labels, gke.LABEL_NAMESPACE: local.namespace}, is_all=namespace is not None))
    failed = [wanted for wanted, is_match in verdicts if is_match is False]
    if failed:
        yield Finding(
            place=local.place.at("metadata", "namespace"),
            says=f"{queue.name} serves only namespaces with {listing(failed)}; {local.namespace} is not one.",
            remedy=f"Label the namespace, or widen spec.namespaceSelector of {queue.name}.",
        )
    elif any(is_match is None for _, is_match in verdicts):
        raise UndecidedError(local.place.at("metadata", "namespace"), "is a namespace whose labels are not known here")


def _matches(selector: Part, labels: dict[str, str], *, is_all: bool) -> Iterator[tuple[str, bool | None]]:
    """The condition, and whether it is met; None where a label may be there that is not known (not `is_all`)."""
    for key, value in selector.labels("matchLabels").items():
        is_known = is_all or key in labels
        yield f"{key}: {value}", labels.get(key) == value if is_known else None
    for each in selector.parts("matchExpressions"):
        key, operator, values = each.string("key"), each.string("operator"), each.texts("values")
        is_met = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }.get(operator)
        wanted = f"{key} {operator}" + (f" ({', '.join(values)})" if values else "")
        yield wanted, is_met if is_all or key in labels else None


@world_rule(
    summary="where teams have queues of their own, a queue says which namespaces it serves",
    why="Anybody who may create a LocalQueue in another namespace can use the quota of this team.",
    source=_QUEUE,
    kinds=(kinds.CLUSTER_QUEUE,),
    severity=Severity.WARNING,
)
def _queue_is_for_its_tenants(queue: Object, world: World) -> Iterator[Finding]:
    selector = queue.part("spec", "namespaceSelector")
    if selector is None or selector.value.get("matchLabels") or selector.value.get("matchExpressions"):
        return
    own, *more = _namespaces(world).get(queue.name, [None])
    every = (name for namespaces in _namespaces(world).values() for name in namespaces)
    other = next((name for name in every if name != own), None)
    if own is not None and not more and other is not None:
        yield Finding(
            place=selector.place,
            says=f"{queue.name} is used from {own} alone, but serves every namespace, {other} among them.",
            remedy=f"Such as matchLabels: {{{gke.LABEL_NAMESPACE}: {own}}}.",
        )


@lru_cache(maxsize=1)
def _namespaces(world: World) -> Mapping[str, Collection[str]]:
    """The namespaces whose LocalQueues lead to a ClusterQueue, by its name; every queue asks for them."""
    found: dict[str, dict[str, None]] = {}
    for local in world.of(kinds.LOCAL_QUEUE):
        found.setdefault(local.string("spec", "clusterQueue"), {}).setdefault(local.namespace)
    return found


@world_rule(
    summary="a queue shares its cohort with another queue",
    why="Kueue makes a cohort for any name, so a queue with a misspelt name lends and borrows nothing.",
    source='Kueue documentation "Cohort", read 2026-11',
    kinds=(kinds.CLUSTER_QUEUE,),
    severity=Severity.WARNING,
)
def _cohort_is_shared(queue: Object, world: World) -> Iterator[Finding]:
    name, key = _cohort_of(queue)
    if name is None or world.named(kinds.COHORT, name) is not None:
        return
    if _cohorts(world)[name] > 1:
        return
    meant = nearest(name, [first for stem, first in _stems(world).items() if stem != _stem(name)])
    if meant is not None:
        known = [each for each in _cohort_names(world) if each != name]
        yield Finding(
            place=queue.place.at("spec", key),
            says=f"{queue.name} is alone in {name}.",
            remedy=f"Did you mean {meant}? Cohorts: {listing(known)}.",
        )


@lru_cache(maxsize=1)
def _cohorts(world: World) -> Counter[str | None]:
    """How many queues are in each cohort, and in none; every queue asks for it."""
    return Counter(_cohort_of(each)[0] for each in world.of(kinds.CLUSTER_QUEUE))


@lru_cache(maxsize=1)
def _stems(world: World) -> Mapping[tuple[str, ...], str]:
    """The first of the cohorts whose names differ in numbers alone: such names are meant."""
    found: dict[tuple[str, ...], str] = {}
    for name in _cohort_names(world):
        found.setdefault(_stem(name), name)
    return found


def _cohort_names(world: World) -> list[str]:
    """The names of all cohorts, the declared ones first."""
    named = (each for each in _cohorts(world) if each)
    return list(dict.fromkeys([*(each.name for each in world.of(kinds.COHORT)), *named]))


def _stem(name: str) -> tuple[str, ...]:
    return tuple(_NUMBER.split(name))


def _cohort_of(queue: Object) -> tuple[str | None, str]:
    """The cohort, and what the version of the queue calls it."""
    key = "cohortName" if queue.has("spec", "cohortName") else "cohort"
    return queue.text("spec", key), key


@world_rule(
    summary="the Topology that a flavor names exists",
    why="Kueue keeps every queue with the flavor inactive.",
    source='Kueue documentation "Topology Aware Scheduling", read 2026-11',
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.TOPOLOGY,),
)
def _placement_topology_exists(flavor: Object, world: World) -> Iterator[Finding]:
    name = flavor.text("spec", "topologyName")
    if name is not None and world.named(kinds.TOPOLOGY, name) is None:
        known = [each.name for each in world.of(kinds.TOPOLOGY)]
        yield unlisted(flavor.place.at("spec", "topologyName"), "Topology", name, known, "Topologies")
