"""The plan of nodes: pools, ComputeClasses, and the ledger of chips: which pools and flavors hold which slices."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import structs

from components.model import config, names
from components.model.facts import gke, tpu
from components.model.facts.node_labels import pool_labels, provisioning_of, slice_labels
from components.model.plan.nodes import (
    AutoscalingPlan,
    ClassEntryPlan,
    ClassNodesPlan,
    ComputeClassPlan,
    FlexStartPlan,
    GpuPlan,
    MadePriorityPlan,
    OrdinaryPoolPlan,
    PlacementPlan,
    PoolsPriorityPlan,
    QuotaPlan,
    ReservationPlan,
    SlicePoolPlan,
    UpgradePlan,
    WorkloadPolicyPlan,
)
from components.model.plan.queues import FlavorPlan
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from components.model.places import Place
    from components.model.plan.cloud import ClusterMode, ClusterPlan


_DRIVERS: Final = {"default": "DEFAULT", "latest": "LATEST", "disabled": "INSTALLATION_DISABLED"}


def class_of_entry(platform: config.Platform) -> dict[str, str]:
    """The ComputeClass of each entry of `node_pools` and `tpu_slices` that one names; the first that does."""
    classes: dict[str, str] = {}
    for each in platform.compute_classes:
        for priority in each.priorities:
            if isinstance(priority, config.PoolsPriority):
                for entry in priority.node_pools:
                    classes.setdefault(entry, each.name)
    return classes


def ordinary_pool_plans(platform: config.Platform, root: Place) -> tuple[OrdinaryPoolPlan, ...]:
    """The pools without TPUs."""
    classes = class_of_entry(platform)
    pools = (
        _ordinary_pool(pool, platform.labels, root.at("node_pools", index))
        for index, pool in enumerate(platform.node_pools)
    )
    return tuple(structs.replace(pool, compute_class=classes.get(pool.name)) for pool in pools)


def _ordinary_pool(pool: config.OrdinaryPool, billing_labels: Mapping[str, str], place: Place) -> OrdinaryPoolPlan:
    """A pool without TPUs; its nodes are those that there can be at most."""
    limits = pool.autoscaling
    per_zone = pool.nodes if limits is None else limits.max
    return plan_from(
        OrdinaryPoolPlan,
        pool,
        place=place,
        nodes_per_zone=pool.nodes,
        autoscaling=None
        if limits is None
        else AutoscalingPlan(
            minimum=limits.min, maximum=limits.max, location_policy=None if pool.flex_start is None else "ANY"
        ),
        nodes=0 if per_zone is None else per_zone * len(pool.zones),
        is_spot=pool.spot,
        gpu=None
        if pool.gpu is None
        else plan_from(GpuPlan, pool.gpu, place=place.at("gpu"), driver=_DRIVERS[pool.gpu.driver]),
        added_labels=pool.labels,
        billing_labels=billing_labels,
        upgrade=upgrade_plan(pool.upgrade, place),
        flex_start=None
        if pool.flex_start is None
        else plan_from(FlexStartPlan, pool.flex_start, place=place.at("flex_start"), is_queued=pool.flex_start.queued),
    )


def upgrade_plan(upgrade: config.Upgrade | None, place: Place) -> UpgradePlan | None:
    """How nodes of the pool at `place` are upgraded."""
    return None if upgrade is None else plan_from(UpgradePlan, upgrade, place=place.at("upgrade"))


def quota_plans(platform: config.Platform, root: Place) -> tuple[QuotaPlan, ...]:
    """The quotas of the project."""
    return tuple(_quota(quota, root.at("quota", index)) for index, quota in enumerate(platform.quota))


def _quota(quota: config.Quota, place: Place) -> QuotaPlan:
    is_tpu = isinstance(quota, config.TpuQuota)
    return plan_from(
        QuotaPlan,
        quota,
        place=place,
        accelerator=quota.family if is_tpu else quota.gpu,
        is_tpu=is_tpu,
        amount=quota.chips if is_tpu else quota.count,
    )


_FLEX_START: Final = "flex-start"
_SELECTS: Final[Mapping[str, Mapping[str, str]]] = {
    "on-demand": {},
    "reservation": {},
    "spot": {gke.LABEL_SPOT: "true"},
    "flex-start": {gke.LABEL_FLEX_START: "true"},
}
"""The node labels by which pods select a capacity type; a pod without such a label gets on-demand nodes."""


def all_slice_pools(platform: config.Platform, cluster: ClusterPlan, root: Place) -> tuple[SlicePoolPlan, ...]:
    """The pools of all entries, in the order of the file."""
    classes = class_of_entry(platform)
    return tuple(
        pool
        for index, entry in enumerate(platform.tpu_slices)
        for pool in _pools(entry, cluster, platform.labels, root.at("tpu_slices", index), classes.get(entry.name))
    )


def _pools(
    entry: config.TpuSlices,
    cluster: ClusterPlan,
    billing_labels: Mapping[str, str],
    place: Place,
    compute_class: str | None,
) -> tuple[SlicePoolPlan, ...]:
    """The pools of an entry: one per multi-host slice, or one whose nodes are single-host slices."""
    shape = known_shape(entry.machine_type, entry.topology)
    is_multi_host = shape is None or shape.kind is tpu.HostKind.MULTI
    template = structs.replace(_first_pool(entry, shape, cluster, billing_labels, place), compute_class=compute_class)
    pools = names.slice_pools(entry.name, entry.slices, is_multi_host=is_multi_host)
    return tuple(structs.replace(template, name=name) for name in pools)


def _first_pool(
    entry: config.TpuSlices,
    shape: tpu.Shape | None,
    cluster: ClusterPlan,
    billing_labels: Mapping[str, str],
    place: Place,
) -> SlicePoolPlan:
    """A pool of the entry; all of them differ by name alone."""
    is_multi_host = shape is None or shape.kind is tpu.HostKind.MULTI
    per_zone = 1 if is_multi_host or entry.slices is None else entry.slices
    zones, reservation = _zones(entry), entry.reservation
    nodes_per_zone = 0 if shape is None else shape.hosts * per_zone
    is_autoscaled = entry.autoscaled or entry.capacity == _FLEX_START
    autoscaling = AutoscalingPlan(minimum=0, maximum=nodes_per_zone, location_policy="ANY")
    return plan_from(
        SlicePoolPlan,
        entry,
        place=place,
        zones=zones,
        has_list_of_zones=entry.zones is not None,
        has_both_zones=entry.zones is not None and entry.zone is not None,
        is_multi_host=is_multi_host,
        slices=per_zone * len(zones),
        nodes=nodes_per_zone * len(zones),
        chips=0 if shape is None else shape.chips * per_zone * len(zones),
        nodes_per_zone=None if is_autoscaled else nodes_per_zone,
        autoscaling=autoscaling if is_autoscaled else None,
        states_autoscaled=entry.autoscaled,
        is_queued=entry.queued,
        reservation=None
        if reservation is None
        else reservation_plan(reservation.name, reservation.project, reservation.block, place.at("reservation")),
        takes_reservations=_takes_reservations(entry),
        placement=_placement(shape, cluster.name),
        labels=_labels(shape, entry),
        added_labels=entry.labels,
        billing_labels=billing_labels,
        disk_type="" if shape is None else tpu.generation_of(entry.machine_type).boot_disks[0],
        # GKE recreates a broken multi-host slice whole; of flex-start capacity it must not try to.
        auto_repair=not (entry.capacity == _FLEX_START and is_multi_host),
        upgrade=upgrade_plan(entry.upgrade, place),
        is_protected=entry.protect,
    )


def _zones(entry: config.TpuSlices) -> tuple[str, ...]:
    if entry.zones is not None:
        return entry.zones
    return () if entry.zone is None else (entry.zone,)


def reservation_plan(name: str, project: str | None, block: str | None, place: Place) -> ReservationPlan:
    """The reservation at `place`; a block, or another project's, is named by its whole path."""
    path = name if project is None else f"projects/{project}/reservations/{name}"
    if block is not None:
        path = f"{path}/reservationBlocks/{block}"
    return ReservationPlan(place=place, name=name, project=project, path=path)


def _takes_reservations(entry: config.TpuSlices) -> bool | None:
    """Flex-start, spot and queued capacity is refused unless it says that it takes none."""
    if entry.capacity == "reservation":
        return True
    return False if entry.capacity in (_FLEX_START, "spot") or entry.queued else None


def _placement(shape: tpu.Shape | None, cluster: str) -> PlacementPlan | None:
    if shape is None or shape.kind is tpu.HostKind.SINGLE:
        return None
    if not _needs_policy(shape.machine.name):
        return PlacementPlan(type="COMPACT", topology=shape.topology, policy=None)
    # The API stores no type beside a policy: any other than none would show as a change for ever.
    return PlacementPlan(type="", topology=shape.topology, policy=names.workload_policy(cluster, shape.topology))


def _needs_policy(machine_type: str) -> bool:
    return tpu.generation_of(machine_type).workload_policy is tpu.WorkloadPolicy.REQUIRED


def workload_policies(pools: Iterable[SlicePoolPlan], cluster: ClusterPlan) -> tuple[WorkloadPolicyPlan, ...]:
    """The policies that pools name, one per topology."""
    policies: dict[str, WorkloadPolicyPlan] = {}
    for pool in pools:
        if pool.placement is not None and pool.placement.policy is not None:
            policy = WorkloadPolicyPlan(
                place=pool.place, name=pool.placement.policy, region=cluster.region, topology=pool.topology
            )
            policies.setdefault(policy.name, policy)
    return tuple(policies.values())


class PoolIndex:
    """Pools by the shape that their labels tell; pods of flavors get no nodes of a ComputeClass."""

    def __init__(self, pools: Sequence[SlicePoolPlan]) -> None:
        self._by_shape: defaultdict[tuple[str, str], list[SlicePoolPlan]] = defaultdict(list)
        for pool in pools:
            if pool.labels and pool.compute_class is None:
                self._by_shape[self._shape(pool.labels)].append(pool)

    def alike(self, labels: Mapping[str, str]) -> Sequence[SlicePoolPlan]:
        """The pools of the accelerator and topology among `labels`."""
        return self._by_shape.get(self._shape(labels), ())

    @staticmethod
    def _shape(labels: Mapping[str, str]) -> tuple[str, str]:
        return labels[gke.LABEL_TPU_ACCELERATOR], labels[gke.LABEL_TPU_TOPOLOGY]


def flavor_plan(flavor: config.Flavor, pools: PoolIndex, place: Place, *, has_common_keys: bool = False) -> FlavorPlan:
    """The flavor with the pools of `pools` that serve it: those whose nodes carry its labels.

    Where slices of its shape have several capacity types, an on-demand flavor selects them by one more label.

    Args:
        flavor: as it is configured.
        pools: all pools of slices.
        place: where it is configured.
        has_common_keys: whether flavors of all capacity types have labels of the same keys, so that those of one
            replace those of another in the Jobs of a JobSet that moves. Flex-start alone needs a key more: the
            autoscaler makes no nodes without it.
    """
    shape = known_shape(flavor.machine_type, flavor.topology)
    labels: dict[str, str] = {}
    serving: list[SlicePoolPlan] = []
    if shape is not None:
        alike = pools.alike(slice_labels(shape))
        labels = {**slice_labels(shape), **_selects(flavor, alike, has_common_keys=has_common_keys)}
        serving = [pool for pool in alike if labels.items() <= pool.labels.items()]
    queued = [pool for pool in serving if pool.is_queued and pool.capacity == _FLEX_START]
    return plan_from(
        FlavorPlan,
        flavor,
        place=place,
        labels=labels,
        hosts=0 if shape is None else shape.hosts,
        chips_per_slice=0 if shape is None else shape.chips,
        pools=tuple(pool.name for pool in serving),
        chips=sum(pool.chips for pool in serving),
        is_queued=bool(queued),
        run_seconds=min((pool.max_run_seconds for pool in queued if pool.max_run_seconds is not None), default=None),
    )


def _selects(flavor: config.Flavor, alike: Sequence[SlicePoolPlan], *, has_common_keys: bool) -> dict[str, str]:
    """The labels by which a flavor selects its capacity among pools of its shape."""
    if has_common_keys:
        flex_start = _SELECTS[flavor.capacity] if flavor.capacity == _FLEX_START else {}
        return {gke.LABEL_PROVISIONING: provisioning_of(flavor.capacity), **flex_start}
    labels = dict(_SELECTS[flavor.capacity])
    if flavor.reservation is not None:
        labels[gke.LABEL_RESERVATION_NAME] = flavor.reservation
    if flavor.capacity == "on-demand" and any(_SELECTS[pool.capacity] for pool in alike):
        labels[gke.LABEL_PROVISIONING] = gke.PROVISIONING_STANDARD
    return labels


def known_shape(machine_type: str, topology: str) -> tpu.Shape | None:
    """The slice of a topology on a machine type; None where there is none."""
    try:
        return tpu.shape(machine_type, topology)
    except (tpu.UnknownMachineError, tpu.ImpossibleTopologyError):
        return None


def _labels(shape: tpu.Shape | None, entry: config.TpuSlices) -> dict[str, str]:
    reservation = None if entry.reservation is None else entry.reservation.name
    return {} if shape is None else pool_labels(shape, entry.capacity, reservation)


_Entries = dict[str, "list[OrdinaryPoolPlan | SlicePoolPlan]"]
"""The pools of each entry of `node_pools` and `tpu_slices`, by its name."""


def compute_class_plans(
    platform: config.Platform,
    mode: ClusterMode,
    pools: Iterable[OrdinaryPoolPlan | SlicePoolPlan],
    root: Place,
) -> tuple[ComputeClassPlan, ...]:
    """The classes, whose priorities name some of the pools."""
    named = {root.at("node_pools", index): pool.name for index, pool in enumerate(platform.node_pools)}
    named |= {root.at("tpu_slices", index): entry.name for index, entry in enumerate(platform.tpu_slices)}
    entries: _Entries = {}
    for pool in pools:
        entries.setdefault(named[pool.place], []).append(pool)
    return tuple(
        _compute_class(each, mode, entries, root.at("compute_classes", index))
        for index, each in enumerate(platform.compute_classes)
    )


def _compute_class(
    declared: config.ComputeClass, mode: ClusterMode, entries: _Entries, place: Place
) -> ComputeClassPlan:
    priorities = tuple(
        _named(each, entries, place.at("priorities", index))
        if isinstance(each, config.PoolsPriority)
        else _made(each, place.at("priorities", index))
        for index, each in enumerate(declared.priorities)
    )
    return plan_from(
        ComputeClassPlan,
        declared,
        place=place,
        priorities=priorities,
        known_entries=tuple(entries),
        makes_pools=mode == "standard" and any(isinstance(each, MadePriorityPlan) for each in priorities),
        migrates=declared.active_migration,
    )


def _named(priority: config.PoolsPriority, entries: _Entries, place: Place) -> PoolsPriorityPlan:
    return PoolsPriorityPlan(
        place=place,
        entries=tuple(
            ClassEntryPlan(
                place=place.at("node_pools", index),
                name=entry,
                pools=tuple(pool.name for pool in entries.get(entry, ())),
            )
            for index, entry in enumerate(priority.node_pools)
        ),
        nodes=tuple(_nodes(entry, entries[entry][0]) for entry in priority.node_pools if entry in entries),
    )


def _nodes(entry: str, pool: OrdinaryPoolPlan | SlicePoolPlan) -> ClassNodesPlan:
    if isinstance(pool, SlicePoolPlan):
        return _slice(f"slices of {entry}", pool.machine_type, known_shape(pool.machine_type, pool.topology))
    gpu = pool.gpu
    return ClassNodesPlan(
        what=f"nodes of {entry}",
        machine_type=pool.machine_type,
        is_of_tpus=False,
        hosts=0,
        chips_per_host=0,
        gpu=None if gpu is None else gpu.type,
        gpus=0 if gpu is None else gpu.count,
    )


def _slice(what: str, machine_type: str, shape: tpu.Shape | None) -> ClassNodesPlan:
    hosts = 0 if shape is None else shape.hosts
    chips = 0 if shape is None else shape.machine.chips
    return ClassNodesPlan(
        what=what, machine_type=machine_type, is_of_tpus=True, hosts=hosts, chips_per_host=chips, gpu=None, gpus=0
    )


def _made(priority: config.SlicesPriority | config.MachinesPriority, place: Place) -> MadePriorityPlan:
    nodes = _machines(priority) if isinstance(priority, config.MachinesPriority) else _slices(priority)
    is_of_tpus = isinstance(priority, config.SlicesPriority)
    reservation = priority.reservation
    return MadePriorityPlan(
        place=place,
        nodes=(nodes,),
        machine_type=nodes.machine_type,
        machine_family="" if is_of_tpus or priority.machine_family is None else priority.machine_family,
        topology=priority.topology if is_of_tpus else None,
        gpu=nodes.gpu,
        gpus=nodes.gpus,
        capacity=priority.capacity,
        reservation=None
        if reservation is None
        else reservation_plan(reservation.name, reservation.project, None, place.at("reservation")),
        max_run_seconds=priority.max_run_seconds,
        zones=() if priority.zones is None else priority.zones,
    )


def _slices(priority: config.SlicesPriority) -> ClassNodesPlan:
    shape = known_shape(priority.machine_type, priority.topology)
    return _slice(f"{priority.topology} slices of {priority.machine_type}", priority.machine_type, shape)


def _machines(priority: config.MachinesPriority) -> ClassNodesPlan:
    gpu, machine_type = priority.gpu, "" if priority.machine_type is None else priority.machine_type
    return ClassNodesPlan(
        what=f"{priority.machine_family if priority.machine_type is None else machine_type} machines",
        machine_type=machine_type,
        is_of_tpus=tpu.is_tpu_machine(machine_type),
        hosts=0,
        chips_per_host=0,
        gpu=None if gpu is None else gpu.type,
        gpus=0 if gpu is None else gpu.count,
    )
