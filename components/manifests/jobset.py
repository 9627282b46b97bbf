"""The JobSet document of a multislice workload: one Job per slice, one pod per host, each with all chips of its host.

`suspend` is never written: Kueue sets it, and a second writer would undo Kueue's changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.manifests import pods
from components.manifests.failures import failure_policy, pod_failure_policy_for, success_policy
from components.manifests.job import run_metadata, tpu_pod
from components.model import names
from components.model.facts import gke

if TYPE_CHECKING:
    from components.manifests.failures import FailurePolicy, PodFailurePolicy, SuccessPolicy
    from components.manifests.metadata import Metadata
    from components.manifests.pods import PodSpec, PodTemplate
    from components.model.plan.workloads import JobSetPlan

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"
_HOST_NETWORK_DNS: Final = "ClusterFirstWithHostNet"
"""Without it a pod on its host's network does not resolve the names of the other hosts."""


class JobSpec(TypedDict):
    """A slice's Job."""

    parallelism: int
    completions: int
    backoffLimit: int
    podFailurePolicy: NotRequired[PodFailurePolicy]
    template: PodTemplate


class JobTemplate(TypedDict):
    """What Jobs are made from."""

    spec: JobSpec


class ReplicatedJob(TypedDict):
    """Equal Jobs, one per slice."""

    name: str
    replicas: int
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
    slices: ReplicatedJob = {
        "name": names.REPLICATED_JOB,
        "replicas": workload.slices,
        "template": {"spec": _job(workload)},
    }
    spec: JobSetSpec = {"failurePolicy": failure_policy(workload), "replicatedJobs": [slices]}
    if workload.success is not None:
        spec["successPolicy"] = success_policy(workload.success)
    return {"apiVersion": API_VERSION, "kind": "JobSet", "metadata": _metadata(workload), "spec": spec}


def _metadata(workload: JobSetPlan) -> Metadata:
    metadata = run_metadata(workload)
    if workload.exclusive_topology is not None:
        exclusive = {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: workload.exclusive_topology}
        metadata["annotations"] = {**exclusive, **metadata.get("annotations", {})}
    return metadata


def _job(workload: JobSetPlan) -> JobSpec:
    spec: JobSpec = {
        "parallelism": workload.hosts,
        "completions": workload.hosts,
        # A pod that fails fails its slice, and the JobSet starts all slices again: one host cannot rejoin a mesh.
        "backoffLimit": 0,
        "template": pods.template(_pod(workload), workload.pod),
    }
    policy = pod_failure_policy_for(workload.failure_rules, names.REPLICATED_JOB)
    if policy is not None:
        spec["podFailurePolicy"] = policy
    return spec


def _pod(workload: JobSetPlan) -> PodSpec:
    pod = tpu_pod(workload, restart_policy="Never")
    if workload.is_on_host_network:
        pod["hostNetwork"] = True
        pod["dnsPolicy"] = _HOST_NETWORK_DNS
    return pod
