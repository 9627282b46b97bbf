"""What containers get from others, how much time pods have to end, and which of their labels have other owners.

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
"""Seconds between the notice of preemption and the end of a Spot node, by default (GKE documentation "Spot VMs",
read 2026-11)."""
MAINTENANCE_GRACE_SECONDS: Final = 3600
"""What GKE waits at most for pods before maintenance of a host with TPUs or GPUs, and in an upgrade of nodes (GKE
documentation "Manage disruption to GKE nodes that don't live migrate", read 2026-11)."""

# --- Secrets that pull images
PULL_SECRET_KEY: Final = ".dockerconfigjson"  # noqa: S105  a key
"""The one key of a Secret with which nodes pull images."""
PULL_SECRET_TYPE: Final = "kubernetes.io/dockerconfigjson"  # noqa: S105  a type
"""The type of that Secret, without which the kubelet does not pull with it (Kubernetes documentation "Secrets", read
2026-11)."""

# --- labels and annotations
_OWNERS: Final = {
    "kueue.x-k8s.io": "Kueue",
    "jobset.sigs.k8s.io": "JobSet",
    "batch.kubernetes.io": "Kubernetes",
    "pulumi.com": "Pulumi",
}
"""Domains of labels and annotations, and those of names below them, whose owners read or write them on workloads."""
_LABELS_OF_JOBS: Final = ("job-name", "controller-uid")


def owner_of(key: str) -> str | None:
    """Who reads or writes a label or annotation on workloads; None where it is the user's.

    >>> owner_of("alpha.jobset.sigs.k8s.io/exclusive-topology"), owner_of("job-name"), owner_of("example.com/team")
    ('JobSet', 'Kubernetes', None)
    """
    if key in _LABELS_OF_JOBS:
        return "Kubernetes"
    domain, slash, _ = key.rpartition("/")
    owned = (who for end, who in _OWNERS.items() if slash and (domain == end or domain.endswith(f".{end}")))
    return next(owned, None)
