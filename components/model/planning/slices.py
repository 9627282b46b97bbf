"""The chip ledger's first half: which pools hold which slices, and which flavors they serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model import gke, names, plan, tpu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model import config
    from components.model.findings import Place


def slice_pool_plans(entry: config.TpuSlices, place: Place) -> tuple[plan.SlicePoolPlan, ...]:
    """The pools of an entry: one per multi-host slice, or one whose nodes are single-host slices."""
    shape = _known_shape(entry.machine_type, entry.topology)
    is_multi_host = shape is None or shape.kind is tpu.HostKind.MULTI
    slices_of_pool = 1 if is_multi_host or entry.slices is None else entry.slices
    return tuple(
        plan.SlicePoolPlan(
            place=place,
            name=name,
            machine_type=entry.machine_type,
            topology=entry.topology,
            zone=entry.zone,
            is_multi_host=is_multi_host,
            slices=slices_of_pool,
            nodes=0 if shape is None else shape.hosts * slices_of_pool,
            chips=0 if shape is None else shape.chips * slices_of_pool,
            labels={} if shape is None else _pool_labels(shape),
            disk_type="" if shape is None else tpu.generation_of(entry.machine_type).boot_disks[0],
        )
        for name in names.slice_pools(entry.name, entry.slices, is_multi_host=is_multi_host)
    )


def flavor_plan(flavor: config.Flavor, pools: Sequence[plan.SlicePoolPlan], place: Place) -> plan.FlavorPlan:
    """The flavor with the pools of `pools` that serve it: those whose nodes carry its labels."""
    shape = _known_shape(flavor.machine_type, flavor.topology)
    labels = {} if shape is None else _slice_labels(shape)
    serving = [pool for pool in pools if labels and labels.items() <= pool.labels.items()]
    return plan.FlavorPlan(
        place=place,
        name=flavor.name,
        machine_type=flavor.machine_type,
        topology=flavor.topology,
        labels=labels,
        hosts=0 if shape is None else shape.hosts,
        chips_per_slice=0 if shape is None else shape.chips,
        pools=tuple(pool.name for pool in serving),
        chips=sum(pool.chips for pool in serving),
    )


def _known_shape(machine_type: str, topology: str) -> tpu.Shape | None:
    try:
        return tpu.shape(machine_type, topology)
    except (tpu.UnknownMachineError, tpu.ImpossibleTopologyError):
        return None


def _slice_labels(shape: tpu.Shape) -> dict[str, str]:
    return {
        gke.LABEL_TPU_ACCELERATOR: tpu.generation_of(shape.machine.name).accelerator,
        gke.LABEL_TPU_TOPOLOGY: shape.topology,
    }


def _pool_labels(shape: tpu.Shape) -> dict[str, str]:
    return {**_slice_labels(shape), gke.LABEL_ACCELERATOR_COUNT: str(shape.machine.chips)}
