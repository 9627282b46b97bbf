"""Rules about flex-start nodes with GPUs; `capacity.py` and `queued.py` have those about slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.model.findings import Finding, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_FLEX_START: Final = 'GKE documentation "About GPU, TPU, and H4D consumption with flex-start", read 2026-11'
_QUEUED: Final = 'GKE documentation "Run a large-scale workload with flex-start with queued provisioning", read 2026-11'


@rule(
    "flex-start-pool-has-gpus",
    summary="flex-start nodes of an ordinary pool have GPUs, and are not spot",
    why="GKE has flex-start for accelerators, and makes no node that is both flex-start and spot.",
    source=_FLEX_START,
    family=Family.TOPOLOGY,
)
def _flex_start_pool_has_gpus(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if pool.flex_start is None:
            continue
        if pool.gpu is None:
            yield Finding(
                place=pool.flex_start.place,
                says=f"nodes of {pool.name} have no GPUs, and flex-start is for accelerators.",
                remedy="Add gpu, or remove the key.",
                is_about_key=True,
            )
        if pool.is_spot:
            yield Finding(
                place=pool.place.at("spot"),
                says=f"nodes of {pool.name} are flex-start.",
                remedy="Remove spot or flex_start.",
                is_about_key=True,
            )


@rule(
    "flex-start-pool-starts-empty",
    summary="flex-start nodes of an ordinary pool are autoscaled from 0",
    why="The API refuses a flex-start pool with a fixed number of nodes, or with a minimum.",
    source="answers of the API in a field report on flex-start pools, 2026-08; GoogleCloudPlatform/cluster-toolkit "
    "@10470803, modules/compute/gke-node-pool",
    family=Family.TOPOLOGY,
)
def _flex_start_pool_starts_empty(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if pool.flex_start is None:
            continue
        if pool.autoscaling is None and pool.nodes_per_zone is not None:
            yield Finding(
                place=pool.place.at("nodes"),
                says=f"{pool.name} has a fixed number of nodes, and flex-start nodes come when pods wait.",
                remedy="Write autoscaling with min 0 in its place.",
                is_about_key=True,
            )
        elif pool.autoscaling is not None and pool.autoscaling.minimum:
            yield Finding(
                place=pool.place.at("autoscaling", "min"),
                says=f"{pool.autoscaling.minimum} flex-start nodes cannot always be there.",
                remedy="Set 0.",
            )


@rule(
    "flex-start-life-in-bounds",
    summary="the longest life of flex-start nodes with GPUs is one that GKE accepts",
    why="The API refuses others.",
    source="GoogleCloudPlatform/cluster-autoscaler @7d250507",
    family=Family.TOPOLOGY,
)
def _flex_start_life_in_bounds(plan: Plan) -> Iterator[Finding]:
    low, high = gke.FLEX_START_RUN_SECONDS
    for pool in plan.node_pools:
        life = None if pool.flex_start is None else pool.flex_start.max_run_seconds
        if pool.flex_start is not None and life is not None and not low <= life <= high:
            yield Finding(
                place=pool.flex_start.place.at("max_run_seconds"),
                says=f"flex-start nodes cannot be asked to live {life} seconds.",
                remedy=f"Set {low} to {high}.",
            )


@rule(
    "queued-gpus-are-asked-for",
    summary="queues that hand out queued GPUs ask for their nodes",
    why="Nodes of queued pools come for ProvisioningRequests alone, which only an admission check makes.",
    source=_QUEUED,
    family=Family.QUOTA,
)
def _queued_gpus_are_asked_for(plan: Plan) -> Iterator[Finding]:
    queued = {flavor.name for flavor in plan.node_flavors if flavor.is_queued}
    asking = [
        check.name
        for check in plan.admission_checks
        if check.class_name == gke.QUEUED_PROVISIONING_CLASS and gke.RESOURCE_GPU in check.managed_resources
    ]
    for queue in plan.queues:
        for share in queue.resources:
            if share.name in queued and set(share.admission_checks).isdisjoint(asking):
                yield Finding(
                    place=share.place.at("admission_checks"),
                    says=f"nodes of {share.name} are queued, and {queue.name} asks for none.",
                    remedy=f"Name an admission check for GPUs. Declared: {listing(asking)}; {{name: gpus, "
                    f"provisioning: {{managed_resources: [{gke.RESOURCE_GPU}]}}}} makes one.",
                    is_about_key=True,
                )


@rule(
    "queued-gpus-are-in-a-flavor",
    summary="a flavor selects the nodes of each queued pool",
    why="Only Kueue requests such nodes, for workloads that it admits to a flavor of them; no other pod gets one.",
    source=_QUEUED,
    family=Family.QUOTA,
)
def _queued_gpus_are_in_a_flavor(plan: Plan) -> Iterator[Finding]:
    is_counted = any(flavor.is_queued for flavor in plan.node_flavors)
    for pool in plan.node_pools:
        if pool.flex_start is not None and pool.is_queued and pool.gpu is not None and not is_counted:
            yield Finding(
                place=pool.flex_start.place.at("queued"),
                says=f"no flavor selects nodes of {pool.name}, so no workload ever gets one.",
                remedy=f"Declare a flavor with labels: {{{gke.LABEL_GPU_ACCELERATOR}: {pool.gpu.type}}}, or remove the "
                "key.",
                is_about_key=True,
            )


FLEX_START_GPU_RULES: Final = (
    _flex_start_pool_has_gpus,
    _flex_start_pool_starts_empty,
    _flex_start_life_in_bounds,
    _queued_gpus_are_asked_for,
    _queued_gpus_are_in_a_flavor,
)
