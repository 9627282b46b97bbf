"""Rules about PriorityClasses of Kubernetes: names and values that are users', and what autoscalers make of them.

A WorkloadPriorityClass of Kueue may have any name and value; who preempts whom is judged by way of the chip ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from components.model.rules.priority import beyond_users, priority_is_users
from policies.objects.judging import object_rule, read_in_object, world_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object, World

_KUBERNETES: Final = 'Kubernetes documentation "Pod Priority and Preemption", read 2026-11'
_SYSTEMS: Final = ("system-cluster-critical", "system-node-critical")
"""The classes that every cluster has; a dump shows them."""


@read_in_object(priority_is_users, kinds=(kinds.PRIORITY_CLASS,))
def _priority_is_users(priority: Object) -> Iterator[Finding]:
    if priority.name not in _SYSTEMS:
        place = priority.place.called(name=("metadata", "name"))
        yield from beyond_users(priority.name, priority.count("value"), place)


@object_rule(
    "priority-brings-nodes",
    summary=f"pods have a priority of at least {gke.AUTOSCALER_PRIORITY_FLOOR}, so that nodes are made for them",
    why="The cluster autoscaler leaves pods of a lower priority aside: slices that come with the work never come.",
    source='GKE documentation "About GKE cluster autoscaling", read 2026-11',
    family=Family.QUOTA,
    kinds=(kinds.PRIORITY_CLASS,),
    severity=Severity.WARNING,
)
def _priority_brings_nodes(priority: Object) -> Iterator[Finding]:
    value = priority.whole("value")
    if value is not None and value < gke.AUTOSCALER_PRIORITY_FLOOR:
        yield Finding(
            place=priority.place.at("value"),
            says=f"no node is made for pods of priority {value}.",
            remedy=f"Set {gke.AUTOSCALER_PRIORITY_FLOOR} or more, unless these pods are to wait for idle nodes.",
        )


@world_rule(
    "default-priority-is-one",
    summary="one PriorityClass at most is that of pods that name none",
    why="The API server refuses a second one.",
    source=_KUBERNETES,
    family=Family.QUOTA,
    kinds=(kinds.PRIORITY_CLASS,),
)
def _default_priority_is_one(priority: Object, world: World) -> Iterator[Finding]:
    if not priority.flag("globalDefault"):
        return
    before: list[str] = []
    for each in world.of(kinds.PRIORITY_CLASS):
        if each is priority:
            break
        if each.flag("globalDefault"):
            before.append(each.name)
    if before:
        yield Finding(
            place=priority.place.at("globalDefault"),
            says=f"{listing(before)} is the default already.",
            remedy="Set globalDefault: false for all but one.",
        )


PRIORITY_CLASS_RULES: Final = (_priority_is_users, _priority_brings_nodes, _default_priority_is_one)
