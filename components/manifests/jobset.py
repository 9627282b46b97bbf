"""The JobSet document of a multislice workload: one Job per slice, one pod per host, each with all chips of its host.

`suspend` is never written: Kueue sets it, and a second writer would undo Kueue's changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.manifests import pods
from components.manifests.job import run_metadata, tpu_pod
from components.model import names
from components.model.facts import gke

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.manifests.pods import PodSpec, PodTemplate
    from components.model.plan.workloads import JobSetPlan

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"
HOST_NETWORK_DNS: Final = "ClusterFirstWithHostNet"
"""Without it a pod on its host's network does not resolve the names of the other hosts."""


class JobSpec(TypedDict):
    """A slice's Job."""

    parallelism: int
    completions: int
    backoffLimit: int
    template: PodTemplate


class JobTemplate(TypedDict):
    """What Jobs are made from."""

    spec: JobSpec


class ReplicatedJob(TypedDict):
    """Equal Jobs, one per slice."""

    name: str
    replicas: int
    template: JobTemplate


class FailurePolicy(TypedDict):
    """How often all Jobs start again when one fails."""

    maxRestarts: int
    restartStrategy: NotRequired[str]


class JobSetSpec(TypedDict):
    """The Jobs of a run."""

    failurePolicy: FailurePolicy
    replicatedJobs: list[ReplicatedJob]


class JobSet(TypedDict):
    """A run over several slices."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: JobSetSpec


def jobset(workload: JobSetPlan) -> JobSet:
    """The workload's document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "JobSet",
        "metadata": _metadata(workload),
        "spec": {
            "failurePolicy": _failure_policy(workload),
            "replicatedJobs": [
                {
                    "name": names.REPLICATED_JOB,
                    "replicas": workload.slices,
                    "template": {"spec": _job(workload)},
                }
            ],
        },
    }


def _metadata(workload: JobSetPlan) -> Metadata:
    metadata = run_metadata(workload)
    if workload.exclusive_topology is not None:
        exclusive = {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: workload.exclusive_topology}
        metadata["annotations"] = {**exclusive, **metadata.get("annotations", {})}
    return metadata


def _failure_policy(workload: JobSetPlan) -> FailurePolicy:
    policy: FailurePolicy = {"maxRestarts": workload.max_restarts}
    if workload.restart_strategy is not None:
        policy["restartStrategy"] = workload.restart_strategy
    return policy


def _job(workload: JobSetPlan) -> JobSpec:
    return {
        "parallelism": workload.hosts,
        "completions": workload.hosts,
        # A pod that fails fails its slice, and the JobSet starts all slices again: one host cannot rejoin a mesh.
        "backoffLimit": 0,
        "template": pods.template(_pod(workload), workload.pod),
    }


def _pod(workload: JobSetPlan) -> PodSpec:
    pod = tpu_pod(workload, restart_policy="Never")
    if workload.is_on_host_network:
        pod["hostNetwork"] = True
        pod["dnsPolicy"] = HOST_NETWORK_DNS
    return pod
