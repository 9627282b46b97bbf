"""Rules about ComputeClasses, which say which nodes GKE may make for pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, tpu
from components.model.findings import Finding, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.shapes import shapes_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_SOURCE: Final = 'GKE documentation "About custom ComputeClasses", read 2026-11'
_RESERVED: Final = ("gke", "autopilot")


@object_rule(
    "class-name-is-free",
    summary="the name of a ComputeClass does not begin with gke or autopilot",
    why="GKE refuses the class.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
    kinds=(kinds.COMPUTE_CLASS,),
)
def _class_name_is_free(each: Object) -> Iterator[Finding]:
    word = next((word for word in _RESERVED if each.name.startswith(word)), None)
    if word is not None:
        yield Finding(
            place=each.place.at("metadata", "name"),
            says=f"the name begins with {word}, which GKE reserves for its own classes.",
            remedy="Choose a name with another beginning.",
        )


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


COMPUTE_CLASS_RULES: Final = (_class_name_is_free, _flex_start_class_is_not_spot, _class_names_a_slice)
