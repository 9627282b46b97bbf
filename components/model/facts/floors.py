"""The first GKE version of each feature.

A feature is left out if no source states its version. `tpu_catalogue.py` has the versions of TPU generations.

Source: GKE documentation "About flex-start", "TPU multislice" and "Deploy TPUs on Autopilot", Cloud TPU
documentation, "Cluster autoscaler" for ProvisioningRequests, and Secret Manager documentation "Use the Secret Manager
add-on", read 2026-11.
"""

from __future__ import annotations

from typing import Final

FLEX_START_TPU: Final = "1.33.0-gke.1712000"
FLEX_START_GPU: Final = "1.32.2-gke.1652000"
QUEUED_PROVISIONING: Final = "1.28.3-gke.1098000"
ADDON_FOR_SECRETS: Final = "1.27.14-gke.1042001"
MULTISLICE_STANDARD: Final = "1.27.4-gke.900"
MULTISLICE_AUTOPILOT: Final = "1.29.2-gke.1521000"
UNPRIVILEGED_TPU: Final = "1.28.7-gke.1020000"
"""Nodes of older versions give chips to privileged containers alone.

Source: GKE documentation "Deploy TPU workloads in GKE Standard" (privileged mode), not checked against the page.
"""
RAY_OPERATOR: Final = "1.30.0-gke.1747000"
"""Source: GKE documentation "Enable the Ray operator on GKE", read 2026-11."""
AUTOPILOT_TPU_ADVISED: Final = "1.32.3-gke.1927000"
"""The version that the page about TPUs on Autopilot asks for now; older ones are known to have worked."""
