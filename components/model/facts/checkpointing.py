"""Multi-tier checkpointing of GKE: checkpoints in the memory of the hosts of slices, copied to a bucket.

Sources, read 2026-11: GKE documentation "Train large-scale machine learning models on GKE with Multi-Tier
Checkpointing" (floor, not on Autopilot, Cloud Storage FUSE and Workload Identity beside it); AI-Hypercomputer/xpk,
src/xpk/core/mtc.py and templates/mtc-cpc.yaml (the configuration, its driver's service account and role). The service
account is in the namespace gke-managed-checkpointing.
"""

from __future__ import annotations

from typing import Final

DRIVER: Final = "multitier-checkpoint.csi.storage.gke.io"
FLOOR: Final = "1.32.4-gke.1415000"
API_VERSION: Final = "checkpointing.gke.io/v1"
KIND: Final = "CheckpointConfiguration"
"""An object without a namespace (GoogleCloudPlatform/ml-auto-solutions, which makes it as a cluster's own object)."""
NAMESPACE: Final = "gke-managed-checkpointing"
SERVICE_ACCOUNT: Final = "gke-checkpointing-multitier-node"
"""As whom the driver copies checkpoints to the bucket."""
