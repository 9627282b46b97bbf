"""The plan of the replicated jobs beside the slices of a JobSet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.plan.workloads import DependencyPlan, ReplicatedJobPlan
from components.model.planning.failures import listed
from components.model.planning.pods import called, command, pod_plan

if TYPE_CHECKING:
    from components.model import config
    from components.model.places import Place


def replicated_jobs(workload: config.JobSet, place: Place) -> tuple[ReplicatedJobPlan, ...]:
    """The replicated jobs of the workload at the place, without its slices."""
    return tuple(
        _replicated_job(workload, each, place.at("replicated_jobs", index))
        for index, each in enumerate(workload.replicated_jobs)
    )


def _replicated_job(workload: config.JobSet, job: config.ReplicatedJob, place: Place) -> ReplicatedJobPlan:
    own = called(place, job.script)
    return ReplicatedJobPlan(
        place=own,
        name=job.name,
        namespace=workload.namespace,
        queue=workload.queue,
        priority=workload.priority,
        image=job.image,
        command=command(job.script, job.command),
        args=job.args,
        pod=pod_plan(job, own),
        replicas=job.replicas,
        pods=job.replicas * job.pods,
        depends_on=dependencies(job.depends_on, place),
        backoff_limit=job.backoff_limit,
        node_selector={},
    )


def dependencies(stated: tuple[config.DependsOn, ...] | None, place: Place) -> tuple[DependencyPlan, ...]:
    """What the replicated job at the place waits for."""
    return tuple(
        DependencyPlan(place=place.at("depends_on", index), name=each.name, status=each.status)
        for index, each in enumerate(listed(stated))
    )
