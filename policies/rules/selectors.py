"""Rules about the nodes that pods select: slices, flex-start capacity and GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, gpu, kinds, tpu
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.rule import Edit, Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.ownership import queue_name
from policies.objects.pods import MAKERS, PodGroup, ask_for, asks_for, is_for_any_pod, pod_groups, tpu_groups
from policies.objects.requested_slices import (
    OWN_CHOICE,
    comes_undeclared,
    labels_by_flavor,
    labels_wanted,
    serving,
    tpu_pools,
)
from policies.objects.shapes import part_asked_for, shape_for, shapes_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.TOPOLOGY

_GKE_TPUS: Final = 'GKE documentation "About TPUs in GKE", read 2026-11'
_FLEX_START: Final = 'GKE documentation "About GPU, TPU, and H4D consumption with flex-start", read 2026-11'
_NODES: Final = 'Kubernetes documentation "Assigning Pods to Nodes", read 2026-11'
_SLICE: Final = (gke.LABEL_TPU_ACCELERATOR, gke.LABEL_TPU_TOPOLOGY)
_ACCELERATORS: Final = {generation.accelerator for generation in tpu.GENERATIONS}
_OFFERED: Final = tuple(dict.fromkeys(each.accelerator for each in tpu.GENERATIONS if each.is_offered))
_MODES: Final = (gke.LABEL_FLEX_START, gke.LABEL_PROVISIONING)
"""Labels by which pods select a capacity type."""
_TRUE: Final = "true"
_INTERRUPTED: Final = (gke.LABEL_SPOT, gke.LABEL_PREEMPTIBLE)
_CAPACITY: Final = "flex-start"
_WHY: Final = "The autoscaler adds flex-start nodes only for pods that select flex-start; other pods wait for ever."
_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_GKE_GPUS: Final = 'GKE documentation "About GPUs in GKE", read 2026-11'
_GPU: Final = gke.LABEL_GPU_ACCELERATOR


@object_rule(
    summary="pods select an accelerator, a topology and a number of chips that exist together",
    why="No node carries these labels, so the pods stay Pending and nothing is scaled up for them.",
    source=_GKE_TPUS,
    kinds=MAKERS,
)
def _selected_slice_exists(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        accelerator, topology = (group.selector.get(key) for key in _SLICE)
        if accelerator is not None and accelerator not in _ACCELERATORS:
            yield Finding(
                place=group.selected_at(gke.LABEL_TPU_ACCELERATOR),
                says=f"{accelerator} is not a TPU accelerator.",
                remedy=f"{did_you_mean(accelerator, _OFFERED)}Accelerators: {listing(_OFFERED)}.",
            )
        elif accelerator is not None and topology is not None and not shapes_named(accelerator, topology):
            yield Finding(
                place=group.selected_at(gke.LABEL_TPU_TOPOLOGY),
                says=f"{accelerator} has no {topology} slices.",
                remedy=f"Its topologies: {listing(_topologies(accelerator))}.",
            )
        else:
            yield from _other_count(group)


def _other_count(group: PodGroup) -> Iterator[Finding]:
    """Pods select a number of chips that no host of their slice has."""
    accelerator, topology = (group.selector.get(key) for key in _SLICE)
    count = group.selector.get(gke.LABEL_ACCELERATOR_COUNT)
    numbers = {shape.machine.chips for shape in shapes_named(accelerator, topology)} if topology else set[int]()
    chips = [f'"{each}"' for each in sorted(numbers)]
    if count is not None and chips and f'"{count}"' not in chips:
        yield Finding(
            place=group.selected_at(gke.LABEL_ACCELERATOR_COUNT),
            says=f"no node of a {topology} slice of {accelerator} has {count} chips.",
            remedy=f"Set {listing(chips, 'or')}, or remove the key.",
        )


def _topologies(accelerator: str) -> tuple[str, ...]:
    return next(each.topologies for each in tpu.GENERATIONS if each.accelerator == accelerator)


@object_rule(
    summary="pods with chips and without a queue select an accelerator and a topology",
    why="They start on any free TPU node, whatever its slice; Autopilot refuses them.",
    source=_GKE_TPUS,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _pod_selects_its_slice(owner: Object) -> Iterator[Finding]:
    if queue_name(owner) is not None:
        return
    for group in tpu_groups(owner):
        selector = group.selector
        missing = [key for key in _SLICE if key not in selector]
        has_affinity = group.template.has("spec", "affinity", "nodeAffinity")
        is_told = has_affinity or part_asked_for(group) is not None or any(key in selector for key in OWN_CHOICE)
        if missing and not is_told:
            yield Finding(
                place=group.selected_at(),
                says=f"it does not select {listing(missing, 'or')}.",
                remedy="Select the accelerator and the topology of the slice, as the node pool has them.",
            )


@object_rule(
    summary='pods that select flex-start nodes select the text "true", and no spot nodes',
    why="The autoscaler adds flex-start nodes only for that selector, and no node is flex-start and spot.",
    source=_FLEX_START,
    kinds=MAKERS,
)
def _flex_start_selector_is_true(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        selector = group.selector
        stated = selector.get(gke.LABEL_FLEX_START)
        if stated is None:
            continue
        if stated != _TRUE:
            yield Finding(
                place=group.selected_at(gke.LABEL_FLEX_START),
                says=f'"{stated}"; nodes carry "{_TRUE}".',
                remedy=f'Set "{_TRUE}", with quotation marks, or remove the key.',
            )
        for key in _INTERRUPTED:
            if selector.get(key) == _TRUE:
                yield about_key(
                    place=group.selected_at(key),
                    says="it is selected beside flex-start, but no node is both.",
                    remedy=f"Remove it, or {gke.LABEL_FLEX_START}.",
                )


def _is_plain(selector: Mapping[str, str]) -> bool:
    """Whether no other rule checks the capacity type."""
    flex_start = selector.get(gke.LABEL_FLEX_START)
    return flex_start is None or (flex_start == _TRUE and all(selector.get(key) != _TRUE for key in _INTERRUPTED))


@world_rule(
    summary="some declared pool has the nodes that pods with chips select",
    why="No node will ever carry the labels, and the pods stay Pending.",
    source=_NODES,
    kinds=MAKERS,
    needs=(kinds.NODE_POOL,),
)
def _some_pool_serves_pods(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        wanted = labels_wanted(group, world)
        shape = shape_for(wanted, group.chips)
        if shape is None or not _is_plain(wanted) or comes_undeclared(wanted, world):
            continue
        declared = tpu_pools(world)
        if shape.machine.name not in serving(wanted, world) and all(pool.labels for pool in declared):
            listed = [f"{pool.name} ({pool.topology} of {pool.machine_type}, {pool.capacity})" for pool in declared]
            asked = listing([f"{key}={value}" for key, value in sorted(wanted.items())])
            yield Finding(
                place=group.selected_at(),
                says=f"no pool has nodes with {group.chips} chips and {asked}.",
                remedy=f"Declare one, or select another. Pools of TPU hosts: {listing(listed)}.",
            )


@world_rule(
    summary="pods whose slices are flex-start only select flex-start",
    why="The autoscaler adds flex-start nodes only for pods that select them by name.",
    source=_FLEX_START,
    kinds=MAKERS,
    needs=(kinds.NODE_POOL,),
)
def _flex_start_is_selected(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        wanted = labels_wanted(group, world)
        if any(key in wanted for key in _MODES) or shape_for(wanted, group.chips) is None:
            continue
        if comes_undeclared(wanted, world):
            continue
        found = [pool for pools in serving(wanted, world).values() for pool in pools]
        if found and all(pool.capacity == "flex-start" for pool in found):
            yield Finding(
                place=group.selected_at(),
                says=f"its slices are those of {listing([pool.name for pool in found])}, which are flex-start.",
                remedy=f'Add {gke.LABEL_FLEX_START}: "{_TRUE}".',
            )


@world_rule(
    summary="where pools of one accelerator and topology differ in hosts, pods say which hosts they mean",
    why="A 2x4 slice is one host of 8 chips or two of 4: pods of 4 chips fit both, but make a mesh only on hosts of 4.",
    source=_GKE_TPUS,
    kinds=MAKERS,
    needs=(kinds.NODE_POOL,),
)
def _selectors_name_one_machine(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        wanted = labels_wanted(group, world)
        if shape_for(wanted, group.chips) is None:
            continue
        found = serving(wanted, world).items()
        others = [pool.name for name, pools in found if tpu.machine(name).chips > group.chips for pool in pools]
        if others:
            yield Finding(
                place=group.selected_at(),
                says=f"pods of {group.chips} chips may also start on hosts of {listing(others)}, which have more.",
                remedy=f'Add {gke.LABEL_ACCELERATOR_COUNT}: "{group.chips}".',
            )


def _flex_start_selector(owner: Object) -> Iterator[Edit]:
    """The selector of flex-start nodes beside another that only they have."""
    if owner.kind is kinds.RESOURCE_FLAVOR:
        yield Edit(("spec", "nodeLabels", gke.LABEL_FLEX_START), "true")
        return
    for group in tpu_groups(owner):
        if _asks_for_none(group.selector):
            yield Edit((*group.template.place.keys, "spec", "nodeSelector", gke.LABEL_FLEX_START), "true")


@object_rule(
    summary="pods and flavors that select flex-start nodes by another label also select flex-start",
    why=_WHY,
    source=_AUTOSCALER,
    kinds=(*MAKERS, kinds.RESOURCE_FLAVOR),
    fix=_flex_start_selector,
)
def _flex_start_nodes_are_asked_for(owner: Object) -> Iterator[Finding]:
    if not _is_queued(owner):
        yield from (_finding(place) for place, selector in _selectors(owner) if _asks_for_none(selector))


@world_rule(
    summary="queued pods that select flex-start nodes by another label also select flex-start, or their flavor does",
    why=_WHY,
    source=_AUTOSCALER,
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
    return selector.get(gke.LABEL_PROVISIONING) == _CAPACITY and gke.LABEL_FLEX_START not in selector


def _finding(place: Place) -> Finding:
    return Finding(
        place=place,
        says=f"{_CAPACITY} nodes carry this label, but the autoscaler adds none for it.",
        remedy=f'Add {gke.LABEL_FLEX_START}: "true".',
    )


def _selectors(owner: Object) -> Iterator[tuple[Place, Mapping[str, str]]]:
    """The selector of pods, or the labels of a flavor, and where they state how nodes are provisioned."""
    if owner.kind is kinds.RESOURCE_FLAVOR:
        path = ("spec", "nodeLabels")
        yield owner.place.at(*path, gke.LABEL_PROVISIONING), owner.labels(*path)
        return
    for group in tpu_groups(owner):
        yield group.selected_at(gke.LABEL_PROVISIONING), group.selector


@object_rule(
    summary="pods that select flex-start nodes select a generation that supports flex-start",
    why="The autoscaler never adds such nodes, and the pods wait for ever.",
    source=_AUTOSCALER,
    kinds=MAKERS,
)
def _selected_flex_start_exists(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        accelerator = group.selector.get(gke.LABEL_TPU_ACCELERATOR)
        generation = next((each for each in tpu.GENERATIONS if each.accelerator == accelerator), None)
        if generation is None or generation.has_flex_start:
            continue
        stated = {gke.LABEL_FLEX_START: _TRUE, gke.LABEL_PROVISIONING: _CAPACITY}
        for key in (key for key, value in stated.items() if group.selector.get(key) == value):
            yield about_key(
                place=group.selected_at(key),
                says=f"{generation.marketing} has no flex-start.",
                remedy=f"Remove the key, or select {listing(tpu.named(lambda each: each.has_flex_start), 'or')}.",
            )


@object_rule(
    summary="pods and flavors select a GPU by the name that GKE has for it",
    why="No node carries another name, so the pods stay Pending and nothing is scaled up for them.",
    source=_GKE_GPUS,
    kinds=(*MAKERS, kinds.RESOURCE_FLAVOR),
)
def _selected_gpu_exists(each: Object) -> Iterator[Finding]:
    for place, name in _selected(each):
        meant = _meant(name)
        if meant:
            yield Finding(
                place=place,
                says=f"no GPU node is labelled {name}.",
                remedy=f"Write {listing(meant, 'or')}.",
            )


def _selected(each: Object) -> Iterator[tuple[Place, str]]:
    """The GPU that pods select or a flavor names, and where."""
    if each.kind is kinds.RESOURCE_FLAVOR:
        path = ("spec", "nodeLabels")
        selectors = [(each.place.at(*path, _GPU), each.labels(*path))]
    else:
        selectors = [(group.selected_at(_GPU), group.selector) for group in pod_groups(each)]
    return ((place, labels[_GPU]) for place, labels in selectors if _GPU in labels)


def _meant(name: str) -> list[str]:
    """The GPUs that a name with a part too few or too many may mean; none for a known name, or one of a new GPU."""
    words = set(name.casefold().split("-"))
    if name in gpu.LABELS:
        return []
    known = [(each, set(each.split("-"))) for each in gpu.LABELS]
    return [each for each, own in known if words.issubset(own)] or [
        each for each, own in known if words.issuperset(own)
    ]


@object_rule(
    summary="pods that select a GPU node ask for GPUs",
    why="GKE keeps GPU nodes for pods that ask for GPUs: other pods stay Pending, or run without a GPU.",
    source=_GKE_GPUS,
    kinds=MAKERS,
)
def _gpu_pods_ask_for_gpus(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if _GPU not in group.selector or is_for_any_pod(group.template, gke.RESOURCE_GPU):
            continue
        if not any(asks_for(each, gke.RESOURCE_GPU) for each in group.all_containers):
            yield Finding(
                place=group.selected_at(_GPU),
                says=f"the pods of {group.name} select GPU nodes and ask for no GPU.",
                remedy=ask_for(owner, gke.RESOURCE_GPU),
            )
