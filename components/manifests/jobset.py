"""The JobSet document of a multislice workload: one Job per slice, one pod per host, each with all chips of its host.

`suspend` is never written: Kueue sets it, and whoever writes it too fights Kueue over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.model import gke, names

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan import JobSetPlan

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"
_HOST_NETWORK_DNS: Final = "ClusterFirstWithHostNet"
"""Without it a pod on its host's network does not resolve the names of the other hosts."""


class ContainerPort(TypedDict):
    """A port that a container listens on."""

    containerPort: int


class SecurityContext(TypedDict):
    """What a container may do to its host."""

    privileged: bool


class Resources(TypedDict):
    """What a container takes; requests equal limits for chips."""

    limits: dict[str, str]
    requests: dict[str, str]


class Container(TypedDict):
    """The one container of a host's pod."""

    name: str
    image: str
    command: list[str]
    ports: list[ContainerPort]
    resources: Resources
    securityContext: NotRequired[SecurityContext]


class PodSpec(TypedDict):
    """A host's pod."""

    restartPolicy: str
    nodeSelector: dict[str, str]
    priorityClassName: NotRequired[str]
    hostNetwork: NotRequired[bool]
    dnsPolicy: NotRequired[str]
    containers: list[Container]


class PodTemplate(TypedDict):
    """What pods are made from."""

    spec: PodSpec


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
            "failurePolicy": {"maxRestarts": workload.max_restarts},
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
    labels = {gke.LABEL_QUEUE_NAME: workload.queue}
    if workload.priority is not None:
        labels[gke.LABEL_WORKLOAD_PRIORITY] = workload.priority
    metadata: Metadata = {"name": workload.name, "namespace": workload.namespace, "labels": labels}
    if workload.exclusive_topology is not None:
        metadata["annotations"] = {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: workload.exclusive_topology}
    return metadata


def _job(workload: JobSetPlan) -> JobSpec:
    return {
        "parallelism": workload.hosts,
        "completions": workload.hosts,
        # A pod that fails fails its slice, and the JobSet starts all slices again: one host cannot rejoin a mesh.
        "backoffLimit": 0,
        "template": {"spec": _pod(workload)},
    }


def _pod(workload: JobSetPlan) -> PodSpec:
    pod: PodSpec = {
        "restartPolicy": "Never",
        "nodeSelector": dict(workload.node_selector),
        "containers": [_container(workload)],
    }
    if workload.priority is not None:
        pod["priorityClassName"] = workload.priority
    if workload.is_on_host_network:
        pod["hostNetwork"] = True
        pod["dnsPolicy"] = _HOST_NETWORK_DNS
    return pod


def _container(workload: JobSetPlan) -> Container:
    chips = {gke.RESOURCE_TPU: str(workload.chips_per_host)}
    container: Container = {
        "name": names.CONTAINER,
        "image": workload.image,
        "command": ["bash", "-c", workload.script],
        "ports": [{"containerPort": port} for port in workload.ports],
        "resources": {"limits": chips, "requests": dict(chips)},
    }
    if workload.is_privileged:
        container["securityContext"] = {"privileged": True}
    return container
