"""The JobSet document of a multislice workload: one Job per slice, one pod per host, each with all chips of its host.

`suspend` is never written: Kueue sets it, and a second writer would undo Kueue's changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.manifests import pods
from components.manifests.failures import failure_policy, pod_failure_policy_for, success_policy
from components.manifests.job import plain_pod, run_metadata, tpu_pod
from components.model import names
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.manifests.failures import FailurePolicy, PodFailurePolicy, SuccessPolicy
    from components.manifests.metadata import Metadata, TemplateMetadata
    from components.manifests.pods import PodTemplate
    from components.model.plan.workloads import DependencyPlan, JobSetPlan, ReplicatedJobPlan

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"


class JobSpec(TypedDict):
    """A slice's Job."""

    parallelism: int
    completions: int
    backoffLimit: int
    podFailurePolicy: NotRequired[PodFailurePolicy]
    template: PodTemplate


class JobTemplate(TypedDict):
    """What Jobs are made from."""

    metadata: NotRequired[TemplateMetadata]
    spec: JobSpec


class DependsOn(TypedDict):
    """A replicated job that another one waits for."""

    name: str
    status: str


class ReplicatedJob(TypedDict):
    """Equal Jobs, one per slice."""

    name: str
    replicas: int
    dependsOn: NotRequired[list[DependsOn]]
    template: JobTemplate


class JobSetSpec(TypedDict):
    """The Jobs of a run."""

    failurePolicy: FailurePolicy
    successPolicy: NotRequired[SuccessPolicy]
    replicatedJobs: list[ReplicatedJob]


class JobSet(TypedDict):
    """A run over several slices."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: JobSetSpec


def jobset(workload: JobSetPlan) -> JobSet:
    """The workload's document."""
    jobs = {each.name: _replicated_job(workload, each) for each in workload.replicated_jobs}
    jobs[names.REPLICATED_JOB] = _slices(workload)
    spec: JobSetSpec = {
        "failurePolicy": failure_policy(workload),
        "replicatedJobs": [jobs[name] for name in workload.starts],
    }
    if workload.success is not None:
        spec["successPolicy"] = success_policy(workload.success)
    return {"apiVersion": API_VERSION, "kind": "JobSet", "metadata": _metadata(workload), "spec": spec}


def _metadata(workload: JobSetPlan) -> Metadata:
    metadata = run_metadata(workload)
    exclusive = {} if workload.replicated_jobs else _exclusive(workload)
    if exclusive:
        metadata["annotations"] = {**exclusive, **metadata.get("annotations", {})}
    return metadata


def _exclusive(workload: JobSetPlan) -> dict[str, str]:
    """The annotation by which a slice has a node pool to itself.

    Of the JobSet it is about all of its Jobs; beside others it is an annotation of the Jobs of its slices.
    """
    return (
        {} if workload.exclusive_topology is None else {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: workload.exclusive_topology}
    )


def _slices(workload: JobSetPlan) -> ReplicatedJob:
    template: JobTemplate = {"spec": _job(workload)}
    exclusive = _exclusive(workload) if workload.replicated_jobs else {}
    if exclusive:
        template = {"metadata": {"annotations": exclusive}, **template}
    slices: ReplicatedJob = {"name": names.REPLICATED_JOB, "replicas": workload.slices, "template": template}
    if workload.depends_on:
        slices["dependsOn"] = _dependencies(workload.depends_on)
    return slices


def _replicated_job(workload: JobSetPlan, job: ReplicatedJobPlan) -> ReplicatedJob:
    pod = plain_pod(job, restart_policy="Never")
    count = job.pods // job.replicas
    spec: JobSpec = {
        "parallelism": count,
        "completions": count,
        "backoffLimit": job.backoff_limit,
        "template": pods.template(pod, job.pod),
    }
    policy = pod_failure_policy_for(workload.failure_rules, job.name)
    if policy is not None:
        spec["podFailurePolicy"] = policy
    written: ReplicatedJob = {"name": job.name, "replicas": job.replicas, "template": {"spec": spec}}
    if job.depends_on:
        written["dependsOn"] = _dependencies(job.depends_on)
    return written


def _dependencies(waits: Sequence[DependencyPlan]) -> list[DependsOn]:
    return [{"name": each.name, "status": each.status} for each in waits]


def _job(workload: JobSetPlan) -> JobSpec:
    spec: JobSpec = {
        "parallelism": workload.hosts,
        "completions": workload.hosts,
        # A pod that fails fails its slice, and the JobSet starts all slices again: one host cannot rejoin a mesh.
        "backoffLimit": 0,
        "template": pods.template(tpu_pod(workload, restart_policy="Never"), workload.pod),
    }
    policy = pod_failure_policy_for(workload.failure_rules, names.REPLICATED_JOB)
    if policy is not None:
        spec["podFailurePolicy"] = policy
    return spec
