"""Rules about what belongs to ComputeClasses: the node pools that a class names, and the pods that select one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.compute_classes import REFUSED_SELECTORS
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.pods import MAKERS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object, World

_SOURCE: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'
_CLASS: Final = gke.LABEL_COMPUTE_CLASS


@object_rule(
    "class-pods-select-no-machines",
    summary="pods that select a ComputeClass select no machines beside it",
    why="GKE rejects pods that select node labels for which the class has a field.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _class_pods_select_no_machines(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if _CLASS not in group.selector:
            continue
        for label in (label for label in REFUSED_SELECTORS if label in group.selector):
            yield Finding(
                place=group.selected_at(label),
                says=f"the pods select the ComputeClass {group.selector[_CLASS]}, which decides about this.",
                remedy="Remove the key, and state it in a priority of the class.",
                is_about_key=True,
            )


@object_rule(
    "class-pool-is-tainted",
    summary="a node pool of a ComputeClass has the label and the taint of one class",
    why="Without the label the pods of the class never run there; without the taint all others do.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
)
def _class_pool_is_tainted(pool: Object) -> Iterator[Finding]:
    label = pool.labels("nodeConfig", "labels").get(_CLASS)
    taints = {
        taint.string("value"): taint for taint in pool.parts("nodeConfig", "taints") if taint.text("key") == _CLASS
    }
    if label is not None and label not in taints:
        yield Finding(
            place=pool.place.at("nodeConfig", "labels", _CLASS),
            says="the nodes have no taint of this key and value, so pods of other classes and of none run there too.",
            remedy=f"Add the taint {_CLASS}={label} with the effect NO_SCHEDULE.",
        )
    for value, taint in taints.items():
        if value != label:
            yield Finding(
                place=taint.place.at("value"),
                says=f"the nodes have no label {_CLASS}: {value}, by which pods of the class select them.",
                remedy="Add the label to nodeConfig.labels.",
            )


@world_rule(
    "class-names-its-pools",
    summary="a ComputeClass names node pools that exist, are autoscaled and have its label",
    why="GKE reports the class as misconfigured, and its pods get no nodes of that priority.",
    source="public source of GKE's cluster autoscaler, computeclass/conditions, read 2026-11",
    family=Family.TOPOLOGY,
    kinds=(kinds.COMPUTE_CLASS,),
    needs=(kinds.NODE_POOL,),
)
def _class_names_its_pools(each: Object, world: World) -> Iterator[Finding]:
    for priority in each.parts("spec", "priorities"):
        for index, name in enumerate(priority.texts("nodepools")):
            yield from _unfit(each.name, name, priority.place.at("nodepools", index), world)


def _unfit(class_name: str, name: str, place: Place, world: World) -> Iterator[Finding]:
    pools = {pool.name: pool for pool in world.of(kinds.NODE_POOL)}
    pool = pools.get(name)
    if pool is None:
        known = list(pools)
        yield Finding(
            place=place,
            says=f"no node pool is named {name}.",
            remedy=f"{did_you_mean(name, known)}Node pools: {listing(known)}.",
        )
    elif pool.part("autoscaling") is None:
        yield Finding(
            place=place,
            says=f"{name} has a fixed number of nodes.",
            remedy="Add autoscaling to the pool.",
        )
    elif pool.labels("nodeConfig", "labels").get(_CLASS) != class_name:
        yield Finding(
            place=place,
            says=f"nodes of {name} have no label {_CLASS}: {class_name}, so pods of the class never run there.",
            remedy="Add the label, and the taint of the same key and value, to the pool.",
        )


CLASS_MEMBER_RULES: Final = (_class_pods_select_no_machines, _class_pool_is_tainted, _class_names_its_pools)
