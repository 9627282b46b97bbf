"""Rules about batch jobs: the quota and nodes for what they request, their claims, variables and mounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import compute, gke, kinds
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, about_key, counted, did_you_mean, listing
from components.model.plan.pods import ClaimMountPlan
from components.model.plan.workloads import BatchJobPlan, PodGroupPlan, RedisPlan, RunPlan, TpuRunPlan
from components.model.rule import Family, rule
from components.model.rules.cohort import Reach
from components.model.rules.workload import Queues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.nodes import OrdinaryPoolPlan
    from components.model.plan.queues import QueuePlan, ResourcesPlan

FAMILY: Final = Family.QUOTA

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_PODS: Final = "Kubernetes API v1, Container"
_BYTES: Final = frozenset({"memory", "ephemeral-storage"})
"""Resources that are counted in bytes."""
_ON_SLICES: Final = "Make it a workload of kind tpu-job or jobset, with a flavor of slices."
_SIZED: Final = (gke.RESOURCE_CPU, gke.RESOURCE_MEMORY)
_MEBIBYTE: Final = Quantity(1024**2 * 1000)
_REDIS_VARIABLES: Final = ("REDIS_HOST", "REDIS_PORT", "REDIS_PASSWORD")


@rule(
    summary="a queue has quota of every resource that its workloads request, beside chips",
    why="Kueue never admits a workload that requests a resource without quota in its queue.",
    source=_KUEUE,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _requests_are_covered(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan)
    slices = {flavor.name: flavor.labels for flavor in plan.flavors}
    nodes = {flavor.name: flavor.labels for flavor in plan.node_flavors}
    for group, work in _requesting(plan):
        queue = queues.of(work)
        if queue is None or not queue.shares:
            continue
        of_slices = slices.get(next(iter(group.flavors), ""), {}) if group.is_on_slices else None
        shares = [share for share in queue.resources if _reaches(nodes.get(share.name, {}), of_slices)]
        covered = list(dict.fromkeys(name for share in shares for name in share.quotas))
        missing = [name for name in group.pod.all_requests if name not in (*covered, gke.RESOURCE_TPU)]
        if missing:
            of = "the job" if of_slices is None else "the workload"
            flavor = "a flavor" if of_slices is None else "a flavor without labels"
            yield Finding(
                place=_asked(group, missing[0]),
                says=f"{queue.name} has no quota of {listing(missing)}; {of} would wait for ever.",
                remedy=f"Add it to resources of {flavor} of {queue.name}, or do not ask for it. "
                f"Covered: {listing(covered)}.",
            )


def _requesting(plan: Plan) -> Iterator[tuple[PodGroupPlan, RunPlan]]:
    """The pods of runs."""
    for group in plan.pod_groups:
        if isinstance(group.work, RunPlan):
            yield group, group.work


def _reaches(labels: Mapping[str, str], of_slices: Mapping[str, str] | None) -> bool:
    """Whether pods may select nodes with these labels: on slices, Kueue adds them to the selector of the slice."""
    return of_slices is None or all(of_slices.get(key) == value for key, value in labels.items())


def _asked(group: PodGroupPlan, resource: str) -> Place:
    if resource == gke.RESOURCE_GPU:
        return group.work.place.at("gpu")
    of_sidecar = (each.place for each in group.pod.sidecars if resource in each.requests)
    above = group.work.place if resource in group.pod.requests else next(of_sidecar, group.work.place)
    return above.at("resources", resource)


@rule(
    summary="all pods of a workload fit into the quota of one flavor, with all that they request beside chips",
    why="They start together or not at all, so the job would wait for ever.",
    source=_KUEUE,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _requests_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    queues, reach = Queues(plan), Reach(plan)
    labels = {flavor.name: flavor.labels for flavor in (*plan.node_flavors, *plan.flavors)}
    for group, work in _requesting(plan):
        queue = queues.of(work)
        if queue is None:
            continue
        for shares in _alternatives(queue, group, labels):
            short = _shortest(group, shares, queue, reach)
            if short is not None:
                resource, most = short
                one = group.pod.all_requests[resource]
                yield Finding(
                    place=_asked(group, resource),
                    says=f"{counted(group.count, 'pod')} with {one} of {resource} take {one.times(group.count)}, "
                    f"but {queue.name} has {most}; the job would wait for ever.",
                    remedy=_fewer(group, one, most),
                )


def _alternatives(
    queue: QueuePlan, group: PodGroupPlan, labels: Mapping[str, Mapping[str, str]]
) -> Iterator[Sequence[ResourcesPlan]]:
    """Flavors that Kueue chooses among for the same resources, without those whose nodes the pods do not select."""
    found: dict[tuple[str, ...], list[ResourcesPlan]] = {}
    for share in queue.resources:
        of_nodes = labels.get(share.name, {})
        if all(of_nodes.get(key, value) == value for key, value in group.node_selector.items()):
            found.setdefault(tuple(share.quotas), []).append(share)
    yield from found.values()


def _shortest(
    group: PodGroupPlan, shares: Sequence[ResourcesPlan], queue: QueuePlan, reach: Reach
) -> tuple[str, Quantity] | None:
    """The resource that the best of the flavors has too little of, and how much there can be; None if all fits."""
    lacks: list[tuple[str, Quantity]] = []
    requests = group.pod.all_requests
    for share in shares:
        asked = [name for name in share.quotas if name in requests]
        short = [
            (name, Quantity(reach.milli(queue, share, name), share.quotas[name].is_binary))
            for name in asked
            if requests[name].milli * group.count > reach.milli(queue, share, name)
        ]
        if not short:
            return None
        lacks += short[:1]
    return lacks[0] if lacks else None


def _fewer(group: PodGroupPlan, one: Quantity, most: Quantity) -> str:
    pods = 0 if group.is_on_slices else most.milli // one.milli
    raised = f"raise the quota to {one.times(group.count)}"
    return f"Ask for {counted(pods, 'pod')} or fewer, or {raised}." if pods else f"{raised[0].upper()}{raised[1:]}."


@rule(
    summary="some node has room for each pod on ordinary nodes",
    why="The pod would stay Pending, and the slices of its workload idle.",
    source="components/model/facts/compute.py",
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.NODE_POOL,),
)
def _pods_fit_a_node(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.mode == "autopilot" or cluster.is_existing or cluster.auto_provisioning is not None:
        return
    queues = Queues(plan)
    for group, work in _requesting(plan):
        if group.is_on_slices or work.compute_class is not None:
            continue
        pools = _pools_of(plan, group, queues.of(work))
        sizes = [_size_of(pool) for pool in pools if compute.is_ordinary_machine(pool.machine_type)]
        asked = {name: amount for name, amount in group.pod.all_requests.items() if name in _SIZED}
        if not pools or len(sizes) < len(pools) or any(_fits(asked, size) for size in sizes):
            continue
        machines = list(dict.fromkeys(pool.machine_type for pool in pools))
        needs = listing([f"{amount} of {name}" for name, amount in asked.items()])
        yield Finding(
            place=_asked(group, next(iter(asked))),
            says=f"a pod of {work.name} requests {needs}, and no node for it offers more than that: "
            f"{listing(machines)}.",
            remedy="Declare a pool with a larger machine type, or request less.",
        )


def _pools_of(plan: Plan, group: PodGroupPlan, queue: QueuePlan | None) -> list[OrdinaryPoolPlan]:
    """The pools whose nodes can take pods: those that they select, or that a flavor of their queue selects."""
    flavors = {flavor.name: flavor.labels for flavor in plan.node_flavors}
    of_queue = [] if queue is None else [flavors[share.name] for share in queue.resources if share.name in flavors]
    wanted = [{**labels, **group.node_selector} for labels in of_queue] if of_queue else [group.node_selector]
    return [pool for pool in plan.node_pools if any(_may_carry(pool, labels) for labels in wanted)]


def _may_carry(pool: OrdinaryPoolPlan, labels: Mapping[str, str]) -> bool:
    """Whether the nodes of a pool may have all the labels; other labels that GKE sets are not known here."""
    known = {**pool.added_labels, gke.LABEL_NODE_POOL: pool.name, gke.LABEL_INSTANCE_TYPE: pool.machine_type}
    return all(known.get(key, value) == value for key, value in labels.items())


def _size_of(pool: OrdinaryPoolPlan) -> Mapping[str, Quantity]:
    machine = compute.ordinary_machine(pool.machine_type)
    return {
        gke.RESOURCE_CPU: Quantity(machine.vcpus * 1000),
        gke.RESOURCE_MEMORY: _MEBIBYTE.times(machine.memory_mib),
    }


def _fits(asked: Mapping[str, Quantity], size: Mapping[str, Quantity]) -> bool:
    """Whether a node has more than what is asked for: GKE keeps a part of every node for itself."""
    return all(amount.milli < size[name].milli for name, amount in asked.items())


@rule(
    summary="GPUs are asked for under gpu, chips by workloads on slices, and devices in whole numbers",
    why="The API server refuses parts of a device, and pods without a selector land on nodes that have none.",
    source=_PODS,
)
def _devices_are_whole(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups:
        of_flavor = isinstance(group.work, TpuRunPlan)
        for section, requests in _requests(group):
            yield from _parts(section, requests, "Remove it: the flavor decides." if of_flavor else _ON_SLICES)


def _requests(group: PodGroupPlan) -> Iterator[tuple[Place, Mapping[str, Quantity]]]:
    """The requests of the containers of pods, each with the place of the section."""
    for container in group.pod.containers:
        yield container.place.at("resources"), container.requests


def _parts(section: Place, requests: Mapping[str, Quantity], of_chips: str) -> Iterator[Finding]:
    for name, amount in requests.items():
        place = section.at(name)
        if name == gke.RESOURCE_TPU:
            yield about_key(place=place, says="chips come as whole hosts of a slice.", remedy=of_chips)
        elif "/" in name and amount.milli % 1000:
            yield Finding(place=place, says=f"{amount} is part of a device.", remedy="Ask for a whole number.")


@rule(
    summary="amounts of memory and storage are a mebibyte or more",
    why="512m is half a byte: no container starts with it, and as a quota it admits nothing.",
    source='Kubernetes documentation "Resource Management for Pods and Containers", read 2026-11',
)
def _bytes_are_many(plan: Plan) -> Iterator[Finding]:
    requests = [each for group in plan.pod_groups for each in _requests(group)]
    quotas = [(share.place.at("resources"), share.quotas) for queue in plan.queues for share in queue.resources]
    for section, amounts in (*requests, *quotas):
        for name, amount in amounts.items():
            if name in _BYTES and 0 < amount.milli < _MEBIBYTE.milli:
                number = str(amount).rstrip("mkKi")
                yield Finding(
                    place=section.at(name),
                    says=f"{amount} of {name} is {amount.milli / 1000:g} bytes.",
                    remedy=f"Write {number}Mi or {number}Gi, if that is meant.",
                )


@rule(
    summary="some nodes have the GPU that a batch job asks for",
    why="Its pods would stay Pending.",
    source='GKE documentation "About GPUs in GKE", read 2026-11',
)
def _gpu_has_nodes(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.mode == "autopilot" or cluster.is_existing:
        return
    known = {pool.gpu.type for pool in plan.node_pools if pool.gpu is not None}
    made = cluster.auto_provisioning
    known |= set() if made is None else set(made.accelerators)
    for work in plan.batch_jobs:
        gpu = work.node_selector.get(gke.LABEL_GPU_ACCELERATOR)
        if gpu is not None and gpu not in known:
            yield Finding(
                place=work.place.at("gpu", "type"),
                says=f"no pool has {gpu}, and auto_provisioning has no limit for it.",
                remedy=f"{did_you_mean(gpu, known)}GPUs here: {listing(sorted(known))}.",
            )


@rule(
    summary="in a cluster that the stack makes, workloads mount claims that it declares in their namespace",
    why="Their pods would stay Pending.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
    family=Family.GUARDRAILS,
)
def _claim_exists(plan: Plan) -> Iterator[Finding]:
    claims = plan.claims
    known = {(claim.namespace, claim.name) for claim in claims}
    for group in plan.pod_groups:
        namespace = group.work.namespace
        for mount in (each for each in group.pod.all_mounts if isinstance(each, ClaimMountPlan)):
            if (namespace, mount.claim) in known or plan.cluster.is_existing:
                continue  # who made the cluster may have made claims
            here = [claim.name for claim in claims if claim.namespace == namespace]
            elsewhere = [claim.namespace for claim in claims if claim.name == mount.claim]
            hint = f"There is one in {listing(elsewhere)}. " if elsewhere else did_you_mean(mount.claim, here)
            yield Finding(
                place=mount.place.at("claim"),
                says=f"no storage has a claim {mount.claim} in {namespace}.",
                remedy=f"{hint}Claims of {namespace}: {listing(here)}.",
            )


@rule(
    summary="a batch job's Redis is a workload of its namespace",
    why="Its pods would not start: the password is read from a Secret of their own namespace.",
    source="components/manifests/redis.py",
    family=Family.GUARDRAILS,
)
def _redis_exists(plan: Plan) -> Iterator[Finding]:
    known = {(redis.namespace, redis.name): redis for redis in plan.redises}
    for work in plan.batch_jobs:
        redis = work.redis
        if redis is None or (work.namespace, redis.name) in known:
            continue
        here = [name for namespace, name in known if namespace == work.namespace]
        elsewhere = [namespace for namespace, name in known if name == redis.name]
        hint = f"There is one in {listing(elsewhere)}. " if elsewhere else did_you_mean(redis.name, here)
        yield Finding(
            place=redis.place,
            says=f"no workload of kind redis in {work.namespace} is named {redis.name}.",
            remedy=f"{hint}Redis servers of {work.namespace}: {listing(here)}.",
        )


@rule(
    summary="a Redis stands before the batch jobs that use it",
    why="Workloads are made in the order of the file, and pods that find no Secret wait.",
    source="components/workloads.py",
    family=Family.GUARDRAILS,
)
def _redis_comes_first(plan: Plan) -> Iterator[Finding]:
    made: set[tuple[str, str]] = set()
    all_of = {(redis.namespace, redis.name) for redis in plan.redises}
    for work in plan.workloads:
        if isinstance(work, RedisPlan):
            made.add((work.namespace, work.name))
        elif isinstance(work, BatchJobPlan) and work.redis is not None:
            used = (work.namespace, work.redis.name)
            if used in all_of - made:
                yield Finding(
                    place=work.redis.place,
                    says=f"{work.redis.name} stands further down, and is made after {work.name}.",
                    remedy=f"Move {work.redis.name} above it.",
                )


@rule(
    summary="a variable is set once",
    why="The API server refuses a container that sets one twice.",
    source=_PODS,
    family=Family.GUARDRAILS,
)
def _variables_differ(plan: Plan) -> Iterator[Finding]:
    for work in plan.batch_jobs:
        for name in _REDIS_VARIABLES if work.redis is not None else ():
            if name in work.pod.env:
                yield about_key(
                    place=work.place.at("env", name),
                    says="the redis of the job sets it.",
                    remedy="Remove one of the two keys.",
                )


@rule(
    summary="a folder is mounted once",
    why="The API server refuses a container that mounts two volumes at one path.",
    source=_PODS,
    family=Family.GUARDRAILS,
)
def _mount_paths_differ(plan: Plan) -> Iterator[Finding]:
    for container in (container for group in plan.pod_groups for container in group.pod.containers):
        taken: dict[str, Place] = {}
        for mount in container.mounts:
            if taken.setdefault(mount.path, mount.place) != mount.place:
                yield Finding(
                    place=mount.place.at("path"),
                    says=f"the path {mount.path} is taken by {taken[mount.path]}.",
                    remedy="Choose another path.",
                )
