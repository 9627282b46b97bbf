"""Rules about queued provisioning: nodes that a ProvisioningRequest brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, tpu
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan


@rule(
    "queued-is-flex-start",
    summary="queued provisioning of TPUs is flex-start",
    why="The API refuses it otherwise.",
    source="answers of the API in field reports, 2026-08",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _queued_is_flex_start(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.is_queued and pool.capacity != "flex-start":
            yield Finding(
                place=pool.place.at("queued"),
                says=f"{pool.capacity} capacity cannot be queued for.",
                remedy=f"Remove the key, or set {pool.place.word('capacity: flex-start')}.",
                is_about_key=True,
            )


@rule(
    "queued-may-be-refused",
    summary="queued provisioning of TPUs is not relied upon",
    why="Some have created such pools, others were refused by the API; ordinary Jobs never start their nodes. "
    "GKE's page about queued provisioning names only GPUs.",
    source="refused: AI-Hypercomputer/xpk pull request 900, 2025-12; created: GoogleCloudPlatform/cluster-toolkit pull "
    "request 5218, 2026-02, v6e and TPU7x",
    family=Family.TOPOLOGY,
    also_warns=True,
    kinds=(kinds.NODE_POOL,),
)
def _queued_may_be_refused(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.is_queued and pool.capacity == "flex-start" and tpu.is_tpu_machine(pool.machine_type):
            yield _queued(pool)


def _queued(pool: SlicePoolPlan) -> Finding:
    """An error for generations that nobody has been seen to queue for, else a warning."""
    generation = tpu.generation_of(pool.machine_type)
    if generation.has_queued:
        severity = Severity.WARNING
        says = (
            "the API may refuse queued provisioning of TPUs; where it does not, only a ProvisioningRequest of Kueue "
            "starts nodes."
        )
        remedy = "Without the key, nodes start when pods wait for them."
    else:
        severity = Severity.ERROR
        says = f"the API refuses queued provisioning of {generation.marketing}."
        remedy = f"Remove the key, or use {listing(tpu.QUEUED, 'or')}, which Google's examples queue for."
    place = pool.place.at("queued")
    return Finding(place=place, says=says, remedy=remedy, severity=severity, is_about_key=True)


@rule(
    "queued-run-is-one-pool",
    summary="runs on queued multi-host slices ask for one slice",
    why="The nodes of a ProvisioningRequest come in one pool, and a multi-host slice is a pool of its own.",
    source='GKE documentation "Run a large-scale workload with flex-start with queued provisioning", read 2026-11',
    family=Family.QUOTA,
    kinds=(kinds.JOBSET, kinds.JOB),
    needs=(kinds.NODE_POOL, kinds.RESOURCE_FLAVOR),
)
def _queued_run_is_one_pool(plan: Plan) -> Iterator[Finding]:
    queued = {flavor.name: flavor for flavor in plan.flavors if flavor.is_queued}
    for work in plan.tpu_runs:
        flavor = next((queued[name] for name in work.flavors if name in queued), None)
        if flavor is not None and flavor.hosts > 1 and work.slices > 1:
            away = flavor.place.word("queued away from the slices")
            yield Finding(
                place=work.place.at("slices"),
                says=f"nodes of {flavor.name} are queued, and no request brings {work.slices} slices at once.",
                remedy=f"Ask for 1 slice, or take {away}: they then come one by one.",
            )


QUEUED_RULES: Final = (_queued_is_flex_start, _queued_may_be_refused, _queued_run_is_one_pool)
