"""Rules about where and how the hosts of a TPU slice are placed: zones, topologies and resource policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, tpu
from components.model.findings import Finding, Severity, about_key, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.ownership import cluster_of
from policies.objects.rebuilding.pools import generation_of, multi_host, region_of, single_host, zones_of
from policies.objects.values import Part, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object, World

FAMILY: Final = Family.TOPOLOGY

_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803, modules/compute/gke-node-pool"
_XPK: Final = "AI-Hypercomputer/xpk pull requests 822 and 825"
_TPU7X: Final = "answers of the API in field reports on TPU7x node pools, 2026-07 and 2026-08"
_PLACEMENT: Final = "placementPolicy"
_POLICY_NAME: Final = (_PLACEMENT, "policyName")
_COMPACT: Final = "COMPACT"
_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_THROUGHPUT: Final = "HIGH_THROUGHPUT"
_PROVISION_ONLY: Final = "PROVISION_ONLY"


@world_rule(
    summary="a multi-host pool is in exactly one zone",
    why="The hosts of a slice are wired to each other; a second zone doubles their number, and the API refuses it.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _slice_is_in_one_zone(pool: Object, world: World) -> Iterator[Finding]:
    shape = multi_host(pool)
    if shape is None:
        return
    cluster = cluster_of(pool, world)
    zones = zones_of(pool, cluster)
    if not zones and cluster is None:
        raise UndecidedError(pool.place.at("nodeLocations"), "is not stated, and the cluster is not here")
    if len(zones) == 1:
        return
    where = f"{len(zones)} zones are named" if zones else "no zone is named, so nodes are in several of the region"
    meant = f", such as {zones[0]}" if zones else f" of {region_of(pool, cluster)}"
    yield Finding(
        place=pool.place.at("nodeLocations"),
        says=f"{where}; the {shape.hosts} hosts of a {shape.topology} slice are in one.",
        remedy=f"Name one zone{meant}; a slice in another zone is another pool.",
    )


@object_rule(
    summary="a pool of single-host slices states neither a topology nor a placement",
    why="The API refuses it: every node is a slice of its own.",
    source=_XPK,
    kinds=(kinds.NODE_POOL,),
)
def _single_hosts_are_not_placed(pool: Object) -> Iterator[Finding]:
    shape = single_host(pool)
    if shape is None or _leaves_its_topology_out(pool):
        return
    otherwise = ", or state the topology of a slice of several hosts" if shape.machine.is_multi_host else ""
    for key in ("tpuTopology", "policyName", "type"):
        stated = pool.text(_PLACEMENT, key)
        if stated is not None:
            yield about_key(
                place=pool.place.at(_PLACEMENT, key),
                says=f"{stated} is stated for {shape.machine.name} hosts that are {shape.topology} slices by "
                "themselves.",
                remedy=f"Remove placementPolicy{otherwise}.",
            )


def _leaves_its_topology_out(pool: Object) -> bool:
    """Whether a policy alone says what slices a pool is of, on machines that make slices of several hosts."""
    machine_type = pool.string("nodeConfig", "machineType")
    return (
        tpu.is_tpu_machine(machine_type)
        and tpu.machine(machine_type).is_multi_host
        and pool.text(*_POLICY_NAME) is not None
        and pool.text(_PLACEMENT, "tpuTopology") is None
    )


@object_rule(
    summary="a pool that names a policy states the topology of its slices as well",
    why="One report made such a pool of TPU7x without, all others with it; nothing else tells how many hosts it has.",
    source=_TPU7X,
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _placed_slice_states_its_topology(pool: Object) -> Iterator[Finding]:
    if _leaves_its_topology_out(pool):
        yield Finding(
            place=pool.place.at(_PLACEMENT),
            says=f"{pool.text(*_POLICY_NAME)} is named without a topology.",
            remedy="Add tpuTopology, the same as in the policy; a pool of single hosts names no policy.",
        )


@object_rule(
    summary=f"a multi-host pool of a generation other than {listing(tpu.NEED_WORKLOAD_POLICY, 'or')} has COMPACT "
    "placement",
    why="Without it the API makes no slice.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _slice_is_placed_compactly(pool: Object) -> Iterator[Finding]:
    shape, generation = multi_host(pool), generation_of(pool)
    if shape is None or generation is None or generation.workload_policy is tpu.WorkloadPolicy.REQUIRED:
        return
    placed = pool.string(_PLACEMENT, "type", default="nothing")
    if placed != _COMPACT and pool.text(*_POLICY_NAME) is None:
        yield Finding(
            place=pool.place.at(_PLACEMENT, "type"),
            says=f"{placed} is stated; the hosts of a {shape.topology} slice are placed together.",
            remedy=f"Set {_COMPACT}.",
        )


@world_rule(
    summary=f"a multi-host pool of {listing(tpu.NEED_WORKLOAD_POLICY, 'or')} names a workload policy",
    why="The API takes the pool and then refuses its machines, so that it stays without a node.",
    source=_TPU7X,
    kinds=(kinds.NODE_POOL,),
)
def _slice_has_a_workload_policy(pool: Object, world: World) -> Iterator[Finding]:
    shape, generation = multi_host(pool), generation_of(pool)
    if shape is None or generation is None or generation.workload_policy is not tpu.WorkloadPolicy.REQUIRED:
        return
    policy = _policy_of(pool, world)
    remedy = f"Name a policy with workloadPolicy: {{type: {_THROUGHPUT}, acceleratorTopology: {shape.topology}}}."
    if policy is None:
        yield Finding(
            place=pool.place.at(*_POLICY_NAME),
            says=f"no workload policy is named for a {shape.topology} slice of {shape.machine.name}.",
            remedy=remedy,
        )
    elif not policy.has("workloadPolicy"):
        yield Finding(
            place=pool.place.at(*_POLICY_NAME), says=f"{policy.name} is not a workload policy.", remedy=remedy
        )


@object_rule(
    summary=f"a pool of {listing(tpu.NEED_WORKLOAD_POLICY, 'or')} that names a workload policy has an empty "
    "placement type",
    why="Where the API stores no type beside a policy, any other shows as a change for ever, which replaces the pool. "
    "Sources differ.",
    source="vllm-project/ci-infra pull request 547, against GoogleCloudPlatform/cluster-toolkit @10470803",
    kinds=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _policy_leaves_type_empty(pool: Object) -> Iterator[Finding]:
    generation, placed = generation_of(pool), pool.text(_PLACEMENT, "type")
    is_required = generation is not None and generation.workload_policy is tpu.WorkloadPolicy.REQUIRED
    if is_required and multi_host(pool) is not None and placed is not None and pool.text(*_POLICY_NAME) is not None:
        yield Finding(
            place=pool.place.at(_PLACEMENT, "type"),
            says=f"{placed} is stated beside a workload policy.",
            remedy='Set type: "".',
        )


def _policy_of(pool: Object, world: World) -> Object | None:
    """The policy that the pool names, by name or by path; of several, that of the pool's region. None if it names none.

    Raises:
        UndecidedError: there is none of that name; or it, or a region, is not known yet.
        MalformedError: a name or a region is not a string.
    """
    path = pool.text(*_POLICY_NAME)
    if path is None:
        return None
    same = [each for each in world.of(kinds.RESOURCE_POLICY) if each.name == path.rpartition("/")[2]]
    if not same:
        raise UndecidedError(pool.place.at(*_POLICY_NAME), "names a policy that is not here")
    region = region_of(pool, cluster_of(pool, world))
    return next((each for each in same if _region_stated(each) == region), same[0])


def _workload_policy_of(pool: Object, world: World) -> tuple[Object, Part] | None:
    """The policy that the pool names and what it says of workloads; None if it says nothing of them."""
    policy = _policy_of(pool, world)
    stated = None if policy is None else policy.part("workloadPolicy")
    return None if policy is None or stated is None else (policy, stated)


def _region_stated(policy: Object) -> str | None:
    """The region that the policy states by name or by path; None where it states none."""
    region = policy.string("region").rpartition("/")[2]
    return None if region == "" else region


@world_rule(
    summary="a workload policy is of the region and project of the pools that name it",
    why="The API looks for it there, and does not find it.",
    source=_TPU7X,
    kinds=(kinds.NODE_POOL,),
)
def _policy_is_of_the_pools_place(pool: Object, world: World) -> Iterator[Finding]:
    policy = _policy_of(pool, world)
    if policy is None:
        return
    places = (
        (_region_stated(policy), region_of(pool, cluster_of(pool, world))),
        (policy.text("project"), pool.text("project")),
    )
    for of_policy, of_pool in places:
        if of_policy is not None and of_pool is not None and of_policy != of_pool:
            yield Finding(
                place=pool.place.at(*_POLICY_NAME),
                says=f"{policy.name} is a policy of {of_policy}; the pool is in {of_pool}.",
                remedy=f"Name a policy of {of_pool}.",
            )


@world_rule(
    summary="a workload policy is for throughput and has the topology of the slices that are placed by it",
    why="The hosts of a slice come as a gang of the policy's size, or not at all.",
    source=f"{_TPU7X}; AI-Hypercomputer/xpk issue 751",
    kinds=(kinds.NODE_POOL,),
)
def _policy_is_of_the_slice(pool: Object, world: World) -> Iterator[Finding]:
    shape, named = multi_host(pool), _workload_policy_of(pool, world)
    if shape is None or named is None or _takes_none(pool):
        return
    policy, stated = named
    type_, topology = stated.string("type", default="nothing"), stated.text("acceleratorTopology")
    if type_ != _THROUGHPUT:
        yield Finding(
            place=stated.place.at("type"),
            says=f"{type_} is stated; slices are placed for throughput.",
            remedy=f"Set {_THROUGHPUT}.",
        )
    if topology is None:
        yield Finding(
            place=stated.place.at("acceleratorTopology"),
            says=f"no topology is stated, and pools of {shape.topology} slices are placed by the policy.",
            remedy=f"Set {shape.topology}.",
        )
    elif topology != shape.topology:
        yield Finding(
            place=pool.place.at(*_POLICY_NAME),
            says=f"{policy.name} is for {topology} slices; these are {shape.topology}.",
            remedy=f"Name a policy with acceleratorTopology: {shape.topology}; each topology has one of its own.",
        )


def _takes_none(pool: Object) -> bool:
    """Whether the generation takes no workload policy, as another rule tells."""
    generation = generation_of(pool)
    return generation is not None and generation.workload_policy is tpu.WorkloadPolicy.REFUSED


@world_rule(
    summary=f"a workload policy is named by pools of {listing(tpu.TAKE_WORKLOAD_POLICY)} alone",
    why="Other generations are placed by GKE itself; the API refuses a workload policy for them.",
    source=_AUTOSCALER,
    kinds=(kinds.NODE_POOL,),
)
def _generation_takes_workload_policies(pool: Object, world: World) -> Iterator[Finding]:
    generation, named = generation_of(pool), _workload_policy_of(pool, world)
    if generation is not None and named is not None and _takes_none(pool):
        yield about_key(
            place=pool.place.at(*_POLICY_NAME),
            says=f"{named[0].name} is a workload policy, which {generation.marketing} does not take.",
            remedy=f"Set type: {_COMPACT} and remove policyName.",
        )


@world_rule(
    summary="pools whose workload policy provisions only are of one reservation",
    why="Without the reservation's capacity there is nothing to provision into.",
    source=_TOOLKIT,
    kinds=(kinds.NODE_POOL,),
)
def _provision_only_is_reserved(pool: Object, world: World) -> Iterator[Finding]:
    named = _workload_policy_of(pool, world)
    if named is None or named[1].text("acceleratorTopologyMode") != _PROVISION_ONLY:
        return
    if pool.text("nodeConfig", "reservationAffinity", "consumeReservationType") != "SPECIFIC_RESERVATION":
        yield Finding(
            place=pool.place.at(*_POLICY_NAME),
            says=f"{named[0].name} is {_PROVISION_ONLY}, and the pool is not of one reservation.",
            remedy="Set nodeConfig.reservationAffinity to SPECIFIC_RESERVATION, or the policy's mode to AUTO_CONNECT.",
        )
