"""Facts of KubeRay and of GKE's Ray operator: names, and the pod that submits a RayJob's program.

Sources: KubeRay 1.6.2, ray-operator/controllers/ray/utils/constant.go and common/job.go; Kueue 0.19.2,
pkg/controller/jobs/rayjob; GKE documentation "Enable the Ray operator on GKE", read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

JOB_NAME_LENGTH: Final = 47
"""The longest name of a RayJob: KubeRay appends 6 characters for the cluster, and `-serve-svc` for a Service."""
HEAD_GROUP: Final = "head"
"""The name of the head's pods in Kueue's Workload, which no group of workers may have."""
LABEL_MADE_FOR: Final = "ray.io/originated-from-cr-name"
"""On pods: the RayJob or other object whose cluster they are of, or whose program they submit."""
LABEL_MADE_FOR_KIND: Final = "ray.io/originated-from-crd"
"""On pods: the kind of that object."""

SUBMITTER_REQUESTS: Final[Mapping[str, str]] = {"cpu": "500m", "memory": "200Mi"}
"""Requests of the pod that KubeRay makes to submit the program; Kueue counts it as one of the RayJob's pods."""
FRAMEWORKS: Final = ("ray.io/rayjob", "ray.io/raycluster")
"""Kueue's names of the kinds of Ray that it manages."""
