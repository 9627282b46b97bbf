"""Rules about the labels by which a ResourceFlavor selects nodes: whether such TPU slices exist, and are of one kind.

Rules over the chip ledger check whether some pool carries the labels; these hold without pools too, as on Autopilot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.facts.apis.served import KUEUE_RELEASES
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.rebuilding.pools import is_tpu_pool, slice_pool
from policies.objects.rebuilding.queues import chip_flavors
from policies.objects.shapes import shapes_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from policies.objects.values import Part
    from policies.objects.world import Object, World

FAMILY: Final = Family.QUOTA

_LABELS: Final = ("spec", "nodeLabels")
_GKE_TPUS: Final = 'GKE documentation "About TPUs in GKE", read 2026-11'
_FLAVORS: Final = 'Kueue documentation "Resource Flavor", read 2026-11'
_TELLS_SHAPE: Final = (gke.LABEL_TPU_ACCELERATOR, gke.LABEL_TPU_TOPOLOGY)


@object_rule(
    summary="the TPU accelerator that a flavor selects exists",
    why="No node carries any other, so workloads that Kueue admits to the flavor wait for ever.",
    source="components/model/facts/tpu_catalogue.py",
    kinds=(kinds.RESOURCE_FLAVOR,),
)
def _flavor_generation_exists(flavor: Object) -> Iterator[Finding]:
    accelerator = flavor.labels(*_LABELS).get(gke.LABEL_TPU_ACCELERATOR)
    known = [generation.accelerator for generation in tpu.GENERATIONS]
    if accelerator is not None and accelerator not in known:
        offered = [generation.accelerator for generation in tpu.GENERATIONS if generation.is_offered]
        yield Finding(
            place=flavor.place.at(*_LABELS, gke.LABEL_TPU_ACCELERATOR),
            says=f"no TPU node is labelled {accelerator}.",
            remedy=f"{did_you_mean(accelerator, offered)}Known: {listing(offered)}.",
        )


@object_rule(
    summary="the topology that a flavor selects is one that its TPU generation has",
    why="No node carries any other, so workloads that Kueue admits to the flavor wait for ever.",
    source=_GKE_TPUS,
    kinds=(kinds.RESOURCE_FLAVOR,),
)
def _flavor_topology_exists(flavor: Object) -> Iterator[Finding]:
    labels = flavor.labels(*_LABELS)
    accelerator, topology = labels.get(gke.LABEL_TPU_ACCELERATOR), labels.get(gke.LABEL_TPU_TOPOLOGY)
    generation = next((each for each in tpu.GENERATIONS if each.accelerator == accelerator), None)
    if generation is None or topology is None or shapes_named(accelerator, topology):
        return
    yield Finding(
        place=flavor.place.at(*_LABELS, gke.LABEL_TPU_TOPOLOGY),
        says=f"there are no {topology} slices of {generation.marketing}.",
        remedy=f"{_nearest(generation, topology)}Known: {listing(generation.topologies)}.",
    )


def _nearest(generation: tpu.Generation, topology: str) -> str:
    """The topologies with the next smaller and the next larger number of chips; empty where there is no number."""
    near: dict[str, None] = {}
    for machine in generation.machines:
        try:
            near.update(dict.fromkeys(shape.topology for shape in tpu.nearest_topologies(machine.name, topology)))
        except ValueError:
            return ""
    return f"Nearest: {listing(list(near), 'or')}. "


@world_rule(
    summary="a flavor of chips without labels for a shape is served by slices of one kind",
    why="Kueue counts the chips of all kinds as one quota, and admits workloads for one kind on the chips of another.",
    source=_FLAVORS,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _flavor_is_one_kind(flavor: Object, world: World) -> Iterator[Finding]:
    labels = flavor.labels(*_LABELS)
    if all(key in labels for key in _TELLS_SHAPE) or flavor.name not in chip_flavors(world):
        return
    kinds_served = [_kind_served(pool, labels) for pool in world.of(kinds.NODE_POOL)]
    served = list(dict.fromkeys(kind for kind in kinds_served if kind is not None))
    if len(served) > 1:
        yield Finding(
            place=flavor.place.at(*_LABELS),
            says=f"{flavor.name} counts the chips of {listing(served)} as one quota.",
            remedy=f"Make one flavor for each, with the labels {listing(_TELLS_SHAPE)} of its nodes.",
        )


def _kind_served(pool: Object, labels: Mapping[str, str]) -> str | None:
    """The kind of the pool's slices if it carries the labels, else None."""
    if not is_tpu_pool(pool):
        return None
    made = slice_pool(pool, None)
    if not made.labels or not labels.items() <= made.labels.items():
        return None
    way = "" if made.capacity == "on-demand" else f"{made.capacity} "
    return f"{way}{made.topology} slices of {made.machine_type}"


@object_rule(
    summary="a flavor with a Topology has labels",
    why="The API server refuses it: Kueue would count every node of the cluster in that topology.",
    source=f"CustomResourceDefinitions of {KUEUE_RELEASES}",
    kinds=(kinds.RESOURCE_FLAVOR,),
)
def _placement_needs_labels(flavor: Object) -> Iterator[Finding]:
    if flavor.text("spec", "topologyName") is not None and not flavor.labels(*_LABELS):
        yield about_key(
            place=flavor.place.at("spec", "topologyName"),
            says=f"{flavor.name} has no nodeLabels.",
            remedy=f"Add the labels of its nodes, such as {gke.LABEL_TPU_ACCELERATOR}.",
        )


@object_rule(
    summary="a flavor that names the taint of TPU nodes tolerates it",
    why="Kueue checks tolerations before GKE adds the toleration of TPU nodes to pods, and admits no pod without it.",
    source="Kueue 0.16.2 and 0.19.2, pkg/scheduler/flavorassigner/flavorassigner.go",
    kinds=(kinds.RESOURCE_FLAVOR,),
    severity=Severity.WARNING,
)
def _flavor_tolerates_its_taints(flavor: Object) -> Iterator[Finding]:
    tolerations = flavor.parts("spec", "tolerations")
    for taint in flavor.parts("spec", "nodeTaints"):
        is_hard = taint.text("effect") in ("NoSchedule", "NoExecute")
        if (
            taint.text("key") == gke.TAINT_TPU_KEY
            and is_hard
            and not any(_tolerates(each, taint) for each in tolerations)
        ):
            yield Finding(
                place=taint.place,
                says=f"workloads without a toleration of {gke.TAINT_TPU_KEY} are never admitted to {flavor.name}.",
                remedy=f"Remove the taint, or add tolerations: [{{key: {gke.TAINT_TPU_KEY}, operator: Exists}}].",
            )


def _tolerates(toleration: Part, taint: Part) -> bool:
    """As the scheduler matches them: no key or no effect is any."""
    key, effect = toleration.text("key"), toleration.text("effect")
    if key not in (None, taint.text("key")) or effect not in (None, taint.text("effect")):
        return False
    return toleration.text("operator") == "Exists" or toleration.text("value") == taint.text("value")
