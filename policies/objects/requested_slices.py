"""The slices that pods ask for: the shape that labels of nodes name, and the declared pools that have such nodes.

Pods request what they select, and what Kueue adds: the labels that all flavors of their queue share.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from policies.objects import ownership
from policies.objects.ownership import cluster_of
from policies.objects.rebuilding import pools
from policies.objects.rebuilding.cluster import cluster
from policies.objects.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.plan.nodes import SlicePoolPlan
    from policies.objects.pods import PodGroup
    from policies.objects.world import Object, World

_TOLD: Final = frozenset(
    {
        gke.LABEL_NODE_POOL,
        gke.LABEL_TPU_ACCELERATOR,
        gke.LABEL_TPU_TOPOLOGY,
        gke.LABEL_ACCELERATOR_COUNT,
        gke.LABEL_PROVISIONING,
        gke.LABEL_SPOT,
        gke.LABEL_PREEMPTIBLE,
        gke.LABEL_FLEX_START,
        gke.LABEL_RESERVATION_NAME,
        gke.LABEL_INSTANCE_TYPE,
    }
)
"""Labels that Google sets on nodes and that a node pool tells."""
OWN_CHOICE: Final = (gke.LABEL_NODE_POOL, gke.LABEL_COMPUTE_CLASS)
"""Labels that select nodes and say nothing about their slices."""


def is_multi_host(group: PodGroup) -> bool:
    """Whether pods share a slice: by the slice that they select, else by there being several of them."""
    shape = shape_of(group)
    return group.parallelism > 1 if shape is None else shape.kind is tpu.HostKind.MULTI


def is_topology_aware(group: PodGroup) -> bool:
    """Whether Kueue keeps the pods of a slice together, or GKE makes the slice for them."""
    annotations = group.template.labels("metadata", "annotations")
    return any(key in annotations for key in (*gke.ANNOTATIONS_TOPOLOGY_AWARE, gke.ANNOTATION_DYNAMIC_SLICE))


def labels_by_flavor(group: PodGroup, world: World) -> list[dict[str, str]]:
    """Labels of the nodes that pods get, for each flavor that Kueue may take for them; once where there is none."""
    selector = group.selector
    queue = ownership.queue_name(group.owner)
    found = () if queue is None else _labels_in_queue(queue, group.owner.namespace, world)
    possible = [labels for labels in found if all(selector.get(key, labels[key]) == labels[key] for key in labels)]
    return [{**labels, **selector} for labels in possible] if possible else [selector]


def labels_wanted(group: PodGroup, world: World) -> dict[str, str]:
    """Labels of the nodes that pods get, whatever flavor Kueue takes."""
    first, *others = labels_by_flavor(group, world)
    return {key: value for key, value in first.items() if all(labels.get(key) == value for labels in others)}


@lru_cache(maxsize=1024)
def _labels_in_queue(name: str, namespace: str, world: World) -> tuple[dict[str, str], ...]:
    """Labels of the flavors of chips in the queue that a LocalQueue leads to; its runs are many."""
    return tuple(flavor.labels("spec", "nodeLabels") for flavor in _flavors(name, namespace, world))


def _flavors(name: str, namespace: str, world: World) -> Iterator[Object]:
    """The flavors of chips in the queue that a LocalQueue leads to."""
    local = world.named(kinds.LOCAL_QUEUE, name, namespace)
    queue = None if local is None else world.named(kinds.CLUSTER_QUEUE, local.string("spec", "clusterQueue"))
    for resources in () if queue is None else queue.parts("spec", "resourceGroups"):
        if gke.RESOURCE_TPU in resources.texts("coveredResources"):
            for share in resources.parts("flavors"):
                flavor = world.named(kinds.RESOURCE_FLAVOR, share.string("name"))
                if flavor is not None:
                    yield flavor


@lru_cache(maxsize=1)
def tpu_pools(world: World) -> tuple[SlicePoolPlan, ...]:
    """The declared pools of TPU hosts; they are the same for every run of a world."""
    of_hosts = [each for each in world.of(kinds.NODE_POOL) if pools.is_tpu_pool(each)]
    return tuple(pools.slice_pool(each, cluster_of(each, world)) for each in of_hosts)


def serving(labels: Mapping[str, str], world: World) -> Mapping[str, tuple[SlicePoolPlan, ...]]:
    """The pools whose nodes carry the labels, as far as a pool tells its labels, by machine type."""
    return _serving(frozenset(labels.items()), world)


@lru_cache(maxsize=1024)
def _serving(labels: frozenset[tuple[str, str]], world: World) -> Mapping[str, tuple[SlicePoolPlan, ...]]:
    """Many runs ask for the same, and a world may have a thousand pools."""
    wanted = dict(labels)
    name = wanted.get(gke.LABEL_NODE_POOL)
    found: defaultdict[str, list[SlicePoolPlan]] = defaultdict(list)
    for pool in tpu_pools(world) if name is None else _pools_named(world).get(name, ()):
        if _carries(pool, wanted):
            found[pool.machine_type].append(pool)
    return {machine_type: tuple(alike) for machine_type, alike in found.items()}


@lru_cache(maxsize=1)
def _pools_named(world: World) -> Mapping[str, list[SlicePoolPlan]]:
    """Several where clusters have pools of one name."""
    found: defaultdict[str, list[SlicePoolPlan]] = defaultdict(list)
    for pool in tpu_pools(world):
        found[pool.name].append(pool)
    return found


def _carries(pool: SlicePoolPlan, labels: Mapping[str, str]) -> bool:
    """Whether no label speaks against the pool's nodes."""
    pool_labels = {**pool.labels, gke.LABEL_INSTANCE_TYPE: pool.machine_type}
    zone = labels.get(gke.LABEL_ZONE)
    if not pool.labels or (zone is not None and pool.zones and zone not in pool.zones):
        return False
    return all(pool_labels.get(key) == value for key, value in labels.items() if key in _TOLD or not _is_managed(key))


def _is_managed(key: str) -> bool:
    """Whether Kubernetes or Google sets the label."""
    domain = key.rpartition("/")[0]
    return any(domain == each or domain.endswith(f".{each}") for each in gke.MANAGED_LABEL_DOMAINS)


def is_autopilot(world: World) -> bool:
    """Whether there are clusters, and all of them are Autopilot's."""
    clusters = world.of(kinds.CLUSTER)
    return bool(clusters) and all(ownership.is_autopilot(each) for each in clusters)


def comes_undeclared(labels: Mapping[str, str], world: World) -> bool:
    """Whether nodes with the labels may come without a declared pool: of Autopilot, auto-provisioning or a class."""
    made = _accelerators_made(world)
    return gke.LABEL_COMPUTE_CLASS in labels or made is None or labels.get(gke.LABEL_TPU_ACCELERATOR) in made


@lru_cache(maxsize=1)
def _accelerators_made(world: World) -> frozenset[str] | None:
    """Accelerators of nodes that clusters make by themselves; None for all, on Autopilot."""
    clusters = [cluster(each, "") for each in world.of(kinds.CLUSTER)]
    if any(each.mode == "autopilot" for each in clusters):
        return None
    made = [each.auto_provisioning for each in clusters]
    return frozenset(name for each in made if each is not None for name in each.accelerators)
