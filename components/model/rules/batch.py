"""Rules about batch jobs, and about the shares and Redis servers that workloads use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.model.findings import Finding, did_you_mean, listing
from components.model.plan.pods import ClaimMountPlan
from components.model.plan.workloads import BatchJobPlan, RedisPlan
from components.model.rule import Family, rule
from components.model.rules.amount import AMOUNT_RULES
from components.model.rules.requests import REQUEST_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.pods import PodPlan

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_PODS: Final = "Kubernetes API v1, Container"
_REDIS_VARIABLES: Final = ("REDIS_HOST", "REDIS_PORT", "REDIS_PASSWORD")


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
        for mount in _claims(group.pod):
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


def _claims(pod: PodPlan) -> Iterator[ClaimMountPlan]:
    yield from (mount for mount in pod.all_mounts if isinstance(mount, ClaimMountPlan))


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


@rule(
    "mount-paths-differ",
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


BATCH_RULES: Final = (
    *REQUEST_RULES,
    *AMOUNT_RULES,
    _gpu_has_nodes,
    _claim_exists,
    _redis_exists,
    _redis_comes_first,
    _variables_differ,
    _mount_paths_differ,
)
