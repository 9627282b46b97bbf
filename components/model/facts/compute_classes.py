"""Custom ComputeClasses of GKE: machines in the order of preference. Pods get the first that are in stock.

A pod selects a class by the node label `LABEL_COMPUTE_CLASS`. GKE tolerates the taint of the class's nodes on its
behalf, and refuses pods that select machines by other labels as well. A pool that is made by hand belongs to a class by
that label and the taint of the same key; a pool that GKE makes for a class has both.

Source: GKE documentation "About custom ComputeClasses" and the ComputeClass reference, read 2026-11; the conditions of
a class (a named pool that is not autoscaled or does not exist): the public source of GKE's cluster autoscaler,
`computeclass/conditions`, read 2026-11.
"""

from __future__ import annotations

from typing import Final, Literal

from components.model.facts import gke

Unsatisfiable = Literal["DoNotScaleUp", "ScaleUpAnyway"]
"""The outcome when no priority can bring nodes: pods wait, or get nodes of any kind."""
FLOOR: Final = "1.30.3-gke.1451000"
RESERVATION_FLOOR: Final = "1.31.1-gke.2105000"
TPU_FLOOR: Final = "1.31.2-gke.1518000"
OWN_POOLS_FLOOR: Final = "1.33.3-gke.1136000"
"""From here on GKE makes node pools for a class by itself; older clusters need node auto-provisioning as well."""
RESERVED_NAMES: Final = ("gke", "autopilot")
"""Beginnings of names that GKE keeps for its own classes."""
TAINT_EFFECT: Final = "NO_SCHEDULE"
"""As the GKE API names it."""
REFUSED_SELECTORS: Final = (
    gke.LABEL_MACHINE_FAMILY,
    "cloud.google.com/machine-type",
    gke.LABEL_SPOT,
    gke.LABEL_GPU_ACCELERATOR,
    "cloud.google.com/gke-gpu-driver-version",
    gke.LABEL_RESERVATION_NAME,
    gke.LABEL_RESERVATION_PROJECT,
    gke.LABEL_RESERVATION_AFFINITY,
    "cloud.google.com/gke-ephemeral-storage-local-ssd",
    "cloud.google.com/gke-boot-disk",
    "cloud.google.com/gke-boot-disk-size",
    "cloud.google.com/gke-node-pool-group-name",
    "cloud.google.com/gke-workload-type",
    gke.LABEL_INSTANCE_TYPE,
)
"""Node labels that a pod of a class must not select: the class decides about them."""
