"""Rules about fields of Kueue's objects: their values, which are required, how long lists may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.apis.served import (
    CURRENT,
    DEPRECATED,
    KUEUE_KINDS,
    KUEUE_RELEASES,
    QUEUE_KINDS,
)
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Family
from policies.objects import stated_fields
from policies.objects.judging import object_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object

_CRDS: Final = f"CustomResourceDefinitions of {KUEUE_RELEASES}"
_HOSTNAME: Final = "kubernetes.io/hostname"
_NEXT: Final = "TryNextFlavor"


@object_rule(
    "queue-api-is-current",
    summary="objects of Kueue use the current version of its API",
    why="v1beta1 is deprecated since Kueue 0.15, every use gets a warning, and a later release will not serve it.",
    source=_CRDS,
    family=Family.QUOTA,
    kinds=KUEUE_KINDS,
    severity=Severity.ADVICE,
)
def _queue_api_is_current(each: Object) -> Iterator[Finding]:
    if stated_fields.version_in(each) == DEPRECATED:
        yield Finding(
            place=each.place.at("apiVersion"),
            says=f"{DEPRECATED} is deprecated.",
            remedy=f"Write {each.kind.group}/{CURRENT}.",
        )


@object_rule(
    "queue-value-exists",
    summary="fields of Kueue's objects have valid values",
    why="The API server refuses every other value.",
    source=_CRDS,
    family=Family.QUOTA,
    kinds=QUEUE_KINDS,
)
def _queue_value_exists(each: Object) -> Iterator[Finding]:
    for part, key, known in stated_fields.dated(each, stated_fields.fields_of(each)):
        value = part.text(key) if known.values else None
        if value is not None and value not in known.values:
            yield Finding(
                place=part.place.at(key),
                says=f"{value} is not a valid {key}.",
                remedy=f"{did_you_mean(value, known.values)}Set {listing(known.values, 'or')}.",
            )


@object_rule(
    "queue-field-is-stated",
    summary="Kueue's objects state the fields that they need",
    why="The API server refuses the object, and Kueue has no use for it.",
    source=_CRDS,
    family=Family.QUOTA,
    kinds=QUEUE_KINDS,
)
def _queue_field_is_stated(each: Object) -> Iterator[Finding]:
    for part, key in stated_fields.missing(each, stated_fields.fields_of(each)):
        yield Finding(
            place=part.place.at(key),
            says="it is not stated.",
            remedy=_example(part, key),
            is_about_key=True,
        )


def _example(part: Part, key: str) -> str:
    """What could be written; the resources of the first flavor where those of its group are missing."""
    if key != "coveredResources":
        return f"State {key}."
    flavors = part.parts("flavors")
    names = [resource.string("name") for flavor in flavors[:1] for resource in flavor.parts("resources")]
    return f"Add coveredResources: [{', '.join(names) if names else gke.RESOURCE_TPU}]."


@object_rule(
    "queue-lists-are-short",
    summary="lists in Kueue's objects are not too long",
    why="The API server refuses longer ones.",
    source=_CRDS,
    family=Family.QUOTA,
    kinds=QUEUE_KINDS,
)
def _queue_lists_are_short(each: Object) -> Iterator[Finding]:
    for part, key, known in stated_fields.stated(each, stated_fields.fields_of(each)):
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
    "queue-takes-namespaces",
    summary="a ClusterQueue says which namespaces it serves",
    why="Without a selector it serves no namespace, and all of its workloads wait for ever.",
    source='Kueue documentation "ClusterQueue", namespaceSelector, read 2026-11',
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _queue_takes_namespaces(queue: Object) -> Iterator[Finding]:
    if not queue.has("spec", "namespaceSelector"):
        yield Finding(
            place=queue.place.at("spec", "namespaceSelector"),
            says=f"{queue.name} serves no namespace.",
            remedy="Add namespaceSelector: {} for all, or {matchLabels: {kubernetes.io/metadata.name: team-a}}.",
            is_about_key=True,
        )


@object_rule(
    "preference-has-a-choice",
    summary="a preference between borrowing and preemption is stated where the queue tries its next flavor",
    why="The API server refuses it elsewhere: Kueue would stop before there is anything to choose.",
    source=_CRDS,
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _preference_has_a_choice(queue: Object) -> Iterator[Finding]:
    stated = queue.part("spec", "flavorFungibility")
    if stated is None or stated.text("preference") is None:
        return
    going_on = {"whenCanBorrow": (_NEXT,), "whenCanPreempt": (_NEXT, None)}
    stopping = [key for key, values in going_on.items() if stated.text(key) not in values]
    if stopping:
        yield Finding(
            place=stated.place.at("preference"),
            says=f"there is nothing to prefer while {listing(stopping)} "
            f"{'is' if len(stopping) == 1 else 'are'} not TryNextFlavor.",
            remedy="Set whenCanBorrow and whenCanPreempt to TryNextFlavor, or remove the key.",
            is_about_key=True,
        )


@object_rule(
    "levels-go-down",
    summary="levels of a Topology are different labels, the host last",
    why="The API server refuses others: each level divides the one above it, and nothing divides a host.",
    source=_CRDS,
    family=Family.QUOTA,
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


QUEUE_FIELD_RULES: Final = (
    _queue_api_is_current,
    _queue_value_exists,
    _queue_field_is_stated,
    _queue_lists_are_short,
    _queue_takes_namespaces,
    _preference_has_a_choice,
    _levels_go_down,
)
