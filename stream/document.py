"""The Job that a team submits: equal pods that sleep, each with its GPUs, deleted a minute after their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from components.model import gke

if TYPE_CHECKING:
    from kubeapi import Document
    from stream.teams import Team

_IMAGE: Final = "gcr.io/k8s-staging-perf-tests/sleep:v0.1.0"
"""Its argument is how long it sleeps. Kueue's own samples use it."""
_TTL_SECONDS: Final = 60
_EACH: Final = {"cpu": "500m", "memory": "512Mi", "ephemeral-storage": "512Mi"}
"""What a pod takes beside its GPUs."""


class Shape(NamedTuple):
    """What the pods of every team have in common."""

    seconds: int = 10
    """How long a pod sleeps."""
    gpus: int = 1
    """Of one pod; with 0 it runs on any node."""
    accelerator: str = "nvidia-tesla-t4"
    """The GPU, as GKE's node label names it."""


def job(team: Team, shape: Shape) -> Document:
    """The Job of one submission; the API server chooses the end of its name, Kueue when it starts."""
    resources, selector = dict(_EACH), dict[str, str]()
    if shape.gpus:
        resources[gke.RESOURCE_GPU] = str(shape.gpus)
        selector[gke.LABEL_GPU_ACCELERATOR] = shape.accelerator
    container = {
        "name": "sleep",
        "image": _IMAGE,
        "args": [f"{shape.seconds}s"],
        "resources": {"requests": resources, "limits": dict(resources)},
    }
    pod = {"restartPolicy": "Never", "nodeSelector": selector, "containers": [container]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "generateName": f"sample-job-{team.name}-",
            "namespace": team.name,
            "labels": {gke.LABEL_QUEUE_NAME: team.queue},
        },
        "spec": {
            "parallelism": team.pods,
            "completions": team.pods,
            "ttlSecondsAfterFinished": _TTL_SECONDS,
            "template": {"spec": pod},
        },
    }
