"""Wrong values in ComputeClasses, and what a user reads about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.model.catalogue.compute_class import V5E, one_job, with_class

if TYPE_CHECKING:
    from tests.stacks import Stack

_AT: Final = "compute_classes[0]"
_PRIORITY: Final = (
    "Optional keys: node_pools, capacity, reservation, max_run_seconds, zones, machine_type, topology, "
    "machine_family, gpu."
)


def _chain(**priority: object) -> Stack:
    return with_class(priority)


WRONG_CLASSES: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    "a chain without machines": (
        with_class().set("compute_classes", 0, priorities=[]),
        (f"{_AT}.priorities", "the list is empty; at least one item belongs here.",
         _PRIORITY),
    ),
    "a class without a chain": (
        with_class().drop("compute_classes", 0, "priorities"),
        (_AT, "the key priorities is missing.",
         "Required keys: name, priorities; optional keys: when_unsatisfiable, active_migration."),
    ),
    "a priority of pools and machines": (
        _chain(node_pools=["v5e"], machine_type="n4-standard-8"),
        (f"{_AT}.priorities[0].machine_type", "unknown key.", "Required keys: node_pools."),
    ),
    "a priority of no pools": (
        _chain(node_pools=[]),
        (f"{_AT}.priorities[0].node_pools", "the list is empty; at least one item belongs here.", "Name one or more."),
    ),
    "a priority of no machine": (
        _chain(capacity="spot"),
        (f"{_AT}.priorities[0]", "it has none of machine_type and machine_family.", "Add one of them."),
    ),
    "a priority of a type and a series": (
        _chain(machine_type="n4-standard-8", machine_family="n4"),
        (f"{_AT}.priorities[0]", "it has machine_type and machine_family.", "Keep one of them."),
    ),
    "a block of a reservation in a class": (
        _chain(**V5E, capacity="reservation", reservation={"name": "mine", "block": "b1"}),
        (f"{_AT}.priorities[0].reservation.block", "unknown key.", "Required keys: name; optional keys: project."),
    ),
    "a behaviour that GKE does not have": (
        with_class(when_unsatisfiable="Wait"),
        (f"{_AT}.when_unsatisfiable", "Wait is not supported here.", "Supported: DoNotScaleUp and ScaleUpAnyway."),
    ),
    "a run of slices from nowhere": (
        with_class().drop("workloads", 0, "compute_class"),
        ("workloads[0]", "it has none of flavor, flavors and compute_class.", "Add one of them."),
    ),
    "a run of slices of a flavor and a class": (
        with_class().set("workloads", 0, flavor="v5e-2x4"),
        ("workloads[0]", "it has flavor and compute_class.", "Keep one of them."),
    ),
    "a job of a class in a pool": (
        one_job(with_class()).set("workloads", 0, pool="v5e1"),
        ("workloads[0]", "it has pool and compute_class.", "Keep one of them."),
    ),
}  # fmt: skip
