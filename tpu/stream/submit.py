"""One Job per team at a time, at even intervals: equal pods that sleep, each with its GPUs.

Kubernetes deletes a Job a minute after its end.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from components.manifests.job import batch_job, run_metadata
from components.model.facts import gke
from components.model.facts.quantities import parse
from components.model.findings import counted
from components.model.places import Place
from components.model.plan.pods import PodPlan
from components.model.plan.workloads import BatchJobPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from components.kubeapi import Api, Document
    from tpu.stream.teams import Team

_IMAGE: Final = "gcr.io/k8s-staging-perf-tests/sleep:v0.1.0"
"""Its argument is how long it sleeps. Kueue's own samples use it."""
_TTL_SECONDS: Final = 60
_EACH: Final = {"cpu": "500m", "memory": "512Mi", "ephemeral-storage": "512Mi"}
"""The requests of a pod beside its GPUs."""


class Shape(NamedTuple):
    """The settings of the pods of all teams."""

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


class Stream:
    """Submits the Jobs of some teams and counts them."""

    def __init__(self, api: Api, teams: Sequence[Team], shape: Shape, report: Callable[[str], None]) -> None:
        """`report` is called with a line about each Job."""
        self.submitted: Counter[str] = Counter()
        """Jobs so far, by team."""
        self._api = api
        self._teams = teams
        self._shape = shape
        self._report = report

    def run(self, *, interval: float, count: int | None, wait: Callable[[float], bool]) -> None:
        """Submit one Job per team every `interval` seconds.

        Args:
            interval: seconds from the beginning of one round to that of the next.
            count: rounds; None goes on until `wait` says that it is enough.
            wait: waits so many seconds; True ends the stream.

        Raises:
            kubeapi.ApiError, kubeapi.UnreachableError: a Job was not taken; those before it were.
        """
        start, rounds = time.monotonic(), 0
        while True:
            for team in self._teams:
                self._submit(team)
            rounds += 1
            if rounds == count or wait(start + rounds * interval - time.monotonic()):
                return

    def summary(self) -> str:
        """What was submitted, in one line."""
        by_team = ", ".join(f"{count} of {team}" for team, count in self.submitted.items())
        return ": ".join(filter(None, (f"submitted {counted(self.submitted.total(), 'Job')}", by_team)))

    def _submit(self, team: Team) -> None:
        made = self._api.create(f"/apis/batch/v1/namespaces/{team.name}/jobs", job(team, self._shape))
        self.submitted[team.name] += 1
        gpus = team.pods * self._shape.gpus
        asked = f"{counted(team.pods, 'pod')}, {counted(gpus, 'GPU')}"
        self._report(f"{team.name}/{made['metadata']['name']} in {team.queue}: {asked}")
