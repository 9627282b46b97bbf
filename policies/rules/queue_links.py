"""Rules about what Kueue's objects name: queues, namespaces, cohorts, Topologies.

Rules over the chip ledger check the flavors and checks that queues name.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, did_you_mean, listing, nearest
from components.model.rule import Family
from policies.objects.judging import world_rule
from policies.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from policies.objects.values import Part
    from policies.objects.world import Object, World

_LOCAL: Final = 'Kueue documentation "Local Queue", read 2026-11'
_QUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_SHORT: Final = 2
"""Characters of a word that numbers things."""
_NUMBER: Final = re.compile(r"[0-9]+")


@world_rule(
    "local-queue-leads-to-a-queue",
    summary="a LocalQueue leads to a ClusterQueue that exists",
    why="Its workloads wait for ever.",
    source=_LOCAL,
    family=Family.QUOTA,
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
    "local-queue-has-a-namespace",
    summary="a LocalQueue is in a namespace that exists",
    why="The API server refuses it. A name that is like none here may be of a namespace that others create.",
    source="Kubernetes API v1, Namespace",
    family=Family.QUOTA,
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
    "queue-takes-the-namespace",
    summary="a LocalQueue is in a namespace that its ClusterQueue serves",
    why="Its workloads wait for ever: the namespace does not match the queue's selector.",
    source=_QUEUE,
    family=Family.QUOTA,
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
    """What is wanted and whether it is met; None where a label may be there that is not known (not `is_all`)."""
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
    "queue-is-for-its-tenants",
    summary="where teams have queues of their own, a queue says which namespaces it serves",
    why="Anybody who may create a LocalQueue in another namespace can use the quota of this team.",
    source=_QUEUE,
    family=Family.QUOTA,
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
    """The namespaces whose LocalQueues lead to a ClusterQueue, by its name; every queue asks for them.

    Raises:
        UndecidedError, MalformedError: a LocalQueue cannot be read.
    """
    found: dict[str, dict[str, None]] = {}
    for local in world.of(kinds.LOCAL_QUEUE):
        found.setdefault(local.string("spec", "clusterQueue"), {}).setdefault(local.namespace)
    return found


@world_rule(
    "cohort-is-shared",
    summary="a queue shares its cohort with another queue",
    why="Kueue makes a cohort for any name, so a queue with a misspelt name lends and borrows nothing.",
    source='Kueue documentation "Cohort", read 2026-11',
    family=Family.QUOTA,
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
    """How many queues are in each cohort, and in none; every queue asks for it.

    Raises:
        UndecidedError, MalformedError: a queue cannot be read.
    """
    return Counter(_cohort_of(each)[0] for each in world.of(kinds.CLUSTER_QUEUE))


@lru_cache(maxsize=1)
def _stems(world: World) -> Mapping[tuple[str, ...], str]:
    """The first of the cohorts whose names differ in numbers alone: such names are meant.

    Raises:
        UndecidedError, MalformedError: a queue cannot be read.
    """
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
    "placement-topology-exists",
    summary="the Topology that a flavor names exists",
    why="Kueue keeps every queue with the flavor inactive.",
    source='Kueue documentation "Topology Aware Scheduling", read 2026-11',
    family=Family.QUOTA,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.TOPOLOGY,),
)
def _placement_topology_exists(flavor: Object, world: World) -> Iterator[Finding]:
    name = flavor.text("spec", "topologyName")
    if name is not None and world.named(kinds.TOPOLOGY, name) is None:
        known = [each.name for each in world.of(kinds.TOPOLOGY)]
        yield Finding(
            place=flavor.place.at("spec", "topologyName"),
            says=f"no Topology is named {name}.",
            remedy=f"{did_you_mean(name, known)}Topologies: {listing(known)}.",
        )


QUEUE_LINK_RULES: Final = (
    _local_queue_leads_to_a_queue,
    _local_queue_has_a_namespace,
    _queue_takes_the_namespace,
    _queue_is_for_its_tenants,
    _cohort_is_shared,
    _placement_topology_exists,
)
