"""Rules about batch jobs: their requests, and the shares and Redis servers that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, counted, did_you_mean, listing
from components.model.plan.pods import ClaimMountPlan
from components.model.plan.workloads import BatchJobPlan, RedisPlan
from components.model.rule import Family, rule
from components.model.rules.amount import AMOUNT_RULES
from components.model.rules.reach import Reach
from components.model.rules.workload import Queues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.pods import MountPlan
    from components.model.plan.queues import NodeFlavorPlan, QueuePlan, ResourcesPlan
    from components.model.plan.workloads import ReplicatedJobPlan, RunPlan

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_PODS: Final = "Kubernetes API v1, Container"
_REDIS_VARIABLES: Final = ("REDIS_HOST", "REDIS_PORT", "REDIS_PASSWORD")


@rule(
    "requests-are-covered",
    summary="a queue has quota of every resource that its batch jobs and its jobs beside slices request",
    why="Kueue never admits a job that requests a resource without quota in its queue.",
    source=_KUEUE,
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _requests_are_covered(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan)
    for work in plan.pod_sets:
        queue = queues.of(work)
        if queue is None or not queue.shares:
            continue
        covered = list(dict.fromkeys(name for share in queue.resources for name in share.quotas))
        missing = [name for name in work.pod.all_requests if name not in covered]
        if missing:
            yield Finding(
                place=_asked(work, missing[0]),
                says=f"{queue.name} has no quota of {listing(missing)}; the job would wait for ever.",
                remedy=f"Add it to resources of a flavor of {queue.name}, or do not ask for it. "
                f"Covered: {listing(covered)}.",
            )


def _asked(work: BatchJobPlan | ReplicatedJobPlan, resource: str) -> Place:
    return work.place.at("gpu") if resource == gke.RESOURCE_GPU else work.place.at("resources", resource)


@rule(
    "requests-can-ever-fit",
    summary="all pods of a batch job, or of a job beside slices, fit into the quota of one flavor",
    why="They start together or not at all, so the job would wait for ever.",
    source=_KUEUE,
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _requests_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    queues, reach = Queues(plan), Reach(plan)
    flavors = {flavor.name: flavor for flavor in plan.node_flavors}
    for work in plan.pod_sets:
        queue = queues.of(work)
        if queue is None:
            continue
        for group in _groups(queue, work, flavors):
            short = _shortest(work, group, queue, reach)
            if short is not None:
                resource, most = short
                one = work.pod.all_requests[resource]
                yield Finding(
                    place=_asked(work, resource),
                    says=f"{counted(work.pods, 'pod')} with {one} of {resource} take {one.times(work.pods)}, "
                    f"but {queue.name} has {most}; the job would wait for ever.",
                    remedy=_fewer(work, resource, most),
                )


def _groups(
    queue: QueuePlan, work: BatchJobPlan | ReplicatedJobPlan, flavors: Mapping[str, NodeFlavorPlan]
) -> Iterator[Sequence[ResourcesPlan]]:
    """Flavors that Kueue chooses among for the same resources, without those whose nodes the pods do not select."""
    groups: dict[tuple[str, ...], list[ResourcesPlan]] = {}
    for share in queue.resources:
        flavor = flavors.get(share.name)
        if flavor is None or all(flavor.labels.get(key, value) == value for key, value in work.node_selector.items()):
            groups.setdefault(tuple(share.quotas), []).append(share)
    yield from groups.values()


def _shortest(
    work: BatchJobPlan | ReplicatedJobPlan, group: Sequence[ResourcesPlan], queue: QueuePlan, reach: Reach
) -> tuple[str, Quantity] | None:
    """The resource that the best flavor of a group has too little of, and how much there can be; None if all fits."""
    lacks: list[tuple[str, Quantity]] = []
    for share in group:
        asked = [name for name in share.quotas if name in work.pod.all_requests]
        short = [
            (name, Quantity(reach.milli(queue, share, name), share.quotas[name].is_binary))
            for name in asked
            if work.pod.all_requests[name].milli * work.pods > reach.milli(queue, share, name)
        ]
        if not short:
            return None
        lacks += short[:1]
    return lacks[0] if lacks else None


def _fewer(work: BatchJobPlan | ReplicatedJobPlan, resource: str, most: Quantity) -> str:
    pods = most.milli // work.pod.all_requests[resource].milli
    raised = f"raise the quota to {work.pod.all_requests[resource].times(work.pods)}"
    return f"Ask for {counted(pods, 'pod')} or fewer, or {raised}." if pods else f"{raised[0].upper()}{raised[1:]}."


@rule(
    "gpu-has-nodes",
    summary="some nodes have the GPU that a batch job asks for",
    why="Its pods would stay Pending.",
    source='GKE documentation "About GPUs in GKE", read 2026-11',
    family=Family.QUOTA,
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
    "claim-exists",
    summary="the claims that workloads mount are declared in their namespace",
    why="Their pods would stay Pending.",
    source='Kubernetes documentation "Persistent Volumes", read 2026-11',
    family=Family.GUARDRAILS,
)
def _claim_exists(plan: Plan) -> Iterator[Finding]:
    claims = [claim for storage in plan.shared_storage for claim in storage.claims]
    known = {(claim.namespace, claim.name) for claim in claims}
    for work in (*plan.programs, *plan.redises):
        for mount in _claims(work):
            if (work.namespace, mount.claim) in known:
                continue
            here = [claim.name for claim in claims if claim.namespace == work.namespace]
            elsewhere = [claim.namespace for claim in claims if claim.name == mount.claim]
            hint = f"There is one in {listing(elsewhere)}. " if elsewhere else did_you_mean(mount.claim, here)
            yield Finding(
                place=mount.place.at("claim"),
                says=f"no share has a claim {mount.claim} in {work.namespace}.",
                remedy=f"{hint}Claims of {work.namespace}: {listing(here)}.",
            )


def _claims(work: RunPlan | RedisPlan) -> Iterator[ClaimMountPlan]:
    mounts = work.mounts if isinstance(work, RedisPlan) else work.pod.all_mounts
    yield from (mount for mount in mounts if isinstance(mount, ClaimMountPlan))


@rule(
    "redis-exists",
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
    "redis-comes-first",
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
    "variables-differ",
    summary="a variable is set once",
    why="The API server refuses a container that sets one twice.",
    source=_PODS,
    family=Family.GUARDRAILS,
)
def _variables_differ(plan: Plan) -> Iterator[Finding]:
    for work in plan.batch_jobs:
        for name in _REDIS_VARIABLES if work.redis is not None else ():
            if name in work.pod.env:
                yield Finding(
                    place=work.place.at("env", name),
                    says="the redis of the job sets it.",
                    remedy="Remove one of the two keys.",
                    is_about_key=True,
                )


def _containers(plan: Plan) -> Iterator[Sequence[MountPlan]]:
    """The mounts of each container of every workload."""
    for work in (*plan.programs, *plan.redises):
        if isinstance(work, RedisPlan):
            yield work.mounts
        else:
            yield from (container.mounts for container in work.pod.containers)


@rule(
    "mount-paths-differ",
    summary="a folder is mounted once",
    why="The API server refuses a container that mounts two volumes at one path.",
    source=_PODS,
    family=Family.GUARDRAILS,
)
def _mount_paths_differ(plan: Plan) -> Iterator[Finding]:
    for mounts in _containers(plan):
        taken: dict[str, Place] = {}
        for mount in mounts:
            if taken.setdefault(mount.path, mount.place) != mount.place:
                yield Finding(
                    place=mount.place.at("path"),
                    says=f"the path {mount.path} is taken by {taken[mount.path]}.",
                    remedy="Choose another path.",
                )


BATCH_RULES: Final = (
    _requests_are_covered,
    _requests_can_ever_fit,
    *AMOUNT_RULES,
    _gpu_has_nodes,
    _claim_exists,
    _redis_exists,
    _redis_comes_first,
    _variables_differ,
    _mount_paths_differ,
)
