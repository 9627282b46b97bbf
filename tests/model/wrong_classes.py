"""Wrong values in ComputeClasses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.catalogue.compute_class import V5E, one_job, with_class

if TYPE_CHECKING:
    from tests.stacks import Stack


def _chain(**priority: object) -> Stack:
    return with_class(priority)


WRONG_CLASSES: dict[str, Stack] = {
    "a chain without machines": with_class().set("compute_classes", 0, priorities=[]),
    "a class without a chain": with_class().drop("compute_classes", 0, "priorities"),
    "a priority of pools and machines": _chain(node_pools=["v5e"], machine_type="n4-standard-8"),
    "a priority of no pools": _chain(node_pools=[]),
    "a priority of no machine": _chain(capacity="spot"),
    "a priority of a type and a series": _chain(machine_type="n4-standard-8", machine_family="n4"),
    "a block of a reservation in a class": _chain(
        **V5E, capacity="reservation", reservation={"name": "mine", "block": "b1"}
    ),
    "a behaviour that GKE does not have": with_class(when_unsatisfiable="Wait"),
    "a run of slices from nowhere": with_class().drop("workloads", 0, "compute_class"),
    "a run of slices of a flavor and a class": with_class().set("workloads", 0, flavor="v5e-2x4"),
    "a job of a class in a pool": one_job(with_class()).set("workloads", 0, pool="v5e1"),
}
