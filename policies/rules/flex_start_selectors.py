"""The rules about pods, and flavors, that select flex-start nodes for which the autoscaler adds none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.findings import Finding, listing
from components.model.rule import Edit, Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.pods import MAKERS, tpu_groups
from policies.objects.requested_slices import labels_by_flavor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from policies.objects.world import Object, World

_FLEX_START: Final = "flex-start"
_WHY: Final = "The autoscaler adds flex-start nodes only for pods that select flex-start; other pods wait for ever."
_SOURCE: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"


def _flex_start_selector(owner: Object) -> Iterator[Edit]:
    """The selector of flex-start nodes beside another that only they have."""
    if owner.kind is kinds.RESOURCE_FLAVOR:
        yield Edit(("spec", "nodeLabels", gke.LABEL_FLEX_START), "true")
        return
    for group in tpu_groups(owner):
        if _asks_for_none(group.selector):
            yield Edit((*group.template.place.keys, "spec", "nodeSelector", gke.LABEL_FLEX_START), "true")


@object_rule(
    "flex-start-nodes-are-asked-for",
    summary="pods and flavors that select flex-start nodes by another label also select flex-start",
    why=_WHY,
    source=_SOURCE,
    family=Family.TOPOLOGY,
    kinds=(*MAKERS, kinds.RESOURCE_FLAVOR),
    fix=_flex_start_selector,
)
def _flex_start_nodes_are_asked_for(owner: Object) -> Iterator[Finding]:
    if not _is_queued(owner):
        yield from (_finding(place) for place, selector in _selectors(owner) if _asks_for_none(selector))


@world_rule(
    "queued-flex-start-nodes-are-asked-for",
    summary="queued pods that select flex-start nodes by another label also select flex-start, or their flavor does",
    why=_WHY,
    source=_SOURCE,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _queued_flex_start_nodes_are_asked_for(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner) if _is_queued(owner) else ():
        is_asked = not _asks_for_none(group.selector)
        if not is_asked and all(map(_asks_for_none, labels_by_flavor(group, world))):
            yield _finding(group.selected_at(gke.LABEL_PROVISIONING))


def _is_queued(owner: Object) -> bool:
    """Whether Kueue adds the labels of a flavor to what pods select."""
    return owner.kind is not kinds.RESOURCE_FLAVOR and owner.has("metadata", "labels", gke.LABEL_QUEUE_NAME)


def _asks_for_none(selector: Mapping[str, str]) -> bool:
    return selector.get(gke.LABEL_PROVISIONING) == _FLEX_START and gke.LABEL_FLEX_START not in selector


def _finding(place: Place) -> Finding:
    return Finding(
        place=place,
        says=f"{_FLEX_START} nodes carry this label, but the autoscaler adds none for it.",
        remedy=f'Add {gke.LABEL_FLEX_START}: "true".',
    )


def _selectors(owner: Object) -> Iterator[tuple[Place, Mapping[str, str]]]:
    """What pods select, or the labels of a flavor, and where they state how nodes are provisioned."""
    if owner.kind is kinds.RESOURCE_FLAVOR:
        path = ("spec", "nodeLabels")
        yield owner.place.at(*path, gke.LABEL_PROVISIONING), owner.labels(*path)
        return
    for group in tpu_groups(owner):
        yield group.selected_at(gke.LABEL_PROVISIONING), group.selector


@object_rule(
    "selected-flex-start-exists",
    summary="pods that select flex-start nodes select a generation that supports flex-start",
    why="The autoscaler never adds such nodes, and the pods wait for ever.",
    source=_SOURCE,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _selected_flex_start_exists(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        accelerator = group.selector.get(gke.LABEL_TPU_ACCELERATOR)
        generation = next((each for each in tpu.GENERATIONS if each.accelerator == accelerator), None)
        if generation is None or generation.has_flex_start:
            continue
        stated = {gke.LABEL_FLEX_START: "true", gke.LABEL_PROVISIONING: _FLEX_START}
        for key in (key for key, value in stated.items() if group.selector.get(key) == value):
            yield Finding(
                place=group.selected_at(key),
                says=f"{generation.marketing} has no flex-start.",
                remedy=f"Remove the key, or select {listing(tpu.named(lambda each: each.has_flex_start), 'or')}.",
                is_about_key=True,
            )


FLEX_START_SELECTOR_RULES: Final = (
    _flex_start_nodes_are_asked_for,
    _queued_flex_start_nodes_are_asked_for,
    _selected_flex_start_exists,
)
