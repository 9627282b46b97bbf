"""The RayJob document of a Ray workload: a cluster for it alone, with one worker per host of its slices.

Workers request chips and nothing else, so that Kueue gives them nodes by the flavor of their slices alone. `suspend` is
never written: Kueue sets it. GKE's Ray operator tells each worker its place in the slice.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.manifests import pods
from components.manifests.job import run_metadata
from components.model.facts import gke, ray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.manifests.metadata import Metadata
    from components.manifests.pods import Container, PodSpec, PodTemplate
    from components.model.plan.workloads import RayPlan

API_VERSION: Final = "ray.io/v1"
_PORTS: Final = (ray.PORT_GCS, ray.PORT_DASHBOARD, ray.PORT_CLIENT)


class HeadGroup(TypedDict):
    """The head of a Ray cluster."""

    rayStartParams: dict[str, str]
    template: PodTemplate


class WorkerGroup(TypedDict):
    """Equal slices of a Ray cluster."""

    groupName: str
    replicas: int
    minReplicas: int
    maxReplicas: int
    numOfHosts: int
    rayStartParams: dict[str, str]
    template: PodTemplate


class RayClusterSpec(TypedDict):
    """The cluster of a RayJob."""

    rayVersion: NotRequired[str]
    headGroupSpec: HeadGroup
    workerGroupSpecs: list[WorkerGroup]


class RayJobSpec(TypedDict):
    """A program, and the cluster that is made for it."""

    entrypoint: str
    shutdownAfterJobFinishes: bool
    backoffLimit: int
    rayClusterSpec: RayClusterSpec


class RayJob(TypedDict):
    """A Ray program that runs to completion."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: RayJobSpec


def ray_job(workload: RayPlan) -> RayJob:
    """The workload's document; its cluster is deleted at the end of the program, which gives the quota back."""
    cluster: RayClusterSpec = {
        "headGroupSpec": {"rayStartParams": {}, "template": pods.template(_head(workload), workload.pod)},
        "workerGroupSpecs": [
            {
                "groupName": ray.WORKER_GROUP,
                "replicas": workload.slices,
                "minReplicas": workload.slices,
                "maxReplicas": workload.slices,
                "numOfHosts": workload.hosts,
                "rayStartParams": {},
                "template": pods.template(_worker(workload), workload.pod),
            }
        ],
    }
    if workload.ray_version is not None:
        cluster["rayVersion"] = workload.ray_version
    spec: RayJobSpec = {
        "entrypoint": "" if workload.command is None else shlex.join(workload.command),
        "shutdownAfterJobFinishes": True,
        "backoffLimit": workload.max_restarts,
        "rayClusterSpec": cluster,
    }
    return {"apiVersion": API_VERSION, "kind": "RayJob", "metadata": run_metadata(workload), "spec": spec}


def _head(workload: RayPlan) -> PodSpec:
    container: Container = {
        "name": ray.HEAD_CONTAINER,
        "image": workload.image,
        "ports": [{"containerPort": port} for port in _PORTS],
    }
    pod: PodSpec = {"containers": [container]}
    pods.apply(pod, workload.head.pod)
    return _selecting(workload, pod, workload.head.node_selector)


def _worker(workload: RayPlan) -> PodSpec:
    """The pod of a host, as root, who may use the chips in images whose user may not."""
    container: Container = {
        "name": ray.WORKER_CONTAINER,
        "image": workload.image,
        "securityContext": {"runAsUser": 0},
    }
    pod: PodSpec = {"containers": [container]}
    pods.apply(pod, workload.pod, {gke.RESOURCE_TPU: str(workload.chips_per_host)})
    return _selecting(workload, pod, workload.node_selector)


def _selecting(workload: RayPlan, pod: PodSpec, nodes: Mapping[str, str]) -> PodSpec:
    if nodes:
        pod["nodeSelector"] = dict(nodes)
    if workload.priority is not None:
        pod["priorityClassName"] = workload.priority
    return pod
