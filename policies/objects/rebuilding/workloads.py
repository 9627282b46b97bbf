"""Runs as the chip ledger has them, from JobSets and Jobs, and from other workloads in queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

from components.model.facts import gke, kinds, tpu
from components.model.plan.pods import PodPlan
from components.model.plan.workloads import BatchJobPlan, JobSetPlan, ReplicatedJobPlan, TpuJobPlan, WorkloadPlan
from policies.objects.kueue_config import Counting, counting
from policies.objects.ownership import labels_of, queue_name, queue_of
from policies.objects.pods import RUNS, PodGroup, pod_groups
from policies.objects.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from components.model.facts.quantities import Quantity
    from components.model.places import Key, Place
    from components.model.plan.queues import FlavorPlan, QueuePlan
    from policies.objects.values import Part
    from policies.objects.world import Object, World

    Held = Mapping[tuple[str, str | None], frozenset[str]]
    """Names of flavors by namespace and name of a LocalQueue."""

_PLAIN_JOBS: Final = (kinds.JOB, kinds.CRON_JOB)
_DIGITS: Final = 10
"""More than a number of pods has, which is an int32."""


class _Run(TypedDict):
    """The fields of every run."""

    place: Place
    name: str
    namespace: str
    queue: str | None
    priority: str | None
    image: str
    command: tuple[str, ...] | None
    args: tuple[str, ...] | None


class _Slices(TypedDict):
    """The fields of a run on slices."""

    flavors: tuple[str, ...]
    slices: int
    hosts: int
    chips_per_host: int
    chips: int
    node_selector: Mapping[str, str]
    node_seconds: int | None
    ports: tuple[int, ...]
    is_privileged: bool
    is_on_host_network: bool


def is_run(each: Object) -> bool:
    """Whether an object is a run: a Job or a JobSet, or another workload whose label names a queue."""
    return each.kind in RUNS or each.has(*labels_of(each), gke.LABEL_QUEUE_NAME)


def run(each: Object, plan_flavors: Sequence[FlavorPlan], held: Held, world: World) -> WorkloadPlan:
    """The run: on slices where its pods ask for chips, else a batch job that asks for what Kueue counts.

    Takes all flavors, and those that LocalQueues lead to, from `held_by`.
    """
    groups = tuple(pod_groups(each))
    on_chips = tuple(group for group in groups if group.chips)
    if not on_chips:
        return _batch(each, groups, world)
    slices, counts, (first, *others) = _slices(each, on_chips, plan_flavors, held), counting(world), on_chips
    stated = _common_fields(each, first, counts)
    pod = PodPlan(requests={} if others else _covered(each, first, counts, world))
    if each.kind not in _PLAIN_JOBS:
        return JobSetPlan(
            **stated,
            **slices,
            pod=pod,
            replicated_jobs=_beside(each, groups, counts, world),
            lists_flavors=False,
            exclusive_topology=each.text("metadata", "annotations", gke.ANNOTATION_EXCLUSIVE_TOPOLOGY),
            maxtext=None,
            max_restarts=each.count("spec", "failurePolicy", "maxRestarts"),
            restart_strategy=each.text("spec", "failurePolicy", "restartStrategy"),
        )
    template = first.template
    return TpuJobPlan(
        **stated,
        **slices,
        pod=pod,
        service=template.text("spec", "subdomain"),
        is_service_stated=True,
        pool=first.selector.get(gke.LABEL_NODE_POOL),
        restart_policy=template.string("spec", "restartPolicy"),
    )


def _common_fields(each: Object, group: PodGroup | None, counts: Counting) -> _Run:
    """Name, queue and priority; the priority is that of the pods where no WorkloadPriorityClass is named."""
    container = None if group is None or not group.containers else group.containers[0]
    names: dict[str, tuple[Key, ...]] = {
        "name": ("metadata", "name"),
        "queue": (*labels_of(each), gke.LABEL_QUEUE_NAME),
        "priority": (*labels_of(each), gke.LABEL_WORKLOAD_PRIORITY),
        "slices": _number_at(each, group),
        "flavor": (*labels_of(each)[:-2], "spec", "parallelism"),
    }
    if container is not None:
        names.update(_resource_names(container, container.place.keys[len(each.place.keys) :], counts))
    return {
        "place": each.place.with_key_names(**names),
        "name": each.name,
        "namespace": each.namespace,
        "queue": queue_name(each),
        "priority": each.text(*labels_of(each), gke.LABEL_WORKLOAD_PRIORITY),
        "image": "" if container is None else container.string("image"),
        "command": None,
        "args": None,
    }


def _number_at(each: Object, group: PodGroup | None) -> tuple[Key, ...]:
    """Where a run states how many slices it takes; a LeaderWorkerSet, how large one is."""
    if each.kind is kinds.LEADER_WORKER_SET:
        return ("spec", "leaderWorkerTemplate", "size")
    part = ("spec", "replicatedJobs", 0) if group is None else group.part.place.keys[len(each.place.keys) :]
    return (*part, "replicas")


def _admitted(each: Object, groups: Sequence[PodGroup]) -> list[tuple[PodGroup, int]]:
    """The groups of pods that Kueue admits together, and how many of each: a LeaderWorkerSet comes group by group."""
    if each.kind is kinds.LEADER_WORKER_SET:
        return [(groups[0], 1)]
    return [(group, group.replicas) for group in groups]


def _resource_names(container: Part, above: tuple[Key, ...], counts: Counting) -> Mapping[str, tuple[Key, ...]]:
    """Where the container at `above` in its object states its requests, and what they are counted as."""
    names: dict[str, tuple[Key, ...]] = {"gpu": (*above, "resources", "limits", gke.RESOURCE_GPU)}
    for kind in ("limits", "requests"):
        asked = container.part("resources", kind)
        for key in () if asked is None else asked.value:
            for counted in (key, *counts.names(key)):
                names[f"resources[{counted}]"] = (*above, "resources", kind, key)
    return names


def _slices(
    each: Object,
    groups: Sequence[PodGroup],
    plan_flavors: Sequence[FlavorPlan],
    held: Held,
) -> _Slices:
    first = groups[0]
    selector = first.selector
    of_queue = held.get((each.namespace, queue_name(each)))
    admitted = _admitted(each, groups)
    return {
        "flavors": tuple(
            flavor.name
            for flavor in plan_flavors
            if (of_queue is None or flavor.name in of_queue) and _agree(selector, flavor.labels)
        ),
        "slices": sum(number for _, number in admitted),
        "hosts": first.parallelism,
        "chips_per_host": first.chips,
        "chips": sum(number * _hosts(group) * group.chips for group, number in admitted),
        "node_selector": selector,
        "node_seconds": None,
        "ports": (),
        "is_privileged": any(
            container.flag("securityContext", "privileged") is True
            for group in groups
            for container in group.containers
        ),
        "is_on_host_network": first.template.flag("spec", "hostNetwork") is True,
    }


def _hosts(group: PodGroup) -> int:
    """Pods on one slice: of a slice that is selected its hosts, as another number of pods is wrong for itself."""
    shape = shape_of(group)
    return _least(group) if shape is None or shape.kind is not tpu.HostKind.MULTI else shape.hosts


def _least(group: PodGroup) -> int:
    """The pods without which a Job does not start: all, or as many as it asks Kueue for at least."""
    path = ("metadata", "annotations", gke.ANNOTATION_MIN_PARALLELISM)
    stated = group.owner.text(*path) if group.owner.kind is kinds.JOB else None
    is_number = stated is not None and stated.isascii() and stated.isdigit() and len(stated) < _DIGITS
    return min(int(stated), group.parallelism) if stated is not None and is_number else group.parallelism


def held_by(queues: Iterable[QueuePlan]) -> Held:
    """The flavors of the queue that each LocalQueue leads to; of several of one name the first counts."""
    held: dict[tuple[str, str | None], frozenset[str]] = {}
    for queue in queues:
        flavors = frozenset(entry.name for entry in queue.flavors)
        for local in queue.local_queues:
            held.setdefault((local.namespace, local.name), flavors)
    return held


def _agree(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether pods with the selector could be given nodes with the labels."""
    return all(labels.get(key, value) == value for key, value in selector.items())


def _beside(each: Object, groups: Sequence[PodGroup], counts: Counting, world: World) -> tuple[ReplicatedJobPlan, ...]:
    """The pods without chips that are admitted together with slices."""
    return tuple(
        ReplicatedJobPlan(
            **_common_fields(each, group, counts),
            pod=PodPlan(requests=_covered(each, group, counts, world)),
            replicas=number,
            pods=number * group.parallelism,
            depends_on=(),
            backoff_limit=0,
            node_selector=group.selector,
        )
        for group, number in _admitted(each, groups)
        if not group.chips
    )


def _covered(each: Object, group: PodGroup, counts: Counting, world: World) -> Mapping[str, Quantity]:
    """The requests of a pod beside chips, as far as the queue has quota of them; a rule over objects is about others.

    None for a Job that may start with fewer pods than it states.
    """
    if _least(group) != group.parallelism:
        return {}
    declared = _declared(each, world)
    return {
        name: amount for name, amount in counts.counted(_of_pod(group)).items() if name in declared - {gke.RESOURCE_TPU}
    }


def _of_pod(group: PodGroup) -> dict[str, Quantity]:
    """The requests of a pod: those of all containers that run together, sidecars among them.

    Init containers that end before the others may request more, each with the sidecars before it. Source: Kubernetes
    documentation "Sidecar Containers", read 2026-11.
    """
    sidecars: list[Part] = []
    together: list[list[Part]] = []
    for container in group.template.parts("spec", "initContainers"):
        if container.text("restartPolicy") == "Always":
            sidecars.append(container)
        else:
            together.append([*sidecars, container])
    requests: dict[str, Quantity] = {}
    for running in ([*sidecars, *group.containers], *together):
        for key, amount in _summed(running).items():
            requests[key] = amount if key not in requests else max(requests[key], amount, key=lambda each: each.milli)
    return requests


def _summed(containers: Iterable[Part]) -> dict[str, Quantity]:
    requests: dict[str, Quantity] = {}
    for container in containers:
        for key, amount in _requests(container).items():
            requests[key] = amount if key not in requests else requests[key].plus(amount)
    return requests


def _batch(each: Object, groups: Sequence[PodGroup], world: World) -> BatchJobPlan:
    group, counts = groups[0] if groups else None, counting(world)
    requests: Mapping[str, Quantity] = {} if group is None else counts.counted(_of_pod(group))
    return BatchJobPlan(
        **_common_fields(each, group, counts),
        pods=0 if group is None else _least(group) * _admitted(each, groups)[0][1],
        pod=PodPlan(requests=_checked(each, counts, requests, world)),
        node_selector={} if group is None else group.selector,
        redis=None,
        user=None,
        restart_policy="" if group is None else group.template.string("spec", "restartPolicy"),
        is_awaited=False,
    )


def _checked(each: Object, counts: Counting, requests: Mapping[str, Quantity], world: World) -> Mapping[str, Quantity]:
    """The requests that Kueue counts against quota: all, or those that the run's queue covers."""
    if not counts.ignores_undeclared:
        return requests
    declared = _declared(each, world)
    return {resource: amount for resource, amount in requests.items() if resource in declared}


def _declared(each: Object, world: World) -> set[str]:
    """The resources that a run's queue covers."""
    queue = queue_of(each, world)
    groups = () if queue is None else queue.parts("spec", "resourceGroups")
    return {resource for group in groups for resource in group.texts("coveredResources")}


def _requests(container: Part) -> dict[str, Quantity]:
    """The requests of a container; a limit counts where no request is stated."""
    found: dict[str, Quantity] = {}
    for kind in ("limits", "requests"):
        asked = container.part("resources", kind)
        for key in () if asked is None else asked.value:
            amount = container.quantity("resources", kind, key)
            if amount is not None:
                found[key] = amount
    return found
