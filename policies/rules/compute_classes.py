"""Rules about ComputeClasses, the node pools that a class names, and the pods that select one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.facts.compute_classes import REFUSED_SELECTORS
from components.model.findings import Finding, Severity, about_key, listing, unlisted
from components.model.rule import Family
from components.model.rules.compute_class import class_name_is_free, reserved_class_name
from policies.objects.judging import object_rule, read_in_object, world_rule
from policies.objects.pods import MAKERS, pod_groups
from policies.objects.shapes import shapes_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.TOPOLOGY

_SOURCE: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'
_NODE_POOLS: Final = "nodepools"
_BESIDE_POOLS: Final = (_NODE_POOLS, "priorityScore")
"""The fields of a priority that names node pools."""
_CLASS: Final = gke.LABEL_COMPUTE_CLASS


@read_in_object(class_name_is_free, kinds=(kinds.COMPUTE_CLASS,))
def _class_name_is_free(each: Object) -> Iterator[Finding]:
    yield from reserved_class_name(each.name, each.place.at("metadata", "name"))


@object_rule(
    summary="a priority of a ComputeClass is flex-start or spot, not both",
    why="Flex-start nodes and spot nodes are two ways to get capacity; GKE makes no node that is both.",
    source="GKE's CustomResourceDefinition of ComputeClasses, validation of priorities",
    kinds=(kinds.COMPUTE_CLASS,),
)
def _flex_start_class_is_not_spot(each: Object) -> Iterator[Finding]:
    for priority in each.parts("spec", "priorities"):
        if priority.flag("spot") and priority.flag("flexStart", "enabled"):
            yield about_key(
                place=priority.place.at("spot"),
                says="the priority is also flex-start.",
                remedy="Remove spot or flexStart, or write a priority for each.",
            )


@object_rule(
    summary="a priority of a ComputeClass names a slice that exists, and the chips of each of its nodes",
    why="GKE cannot make nodes for such a priority.",
    source=_SOURCE,
    kinds=(kinds.COMPUTE_CLASS,),
)
def _class_names_a_slice(each: Object) -> Iterator[Finding]:
    for priority in each.parts("spec", "priorities"):
        accelerator, topology = priority.text("tpu", "type"), priority.text("tpu", "topology")
        known = tuple(one for one in tpu.GENERATIONS if one.accelerator == accelerator)
        if not known or topology is None:
            continue
        chips = sorted({shape.machine.chips for shape in shapes_named(accelerator, topology)})
        count = priority.whole("tpu", "count")
        if not chips:
            yield Finding(
                place=priority.place.at("tpu", "topology"),
                says=f"{accelerator} has no {topology} slices.",
                remedy=f"Its topologies: {listing(known[0].topologies)}.",
            )
        elif count is not None and count not in chips:
            yield Finding(
                place=priority.place.at("tpu", "count"),
                says=f"no node of a {topology} slice of {accelerator} has {count} chips.",
                remedy=f"Set the chips of each node: {listing([str(one) for one in chips], 'or')}.",
            )


@object_rule(
    summary="a priority of a ComputeClass names node pools or describes machines, not both",
    why="GKE takes no other field beside nodepools: the pools have their machines already.",
    source=_SOURCE,
    kinds=(kinds.COMPUTE_CLASS,),
)
def _class_pools_stand_alone(each: Object) -> Iterator[Finding]:
    for index, priority in enumerate(each.mappings("spec", "priorities")):
        fields = [name for name in priority if name not in _BESIDE_POOLS]
        if _NODE_POOLS in priority and fields:
            yield about_key(
                place=each.place.at("spec", "priorities", index, _NODE_POOLS),
                says=f"the priority also has {listing(fields)}.",
                remedy="Write a priority for the pools, and another for the machines.",
            )


@object_rule(
    summary="a priority of a ComputeClass with TPUs names the reservation that it takes",
    why="GKE takes reserved TPUs of specific reservations alone; AnyBestEffort is not supported.",
    source=_SOURCE,
    kinds=(kinds.COMPUTE_CLASS,),
)
def _class_takes_tpus_of_one_reservation(each: Object) -> Iterator[Finding]:
    for priority in each.parts("spec", "priorities"):
        affinity = priority.text("reservations", "affinity")
        if priority.has("tpu") and affinity not in (None, "Specific", "None"):
            yield Finding(
                place=priority.place.at("reservations", "affinity"),
                says=f"{affinity} is not supported for TPUs.",
                remedy="Set Specific, with the name of the reservation in specific.",
            )


@object_rule(
    summary="pods that select a ComputeClass select no machines beside it",
    why="GKE rejects pods that select node labels for which the class has a field.",
    source=_SOURCE,
    kinds=MAKERS,
)
def _class_pods_select_no_machines(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if _CLASS not in group.selector:
            continue
        for label in (label for label in REFUSED_SELECTORS if label in group.selector):
            yield about_key(
                place=group.selected_at(label),
                says=f"the pods select the ComputeClass {group.selector[_CLASS]}, which decides about this.",
                remedy="Remove the key, and state it in a priority of the class.",
            )


@object_rule(
    summary="a node pool of a ComputeClass has the label and the taint of one class",
    why="Without the label the pods of the class never run there; without the taint all others do.",
    source=_SOURCE,
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
    summary="a ComputeClass names node pools that exist, are autoscaled and have its label",
    why="GKE reports the class as misconfigured, and its pods get no nodes of that priority.",
    source="public source of GKE's cluster autoscaler, computeclass/conditions, read 2026-11",
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
        yield unlisted(place, "node pool", name, known, "Node pools")
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
