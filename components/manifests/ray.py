"""The RayJob document of a Ray workload: a cluster for it alone, with one worker per host of its slices.

Workers request chips and nothing else, so that Kueue gives them nodes by the flavor of their slices alone. `suspend` is
never written: Kueue sets it. GKE's Ray operator tells each worker its place in the slice.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from components.manifests import pods
from components.manifests.job import run_metadata
from components.model.facts import gke, ray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.manifests.metadata import Manifest
    from components.model.plan.workloads import RayPlan

API_VERSION: Final = "ray.io/v1"
_PORTS: Final = (ray.PORT_GCS, ray.PORT_DASHBOARD, ray.PORT_CLIENT)


def ray_job(workload: RayPlan) -> Manifest:
    """The workload's document; its cluster is deleted at the end of the program, which gives the quota back."""
    cluster: Manifest = {
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
    spec: Manifest = {
        "entrypoint": "" if workload.command is None else shlex.join(workload.command),
        "shutdownAfterJobFinishes": True,
        "backoffLimit": workload.max_restarts,
        "rayClusterSpec": cluster,
    }
    return {"apiVersion": API_VERSION, "kind": "RayJob", "metadata": run_metadata(workload), "spec": spec}


def _head(workload: RayPlan) -> Manifest:
    container: Manifest = {
        "name": ray.HEAD_CONTAINER,
        "image": workload.image,
        "ports": [{"containerPort": port} for port in _PORTS],
    }
    pod: Manifest = {"containers": [container]}
    pods.apply(pod, workload.head.pod)
    return _selecting(workload, pod, workload.head.node_selector)


def _worker(workload: RayPlan) -> Manifest:
    """The pod of a host, as root, who may use the chips in images whose user may not."""
    container: Manifest = {
        "name": ray.WORKER_CONTAINER,
        "image": workload.image,
        "securityContext": {"runAsUser": 0},
    }
    pod: Manifest = {"containers": [container]}
    pods.apply(pod, workload.pod, {gke.RESOURCE_TPU: str(workload.chips_per_host)})
    return _selecting(workload, pod, workload.node_selector)


def _selecting(workload: RayPlan, pod: Manifest, nodes: Mapping[str, str]) -> Manifest:
    if nodes:
        pod["nodeSelector"] = dict(nodes)
    if workload.priority is not None:
        pod["priorityClassName"] = workload.priority
    return pod
