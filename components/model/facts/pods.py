"""What containers get from others, and how much time pods have to end.

It decides nothing: which value is refused is a rule.
"""

from __future__ import annotations

from typing import Final

# --- variables of containers that others set
VARIABLE_COMPLETION_INDEX: Final = "JOB_COMPLETION_INDEX"
"""Set by Kubernetes in each pod of an Indexed Job, unless the container sets it (Kubernetes 1.36,
pkg/controller/job/indexed_job_utils.go)."""
VARIABLES_OF_SLICES: Final = (
    "TPU_WORKER_ID",
    "TPU_WORKER_HOSTNAMES",
    "MEGASCALE_COORDINATOR_ADDRESS",
    "MEGASCALE_NUM_SLICES",
    "MEGASCALE_SLICE_ID",
)
"""Set by GKE in each pod of a slice, unless the container sets them (GKE documentation "About TPUs in GKE" and
"Multislice", read 2026-11)."""
VARIABLE_BYTES: Final = 128 * 1024
"""The most bytes of a variable with its name: more make the kernel refuse to start a program (Linux,
MAX_ARG_STRLEN)."""

# --- time to end
SPOT_GRACE_SECONDS: Final = 15
"""What pods get between the notice of preemption and the end of a Spot node, by default (GKE documentation "Spot VMs",
read 2026-11)."""
MAINTENANCE_GRACE_SECONDS: Final = 3600
"""What GKE waits at most for pods before maintenance of a host with TPUs or GPUs, and in an upgrade of nodes (GKE
documentation "Manage disruption to GKE nodes that don't live migrate", read 2026-11)."""
