"""Rules about ComputeClasses, which say which nodes GKE may make for pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, tpu
from components.model.findings import Finding, listing
from components.model.rule import Family
from components.model.rules.compute_class import class_name_is_free, reserved
from policies.objects.judging import object_rule, read_in_object
from policies.objects.shapes import shapes_named
from policies.rules.class_members import CLASS_MEMBER_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_SOURCE: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'
_NODE_POOLS: Final = "nodepools"
_BESIDE_POOLS: Final = (_NODE_POOLS, "priorityScore")
"""The fields of a priority that names node pools."""


@read_in_object(class_name_is_free, kinds=(kinds.COMPUTE_CLASS,))
def _class_name_is_free(each: Object) -> Iterator[Finding]:
    yield from reserved(each.name, each.place.at("metadata", "name"))


@object_rule(
    "flex-start-class-is-not-spot",
    summary="a priority of a ComputeClass is flex-start or spot, not both",
    why="Flex-start nodes and spot nodes are two ways to get capacity; GKE makes no node that is both.",
    source="GKE's CustomResourceDefinition of ComputeClasses, validation of priorities",
    family=Family.TOPOLOGY,
    kinds=(kinds.COMPUTE_CLASS,),
)
def _flex_start_class_is_not_spot(each: Object) -> Iterator[Finding]:
    for priority in each.parts("spec", "priorities"):
        if priority.flag("spot") and priority.flag("flexStart", "enabled"):
            yield Finding(
                place=priority.place.at("spot"),
                says="the priority is also flex-start.",
                remedy="Remove spot or flexStart, or write a priority for each.",
                is_about_key=True,
            )


@object_rule(
    "class-names-a-slice",
    summary="a priority of a ComputeClass names a slice that exists, and the chips of each of its nodes",
    why="GKE cannot make nodes for such a priority.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
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
    "class-pools-stand-alone",
    summary="a priority of a ComputeClass names node pools or describes machines, not both",
    why="GKE takes no other field beside nodepools: the pools have their machines already.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
    kinds=(kinds.COMPUTE_CLASS,),
)
def _class_pools_stand_alone(each: Object) -> Iterator[Finding]:
    for index, priority in enumerate(each.mappings("spec", "priorities")):
        fields = [name for name in priority if name not in _BESIDE_POOLS]
        if _NODE_POOLS in priority and fields:
            yield Finding(
                place=each.place.at("spec", "priorities", index, _NODE_POOLS),
                says=f"the priority also has {listing(fields)}.",
                remedy="Write a priority for the pools, and another for the machines.",
                is_about_key=True,
            )


@object_rule(
    "class-takes-tpus-of-one-reservation",
    summary="a priority of a ComputeClass with TPUs names the reservation that it takes",
    why="GKE takes reserved TPUs of specific reservations alone; AnyBestEffort is not supported.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
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


COMPUTE_CLASS_RULES: Final = (
    _class_name_is_free,
    _flex_start_class_is_not_spot,
    _class_names_a_slice,
    _class_pools_stand_alone,
    _class_takes_tpus_of_one_reservation,
    *CLASS_MEMBER_RULES,
)
