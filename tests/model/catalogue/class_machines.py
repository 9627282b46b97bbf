"""Machines of ComputeClasses, for which GKE makes node pools: broken stacks by their rules, and sound ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.catalogue.compute_class import CHAIN, L4, T4, V5E, with_class, with_machines

if TYPE_CHECKING:
    from tests.stacks import Stack

_MADE_FOR_PODS = {
    "limits": {"cpu": 500, "memory_gb": 2000, "tpu-v5-lite-podslice": 32},
    "zones": ["us-west4-a"],
}
BROKEN: dict[str, dict[str, Stack]] = {
    "class-machine-exists": {
        "a class of machines that are not TPUs": with_class(*CHAIN, {**V5E, "machine_type": "ct5lp-hightpu-3t"}),
        "a class of slices that do not exist": with_class(*CHAIN, {**V5E, "topology": "3x3"}),
        "a class of TPUs without a topology": with_class(*CHAIN, {"machine_type": "ct5lp-hightpu-4t"}),
        "a class of an unknown machine": with_machines({"machine_type": "n4-standard-9"}),
        "a class of an unknown series": with_machines({"machine_family": "n5"}),
        "a class of an unknown GPU": with_machines(
            {"machine_family": "n1", "gpu": {"type": "nvidia-tesla-t5"}}, gpu={"type": "nvidia-tesla-t5", "count": 1}
        ),
        "a class of GPUs in another number": with_machines(
            {"machine_family": "n1", "gpu": {**T4, "count": 3}}, gpu={**T4, "count": 3}
        ),
        "a class of GPUs on machines that take none": with_machines({"machine_family": "n4", "gpu": T4}, gpu=T4),
        "a class of GPUs on a machine type of others": with_machines(
            {"machine_type": "g2-standard-24", "gpu": L4}, gpu=L4
        ),
    },
    "class-capacity-exists": {
        "a class of reserved slices of no reservation": with_class(*CHAIN, {**V5E, "capacity": "reservation"}),
        "a class of spot slices of a reservation": with_class(
            {**V5E, "capacity": "spot", "reservation": {"name": "mine"}}
        ),
        "a class of flex-start machines without accelerators": with_machines(
            {"machine_family": "n4", "capacity": "flex-start"}
        ),
        "a class of slices that have no flex-start": with_class(
            {"machine_type": "ct4p-hightpu-4t", "topology": "2x2x2", "capacity": "flex-start"}
        ),
        "a class of flex-start slices that live too long": with_class(
            {**V5E, "capacity": "flex-start", "max_run_seconds": 1000000}
        ),
    },
    "zone-in-region": {
        "a class of slices in another region": with_class({**V5E, "zones": ["us-central1-a"]}),
    },
    "class-pools-are-made": {
        "a class that makes pools on a release that does not": with_class().set(
            "cluster", minimum_version="1.33.0-gke.1712000"
        ),
    },
    "version-floor": {
        "a class on a release without them": with_class({"node_pools": ["v5e"]}).set(
            "cluster", minimum_version="1.30.0-gke.1000000"
        ),
        "a class of reserved slices on a release without them": with_class(
            {**V5E, "capacity": "reservation", "reservation": {"name": "mine"}}
        )
        .set(auto_provisioning=_MADE_FOR_PODS)
        .set("cluster", minimum_version="1.31.0-gke.1000000"),
        "a class of flex-start machines on a release without them": with_machines(
            {"machine_family": "g2", "gpu": L4, "capacity": "flex-start"}, gpu=L4
        )
        .add("compute_classes", name="slices", priorities=[{**V5E, "capacity": "flex-start"}])
        .set(auto_provisioning=_MADE_FOR_PODS)
        .set("cluster", minimum_version="1.32.0-gke.1000000"),
    },
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
