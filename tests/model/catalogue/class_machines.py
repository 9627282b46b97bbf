"""Machines of ComputeClasses, for which GKE makes node pools: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.catalogue.compute_class import CHAIN, L4, T4, V5E, with_class, with_machines
from tests.stacks import Told

if TYPE_CHECKING:
    from tests.stacks import Stack

_MADE_FOR_PODS = {
    "limits": {"cpu": 500, "memory_gb": 2000, "tpu-v5-lite-podslice": 32},
    "zones": ["us-west4-a"],
}
BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a class of machines that are not TPUs": (
        with_class(*CHAIN, {**V5E, "machine_type": "ct5lp-hightpu-3t"}),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[3].machine_type",
                says="ct5lp-hightpu-3t is not a TPU machine type.",
                remedy="Did you mean ct5lp-hightpu-8t? TPU machine types: ct3-hightpu-4t, ct3p-hightpu-4t, "
                "ct4p-hightpu-4t, ct5l-hightpu-1t, ct5l-hightpu-4t, ct5l-hightpu-8t, ct5lp-hightpu-1t, "
                "ct5lp-hightpu-4t, ct5lp-hightpu-8t, ct5p-hightpu-4t, ct6e-standard-1t, ct6e-standard-4t, "
                "ct6e-standard-8t, tpu7x-standard-1t and tpu7x-standard-4t. Other machines have no topology.",
            )
        ],
    ),
    "a class of slices that do not exist": (
        with_class(*CHAIN, {**V5E, "topology": "3x3"}),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[3].topology",
                says="ct5lp-hightpu-4t makes no 3x3 slices.",
                remedy="ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 or 16x16.",
            )
        ],
    ),
    "a class of TPUs without a topology": (
        with_class(*CHAIN, {"machine_type": "ct5lp-hightpu-4t"}),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[3].machine_type",
                says="ct5lp-hightpu-4t is a TPU machine type, and the priority states no topology.",
                remedy="Add topology: 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 or 16x16.",
            )
        ],
    ),
    "a class of an unknown machine": (
        with_machines({"machine_type": "n4-standard-9"}),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[0].machine_type",
                says="n4-standard-9 is not a machine type known here.",
                remedy="Did you mean n4-standard-8? If Google offers it, ignore this warning.",
                severity="warning",
            )
        ],
    ),
    "a class of an unknown series": (
        with_machines({"machine_family": "n5"}),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[0].machine_family",
                says="n5 is not a machine series known here.",
                remedy="If Google offers it, ignore this warning.",
                severity="warning",
            )
        ],
    ),
    "a class of an unknown GPU": (
        with_machines(
            {"machine_family": "n1", "gpu": {"type": "nvidia-tesla-t5"}}, gpu={"type": "nvidia-tesla-t5", "count": 1}
        ),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[0].gpu.type",
                says="nvidia-tesla-t5 is not a GPU known here.",
                remedy="Did you mean nvidia-tesla-t4? If Google offers it, ignore this warning.",
                severity="warning",
            )
        ],
    ),
    "a class of GPUs in another number": (
        with_machines({"machine_family": "n1", "gpu": {**T4, "count": 3}}, gpu={**T4, "count": 3}),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[0].gpu.count",
                says="no machine has 3 nvidia-tesla-t4.",
                remedy="Set 1, 2 or 4.",
            )
        ],
    ),
    "a class of GPUs on machines that take none": (
        with_machines({"machine_family": "n4", "gpu": T4}, gpu=T4),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[0].machine_family",
                says="n4 does not come with 1 nvidia-tesla-t4.",
                remedy="Set n1.",
            )
        ],
    ),
    "a class of GPUs on a machine type of others": (
        with_machines({"machine_type": "g2-standard-24", "gpu": L4}, gpu=L4),
        [
            Told(
                rule="class-machine-exists",
                place="compute_classes[0].priorities[0].machine_type",
                says="g2-standard-24 does not come with 1 nvidia-l4.",
                remedy="Set g2-standard-4, g2-standard-8, g2-standard-12, g2-standard-16 or g2-standard-32.",
            )
        ],
    ),
    "a class of reserved slices of no reservation": (
        with_class(*CHAIN, {**V5E, "capacity": "reservation"}),
        [
            Told(
                rule="class-capacity-exists",
                place="compute_classes[0].priorities[3].capacity",
                says="the capacity is reserved, but no reservation is named.",
                remedy="Add reservation with its name.",
            )
        ],
    ),
    "a class of spot slices of a reservation": (
        with_class({**V5E, "capacity": "spot", "reservation": {"name": "mine"}}),
        [
            Told(
                rule="class-capacity-exists",
                place="compute_classes[0].priorities[0].reservation",
                says="spot capacity takes no reservation.",
                remedy="Remove it, or set capacity: reservation.",
            )
        ],
    ),
    "a class of flex-start machines without accelerators": (
        with_machines({"machine_family": "n4", "capacity": "flex-start"}),
        [
            Told(
                rule="class-capacity-exists",
                place="compute_classes[0].priorities[0].capacity",
                says="the machines have no accelerator, and flex-start is for accelerators.",
                remedy="Set on-demand or spot.",
            )
        ],
    ),
    "a class of slices that have no flex-start": (
        with_class({"machine_type": "ct4p-hightpu-4t", "topology": "2x2x2", "capacity": "flex-start"}),
        [
            Told(
                rule="class-capacity-exists",
                place="compute_classes[0].priorities[0].capacity",
                says="TPU v4 has no flex-start.",
                remedy="Choose another capacity, or one of TPU v5e, TPU v5p, TPU v6e and TPU7x.",
            )
        ],
    ),
    "a class of flex-start slices that live too long": (
        with_class({**V5E, "capacity": "flex-start", "max_run_seconds": 1000000}),
        [
            Told(
                rule="class-capacity-exists",
                place="compute_classes[0].priorities[0].max_run_seconds",
                says="nodes of flex-start capacity cannot be asked to live 1000000 seconds.",
                remedy="Set 600 to 604800.",
            )
        ],
    ),
    "a class of slices in another region": (
        with_class({**V5E, "zones": ["us-central1-a"]}),
        [
            Told(
                rule="zone-in-region",
                place="compute_classes[0].priorities[0].zones[0]",
                says="us-central1-a is not in us-west4, the region of the cluster.",
                remedy="Name a zone of us-west4 (us-west4-a, us-west4-b and so on), or move the cluster.",
            )
        ],
    ),
    "a class that makes pools on a release that does not": (
        with_class().set("cluster", minimum_version="1.33.0-gke.1712000"),
        [
            Told(
                rule="class-pools-are-made",
                place="compute_classes[0].priorities[1]",
                says="on 1.33.0-gke.1712000 GKE makes node pools for a class only with node auto-provisioning.",
                remedy="Add auto_provisioning, set minimum_version 1.33.3-gke.1136000 or newer, or name node_pools.",
            )
        ],
    ),
    "a class on a release without them": (
        with_class({"node_pools": ["v5e"]}).set("cluster", minimum_version="1.30.0-gke.1000000"),
        [
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.30.0-gke.1000000 is older than the first version with ComputeClasses.",
                remedy="Set 1.30.3-gke.1451000 or newer, or leave the version to the release channel.",
            )
        ],
    ),
    "a class of reserved slices on a release without them": (
        with_class({**V5E, "capacity": "reservation", "reservation": {"name": "mine"}})
        .set(auto_provisioning=_MADE_FOR_PODS)
        .set("cluster", minimum_version="1.31.0-gke.1000000"),
        [
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.31.0-gke.1000000 is older than the first version with TPUs in ComputeClasses.",
                remedy="Set 1.31.2-gke.1518000 or newer, or leave the version to the release channel.",
            ),
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.31.0-gke.1000000 is older than the first version with reservations in ComputeClasses.",
                remedy="Set 1.31.1-gke.2105000 or newer, or leave the version to the release channel.",
            ),
        ],
    ),
    "a class of flex-start machines on a release without them": (
        with_machines({"machine_family": "g2", "gpu": L4, "capacity": "flex-start"}, gpu=L4)
        .add("compute_classes", name="slices", priorities=[{**V5E, "capacity": "flex-start"}])
        .set(auto_provisioning=_MADE_FOR_PODS)
        .set("cluster", minimum_version="1.32.0-gke.1000000"),
        [
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.32.0-gke.1000000 is older than the first version with flex-start GPUs.",
                remedy="Set 1.32.2-gke.1652000 or newer, or leave the version to the release channel.",
            ),
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.32.0-gke.1000000 is older than the first version with flex-start TPUs.",
                remedy="Set 1.33.0-gke.1712000 or newer, or leave the version to the release channel.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "a chain of reserved slices of two generations": with_class(
        {**V5E, "capacity": "reservation", "reservation": {"name": "mine", "project": "pool"}},
        {"machine_type": "ct6e-standard-4t", "topology": "2x4", "capacity": "spot"},
    ),
    "a chain of GPUs for a batch job": with_machines(
        {"machine_type": "n1-standard-8", "gpu": T4, "capacity": "reservation", "reservation": {"name": "mine"}},
        {"machine_family": "n1", "gpu": {**T4, "count": 2}, "capacity": "flex-start", "max_run_seconds": 3600},
        {"machine_type": "n1-standard-8", "gpu": T4, "capacity": "spot", "zones": ["us-west4-a"]},
        gpu=T4,
    ),
    "a chain of machines made around their GPUs": with_machines(
        {"machine_family": "g2", "gpu": L4}, {"machine_type": "g2-standard-8", "gpu": L4}, gpu=L4
    ),
    "a class that makes pools with node auto-provisioning": with_class(V5E)
    .set("cluster", minimum_version="1.32.3-gke.1000000")
    .set(auto_provisioning=_MADE_FOR_PODS),
}
