"""The plan of ComputeClasses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model import config
from components.model.facts import tpu
from components.model.plan.compute_classes import (
    ClassEntryPlan,
    ClassNodesPlan,
    ComputeClassPlan,
    MadePriorityPlan,
    PoolsPriorityPlan,
)
from components.model.plan.nodes import SlicePoolPlan
from components.model.planning.sections import plan_from
from components.model.planning.slices import known_shape, reservation_plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.model.places import Place
    from components.model.plan.cloud import ClusterMode
    from components.model.plan.nodes import OrdinaryPoolPlan


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
