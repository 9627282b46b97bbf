"""The Job that a team submits: equal pods that sleep, each with its GPUs, deleted a minute after their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from components.manifests.job import batch_job, run_metadata
from components.model.facts import gke
from components.model.facts.quantities import parse
from components.model.places import Place
from components.model.plan.pods import PodPlan
from components.model.plan.workloads import BatchJobPlan

if TYPE_CHECKING:
    from kubeapi import Document
    from operations.stream.teams import Team

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
    """The Job of one submission; the API server chooses the end of its name, Kueue when it starts.

    It is the platform's own batch Job except for three things: a TTL, no name, and nothing that is meant for an engine.
    """
    run = _run(team, shape)
    declared, named = batch_job(run), run_metadata(run)
    metadata: Document = {**named, "generateName": f"{run.name}-"}
    del metadata["name"]
    return {
        **declared,
        "metadata": metadata,
        "spec": {**declared["spec"], "ttlSecondsAfterFinished": _TTL_SECONDS},
    }


def _run(team: Team, shape: Shape) -> BatchJobPlan:
    requests, selector = {name: parse(amount) for name, amount in _EACH.items()}, dict[str, str]()
    if shape.gpus:
        requests[gke.RESOURCE_GPU] = parse(str(shape.gpus))
        selector[gke.LABEL_GPU_ACCELERATOR] = shape.accelerator
    return BatchJobPlan(
        place=Place(),
        name=f"sample-job-{team.name}",
        namespace=team.name,
        queue=team.queue,
        priority=None,
        image=_IMAGE,
        command=None,
        args=(f"{shape.seconds}s",),
        pod=PodPlan(requests=requests),
        pods=team.pods,
        node_selector=selector,
        redis=None,
        user=None,
        restart_policy="Never",
        is_awaited=False,
    )
