"""A rule about folders in memory: those of the pods of slices, together, fit into their host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import allocatable, gke, tpu
from components.model.facts.quantities import Quantity, parse
from components.model.findings import Finding, listing
from components.model.plan.pods import BucketMountPlan, EphemeralMountPlan
from components.model.plan.workloads import PathwaysPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.pods import PodPlan


@rule(
    "memory-folders-fit-the-host",
    summary="what pods of slices keep in memory, with the memory that they request, fits into their host",
    why="Folders in memory take the memory of the host as they fill; a host without memory ends its pods.",
    source='GKE documentation "Plan node sizes" and Kubernetes documentation "Volumes" (emptyDir), read 2026-11',
    family=Family.GUARDRAILS,
)
def _memory_folders_fit_the_host(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        folders = _folders(work.pod)
        if (
            isinstance(work, PathwaysPlan)
            or flavor is None
            or not folders
            or not tpu.is_tpu_machine(flavor.machine_type)
        ):
            continue  # the program of Pathways does not run on the slices
        machine = tpu.machine(flavor.machine_type)
        most = allocatable.allocatable(machine.name, machine.vcpus, machine.memory_gb)[gke.RESOURCE_MEMORY]
        checkpoints = _checkpoints(plan, machine.name)
        taken = _requested(work.pod) + sum(amount for _, amount in folders) + checkpoints
        if taken > most.milli:
            keys = [str(place.keys[-1]) for place, _ in folders]
            if checkpoints:
                keys.append("cluster.checkpoints.local_gib")
            yield Finding(
                place=folders[-1][0],
                says=f"folders in memory and the memory that the pod requests are {_shown(taken)}, and {machine.name} "
                f"leaves {most} to pods.",
                remedy=f"Lower {listing(list(dict.fromkeys(keys)))}.",
            )


def _folders(pod: PodPlan) -> list[tuple[Place, int]]:
    """The folders in memory that count beside what containers request, each with its size, once for each volume."""
    found: dict[str, tuple[Place, int]] = {}
    limits = gke.RESOURCE_MEMORY in pod.requests
    for mount in pod.all_mounts:
        if isinstance(mount, BucketMountPlan) and mount.cache_gib:
            found[mount.volume] = (mount.place.at("cache_gib"), _gib(mount.cache_gib))
        elif isinstance(mount, EphemeralMountPlan) and mount.is_in_memory and not limits:
            found[mount.volume] = (mount.place.at("ephemeral"), mount.size.milli)
    return list(found.values())


def _requested(pod: PodPlan) -> int:
    amount = pod.all_requests.get(gke.RESOURCE_MEMORY)
    return 0 if amount is None else amount.milli


def _checkpoints(plan: Plan, machine_type: str) -> int:
    """The memory of each host that holds checkpoints."""
    checkpoints = plan.cluster.checkpoints
    held = checkpoints is not None and checkpoints.machine_type == machine_type
    return _gib(checkpoints.local_gib) if checkpoints is not None and held else 0


def _gib(amount: int) -> int:
    """In thousandths of a byte."""
    return parse(f"{amount}Gi").milli


def _shown(milli: int) -> Quantity:
    return Quantity(milli, is_binary=True)


MEMORY_RULES: Final = (_memory_folders_fit_the_host,)
