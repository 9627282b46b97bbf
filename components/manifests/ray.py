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
        "headGroupSpec": {"rayStartParams": {}, "template": {"spec": _head(workload)}},
        "workerGroupSpecs": [
            {
                "groupName": ray.WORKER_GROUP,
                "replicas": workload.slices,
                "minReplicas": workload.slices,
                "maxReplicas": workload.slices,
                "numOfHosts": workload.hosts,
                "rayStartParams": {},
                "template": {"spec": _worker(workload)},
            }
        ],
    }
    if workload.ray_version is not None:
        cluster["rayVersion"] = workload.ray_version
    spec: RayJobSpec = {
        "entrypoint": shlex.join(workload.command or ()),
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
        "resources": pods.resources(workload.head.resources),
    }
    pod: PodSpec = {"containers": [container]}
    if workload.head.node_selector:
        pod["nodeSelector"] = dict(workload.head.node_selector)
    return _prioritized(workload, pod)


def _worker(workload: RayPlan) -> PodSpec:
    container: Container = {
        "name": ray.WORKER_CONTAINER,
        "image": workload.image,
        "resources": pods.resources({gke.RESOURCE_TPU: str(workload.chips_per_host)}),
    }
    if workload.is_privileged:
        container["securityContext"] = {"privileged": True}
    pod: PodSpec = {"containers": [container]}
    if workload.node_selector:
        pod["nodeSelector"] = dict(workload.node_selector)
    return _prioritized(workload, pod)


def _prioritized(workload: RayPlan, pod: PodSpec) -> PodSpec:
    if workload.priority is not None:
        pod["priorityClassName"] = workload.priority
    return pod
