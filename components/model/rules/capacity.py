"""Rules about capacity types: on-demand, spot, reserved and flex-start, with or without queued provisioning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.findings import Finding, Severity, about_key, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan

FAMILY: Final = Family.TOPOLOGY

_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_FLEX_START: Final = 'GKE documentation "About GPU, TPU, and H4D consumption with flex-start", read 2026-11'
_QUEUED: Final = 'GKE documentation "Run a large-scale workload with flex-start with queued provisioning", read 2026-11'


@rule(
    summary="multi-host slices are in one zone, single-host slices in a zone or in several",
    why="The hosts of a slice are wired to each other; the API refuses a second zone.",
    source=_TOOLKIT,
)
def _slices_have_a_zone(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if not pool.zones:
            yield Finding(
                place=pool.place,
                says="neither zone nor zones is stated.",
                remedy=f"Add a zone of {plan.cluster.region}.",
            )
        elif pool.has_list_of_zones and pool.is_multi_host and pool.nodes:
            yield about_key(
                place=pool.place.at("zones"),
                says=f"a {pool.topology} slice of {pool.machine_type} has several hosts, which are in one zone.",
                remedy=f"Write zone: {pool.zones[0]}; another entry can have slices in another zone.",
            )


@rule(
    summary="an entry has either zone or zones",
    why="One of them would be ignored.",
    source="components/model/config/nodes.py",
)
def _zone_is_stated_once(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.has_both_zones:
            yield about_key(
                place=pool.place.at("zone"),
                says="zone is stated beside zones.",
                remedy="Remove one of them.",
            )


@rule(
    summary="a reservation is named where capacity is reserved, and nowhere else",
    why="The API refuses reserved capacity without the name of its reservation, and flex-start or spot with one.",
    source=_TOOLKIT,
)
def _reservation_is_named(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        yield from _misnamed(pool.capacity, pool.place, has_reservation=pool.reservation is not None)
    for flavor in plan.flavors:
        yield from _misnamed(flavor.capacity, flavor.place, has_reservation=flavor.reservation is not None)


def _misnamed(capacity: str, place: Place, *, has_reservation: bool) -> Iterator[Finding]:
    if capacity == "reservation" and not has_reservation:
        yield Finding(
            place=place.at("capacity"),
            says="the capacity is reserved, but no reservation is named.",
            remedy="Add reservation with its name.",
        )
    elif capacity != "reservation" and has_reservation:
        yield about_key(
            place=place.at("reservation"),
            says=f"{capacity} capacity takes no reservation.",
            remedy="Remove it, or set capacity: reservation.",
        )


@rule(
    summary="a block of a reservation is named with the reservation's project",
    why="The API takes blocks by the whole path of the reservation only.",
    source=_TOOLKIT,
)
def _block_has_a_project(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        reservation = pool.reservation
        if reservation is not None and "/reservationBlocks/" in reservation.path and reservation.project is None:
            yield Finding(
                place=reservation.place.at("block"),
                says="a block is named, but not the project of its reservation.",
                remedy=f"Add project: {plan.project}, or the one that shares the reservation.",
            )


@rule(
    summary="autoscaling is stated for on-demand and spot slices alone",
    why="Flex-start slices always come and go, and reserved ones are paid for whether they exist or not.",
    source='GKE documentation "About cluster autoscaling" and "Consume reserved resources", read 2026-11',
    also_warns=True,
)
def _autoscaled_has_a_choice(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.states_autoscaled and pool.capacity in ("flex-start", "reservation"):
            always = pool.capacity == "flex-start"
            yield about_key(
                place=pool.place.at("autoscaled"),
                says="flex-start slices always come and go with the work."
                if always
                else "the reservation is paid for whether its slices exist or not.",
                severity=Severity.WARNING if always else Severity.ERROR,
            )


@rule(
    summary="flex-start slices are of a generation that supports flex-start",
    why="The autoscaler never brings such nodes up, and work waits for ever.",
    source=_AUTOSCALER,
    kinds=(kinds.NODE_POOL,),
)
def _flex_start_generation(plan: Plan) -> Iterator[Finding]:
    for part in (*plan.slice_pools, *plan.flavors):
        if part.capacity != "flex-start" or not tpu.is_tpu_machine(part.machine_type):
            continue
        generation = tpu.generation_of(part.machine_type)
        if not generation.has_flex_start:
            yield Finding(
                place=part.place.at("capacity"),
                says=f"{generation.marketing} has no flex-start.",
                remedy=f"Choose another capacity, or one of {listing(tpu.named(lambda each: each.has_flex_start))}.",
            )


@rule(
    summary="the longest run time is one that GKE accepts",
    why="The API refuses others.",
    source=_AUTOSCALER,
    kinds=(kinds.NODE_POOL,),
)
def _run_time_in_bounds(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        low, high = gke.FLEX_START_RUN_SECONDS if pool.capacity == "flex-start" else gke.RUN_SECONDS
        if pool.max_run_seconds is not None and not low <= pool.max_run_seconds <= high:
            yield Finding(
                place=pool.place.at("max_run_seconds"),
                says=f"nodes of {pool.capacity} capacity cannot be asked to live {pool.max_run_seconds} seconds.",
                remedy=f"Set {low} to {high}.",
            )


@rule(
    summary="multi-host slices are not upgraded by a second set of nodes",
    why="Hosts of a slice are placed once, as one; the API refuses a second set beside them.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _blue_green_needs_room(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.upgrade is not None and pool.upgrade.strategy == "BLUE_GREEN" and pool.placement is not None:
            yield Finding(
                place=pool.upgrade.place.at("strategy"),
                says="the hosts of a slice are placed together once, so BLUE_GREEN is refused.",
                remedy=f"Set SURGE, or remove {pool.place.display_name('upgrade')}.",
            )


@rule(
    summary="periodic host maintenance is that of a reservation",
    why="The interval has to match the reservation's; without one it is refused or has no effect.",
    source="AI-Hypercomputer/xpk @367c8382, src/xpk/core/nodepool.py",
    severity=Severity.WARNING,
    kinds=(kinds.NODE_POOL,),
)
def _maintenance_interval_is_reserved(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.host_maintenance == "PERIODIC" and pool.capacity != "reservation":
            yield Finding(
                place=pool.place.at("host_maintenance"),
                says=f"PERIODIC belongs to reservations; this capacity is {pool.capacity}.",
                remedy="Remove the key.",
            )


@rule(
    summary="a flavor's labels match pools of one capacity",
    why="Work that is meant for one kind of capacity would land on another, and quotas would count both.",
    source="GKE documentation of node labels, read 2026-11",
    family=Family.QUOTA,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.NODE_POOL,),
)
def _flavor_is_one_capacity(plan: Plan) -> Iterator[Finding]:
    pools = {pool.name: pool for pool in plan.slice_pools}
    for flavor in plan.flavors:
        others = [name for name in flavor.pools if pools[name].capacity != flavor.capacity]
        if others and flavor.machine_type:
            yield Finding(
                place=flavor.place.at("name"),
                says=f"the nodes of {listing(others)}, whose capacity is {pools[others[0]].capacity}, carry the "
                f"labels of {flavor.name} too.",
                remedy="No label tells on-demand nodes from reserved ones: use only one of both for a shape.",
            )


@rule(
    summary="queued provisioning of TPUs is flex-start",
    why="The API refuses it otherwise.",
    source="answers of the API in field reports, 2026-08",
    kinds=(kinds.NODE_POOL,),
)
def _queued_is_flex_start(plan: Plan) -> Iterator[Finding]:
    for pool in plan.slice_pools:
        if pool.is_queued and pool.capacity != "flex-start":
            yield about_key(
                place=pool.place.at("queued"),
                says=f"{pool.capacity} capacity cannot be queued for.",
                remedy=f"Remove the key, or set {pool.place.display_name('capacity: flex-start')}.",
            )


@rule(
    summary="queued provisioning of TPUs is not relied upon",
    why="Some have created such pools, others were refused by the API; ordinary Jobs never start their nodes. "
    "GKE's page about queued provisioning names only GPUs.",
    source="refused: AI-Hypercomputer/xpk pull request 900, 2025-12; created: GoogleCloudPlatform/cluster-toolkit pull "
    "request 5218, 2026-02, v6e and TPU7x",
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
    return about_key(place=place, says=says, remedy=remedy, severity=severity)


@rule(
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
            away = flavor.place.display_name("queued away from the slices")
            yield Finding(
                place=work.place.at("slices"),
                says=f"nodes of {flavor.name} are queued, and no request brings {work.slices} slices at once.",
                remedy=f"Ask for 1 slice, or take {away}: they then come one by one.",
            )


@rule(
    summary="flex-start nodes of an ordinary pool have GPUs, and are not spot",
    why="GKE has flex-start for accelerators, and makes no node that is both flex-start and spot.",
    source=_FLEX_START,
)
def _flex_start_pool_has_gpus(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if pool.flex_start is None:
            continue
        if pool.gpu is None:
            yield about_key(
                place=pool.flex_start.place,
                says=f"nodes of {pool.name} have no GPUs, and flex-start is for accelerators.",
                remedy="Add gpu, or remove the key.",
            )
        if pool.is_spot:
            yield about_key(
                place=pool.place.at("spot"),
                says=f"nodes of {pool.name} are flex-start.",
                remedy="Remove spot or flex_start.",
            )


@rule(
    summary="flex-start nodes of an ordinary pool are autoscaled from 0",
    why="The API refuses a flex-start pool with a fixed number of nodes, or with a minimum.",
    source="answers of the API in a field report on flex-start pools, 2026-08; GoogleCloudPlatform/cluster-toolkit "
    "@10470803, modules/compute/gke-node-pool",
)
def _flex_start_pool_starts_empty(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if pool.flex_start is None:
            continue
        if pool.autoscaling is None and pool.nodes_per_zone is not None:
            yield about_key(
                place=pool.place.at("nodes"),
                says=f"{pool.name} has a fixed number of nodes, and flex-start nodes come when pods wait.",
                remedy="Write autoscaling with min 0 in its place.",
            )
        elif pool.autoscaling is not None and pool.autoscaling.minimum:
            yield Finding(
                place=pool.place.at("autoscaling", "min"),
                says=f"{pool.autoscaling.minimum} flex-start nodes cannot always be there.",
                remedy="Set 0.",
            )


@rule(
    summary="the longest life of flex-start nodes with GPUs is one that GKE accepts",
    why="The API refuses others.",
    source="GoogleCloudPlatform/cluster-autoscaler @7d250507",
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
                yield about_key(
                    place=share.place.at("admission_checks"),
                    says=f"nodes of {share.name} are queued, and {queue.name} asks for none.",
                    remedy=f"Name an admission check for GPUs. Declared: {listing(asking)}; {{name: gpus, "
                    f"provisioning: {{managed_resources: [{gke.RESOURCE_GPU}]}}}} makes one.",
                )


@rule(
    summary="a flavor selects the nodes of each queued pool",
    why="Only Kueue requests such nodes, for workloads that it admits to a flavor of them; no other pod gets one.",
    source=_QUEUED,
    family=Family.QUOTA,
)
def _queued_gpus_are_in_a_flavor(plan: Plan) -> Iterator[Finding]:
    is_counted = any(flavor.is_queued for flavor in plan.node_flavors)
    for pool in plan.node_pools:
        if pool.flex_start is not None and pool.is_queued and pool.gpu is not None and not is_counted:
            yield about_key(
                place=pool.flex_start.place.at("queued"),
                says=f"no flavor selects nodes of {pool.name}, so no workload ever gets one.",
                remedy=f"Declare a flavor with labels: {{{gke.LABEL_GPU_ACCELERATOR}: {pool.gpu.type}}}, or remove the "
                "key.",
            )
