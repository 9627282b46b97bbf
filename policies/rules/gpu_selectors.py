"""Rules about the GPUs of the nodes that pods select: the label names a GPU, and the pods ask for some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, gpu, kinds
from components.model.findings import Finding, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.pods import MAKERS, ask_for, asks_for, is_for_any_pod, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object

_GKE_GPUS: Final = 'GKE documentation "About GPUs in GKE", read 2026-11'
_KEY: Final = gke.LABEL_GPU_ACCELERATOR


@object_rule(
    "selected-gpu-exists",
    summary="pods and flavors select a GPU by the name that GKE has for it",
    why="No node carries another name, so the pods stay Pending and nothing is scaled up for them.",
    source=_GKE_GPUS,
    family=Family.TOPOLOGY,
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
        selectors = [(each.place.at(*path, _KEY), each.labels(*path))]
    else:
        selectors = [(group.selected_at(_KEY), group.selector) for group in pod_groups(each)]
    return ((place, labels[_KEY]) for place, labels in selectors if _KEY in labels)


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
    "gpu-pods-ask-for-gpus",
    summary="pods that select a GPU node ask for GPUs",
    why="GKE keeps GPU nodes for pods that ask for GPUs: other pods stay Pending, or run without a GPU.",
    source=_GKE_GPUS,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _gpu_pods_ask_for_gpus(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if _KEY not in group.selector or is_for_any_pod(group.template, gke.RESOURCE_GPU):
            continue
        if not any(asks_for(each, gke.RESOURCE_GPU) for each in group.all_containers):
            yield Finding(
                place=group.selected_at(_KEY),
                says=f"the pods of {group.name} select GPU nodes and ask for no GPU.",
                remedy=ask_for(owner, gke.RESOURCE_GPU),
            )


GPU_SELECTOR_RULES: Final = (_selected_gpu_exists, _gpu_pods_ask_for_gpus)
