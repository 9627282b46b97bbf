"""The ComputeClass document: which machines pods get that select the class, in the order of preference.

`whenUnsatisfiable` is always written: without it a class does on GKE 1.33 and later what it did not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import tpu
from components.model.plan.nodes import ComputeClassPlan, MadePriorityPlan, PoolsPriorityPlan, ReservationPlan

if TYPE_CHECKING:
    from components.manifests.metadata import Manifest

API_VERSION: Final = "cloud.google.com/v1"


def compute_class(plan: ComputeClassPlan) -> Manifest:
    """The class's document."""
    spec: Manifest = {
        "priorities": [
            {"nodepools": list(each.pools)} if isinstance(each, PoolsPriorityPlan) else _made(each)
            for each in plan.priorities
        ],
        "whenUnsatisfiable": plan.when_unsatisfiable,
    }
    if plan.makes_pools:
        spec["nodePoolAutoCreation"] = {"enabled": True}
    if plan.migrates:
        spec["activeMigration"] = {"optimizeRulePriority": True}
    return {"apiVersion": API_VERSION, "kind": "ComputeClass", "metadata": {"name": plan.name}, "spec": spec}


def _made(plan: MadePriorityPlan) -> Manifest:
    priority = _machines(plan)
    if plan.capacity == "spot":
        priority["spot"] = True
    if plan.capacity == "flex-start":
        priority["flexStart"] = {"enabled": True}
    if plan.reservation is not None:
        priority["reservations"] = {"affinity": "Specific", "specific": [_reservation(plan.reservation)]}
    if plan.max_run_seconds is not None:
        priority["maxRunDurationSeconds"] = plan.max_run_seconds
    if plan.zones:
        priority["location"] = {"zones": list(plan.zones)}
    return priority


def _machines(plan: MadePriorityPlan) -> Manifest:
    priority: Manifest = {}
    if plan.topology is not None:
        # The accelerator, the chips of a node and the topology say the machine type.
        accelerator, (nodes,) = tpu.generation_of(plan.machine_type).accelerator, plan.nodes
        priority["tpu"] = {"type": accelerator, "count": nodes.chips_per_host, "topology": plan.topology}
    elif plan.machine_type:
        priority["machineType"] = plan.machine_type
    else:
        priority["machineFamily"] = plan.machine_family
    if plan.gpu is not None:
        priority["gpu"] = {"type": plan.gpu, "count": plan.gpus}
    return priority


def _reservation(plan: ReservationPlan) -> Manifest:
    return {"name": plan.name} if plan.project is None else {"name": plan.name, "project": plan.project}
