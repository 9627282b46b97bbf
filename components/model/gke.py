"""Names that GKE, Kueue and JobSet give meaning to, and limits of the GKE API.

One place for every label, taint and annotation key and every length limit, so that no other module spells one out.
It decides nothing: which pool gets which label is planning, which combination is refused is a rule.

Source: GKE cluster autoscaler `labels/system_labels.go`, GKE documentation "About TPUs in GKE", Kueue 0.16.2 and
JobSet 0.12.0 API packages; read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

# --- node labels and taints that GKE sets
LABEL_NODE_POOL: Final = "cloud.google.com/gke-nodepool"
LABEL_TPU_ACCELERATOR: Final = "cloud.google.com/gke-tpu-accelerator"
LABEL_TPU_TOPOLOGY: Final = "cloud.google.com/gke-tpu-topology"
LABEL_ACCELERATOR_COUNT: Final = "cloud.google.com/gke-accelerator-count"
LABEL_GPU_ACCELERATOR: Final = "cloud.google.com/gke-accelerator"
LABEL_SPOT: Final = "cloud.google.com/gke-spot"
LABEL_FLEX_START: Final = "cloud.google.com/gke-flex-start"
LABEL_PROVISIONING: Final = "cloud.google.com/gke-provisioning"
LABEL_QUEUED: Final = "cloud.google.com/gke-queued"
LABEL_RESERVATION_NAME: Final = "cloud.google.com/reservation-name"
LABEL_MACHINE_FAMILY: Final = "cloud.google.com/machine-family"
LABEL_INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
LABEL_REGION: Final = "topology.kubernetes.io/region"
LABEL_ZONE: Final = "topology.kubernetes.io/zone"
LABEL_HOSTNAME: Final = "kubernetes.io/hostname"

TAINT_TPU_KEY: Final = "google.com/tpu"
TAINT_TPU_VALUE: Final = "present"

# --- resources that nodes offer and pods ask for
RESOURCE_TPU: Final = "google.com/tpu"
RESOURCE_GPU: Final = "nvidia.com/gpu"

# --- Kueue and JobSet
LABEL_QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
"""On the Job or JobSet itself; Kueue reads it from labels only (Kueue 0.15 dropped the annotation)."""
LABEL_WORKLOAD_PRIORITY: Final = "kueue.x-k8s.io/priority-class"
"""On the Job or JobSet itself; names a WorkloadPriorityClass, not a PriorityClass."""
ANNOTATION_EXCLUSIVE_TOPOLOGY: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
LABEL_JOBSET_NAME: Final = "jobset.sigs.k8s.io/jobset-name"
LABEL_REPLICATED_JOB_REPLICAS: Final = "jobset.sigs.k8s.io/replicatedjob-replicas"

# --- ports that TPU workloads listen on
PORT_TPU_RUNTIME: Final = 8471
"""gRPC between the TPU runtimes of one slice."""
PORT_MULTISLICE: Final = 8080
"""The coordinator of a multislice job (MEGASCALE_COORDINATOR_ADDRESS)."""
PORT_WEBHOOK: Final = 9443
"""Where the webhook servers of Kueue and JobSet listen; a private cluster's control plane must be let through to it."""

# --- limits
NODE_POOL_NAME_LENGTH: Final = 40
"""Characters of a node pool name (GKE API: NodePool.name)."""
CLUSTER_NAME_LENGTH: Final = 40
"""Characters of a cluster name (GKE API: Cluster.name)."""
KUBERNETES_LABEL_LENGTH: Final = 63
"""Characters of a DNS label: pod names that carry a hostname, Service names, label values."""

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)-gke\.(\d+)")


def parse_version(text: str) -> tuple[int, int, int, int]:
    """A full GKE version such as `1.33.0-gke.1712000` as numbers that compare in the order of the releases.

    >>> parse_version("1.33.0-gke.1712000") < parse_version("1.33.10-gke.1")
    True

    Raises:
        ValueError: `text` is not of the form MAJOR.MINOR.PATCH-gke.BUILD.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a full GKE version such as 1.33.0-gke.1712000")
    major, minor, patch, build = (int(part) for part in match.groups())
    return major, minor, patch, build
