"""Pods beside slices, of replicated jobs and heads: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.model.catalogue.disk import DISK
from tests.model.catalogue.head import pathways, ray
from tests.stacks import Stack, a_platform, in_existing_cluster

_WRITTEN = {"claim": "model", "path": "/model"}
_DATA = {"name": "data", "image": "registry.example/data:1.0"}
_OTHER = {"name": "logger", "image": "registry.example/logger:1.0"}
_POOL = {"machine_type": "c3-standard-44"}


def _beside(**keys: object) -> Stack:
    """The small platform with a replicated job beside its slices, which no queue holds back."""
    job = {**_DATA, **keys}
    stack = a_platform().set(controllers={"kueue": {"install": False}}, queues=[], priorities=[])
    return (
        stack.drop("workloads", 0, "queue").drop("workloads", 0, "priority").set("workloads", 0, replicated_jobs=[job])
    )


def _led(stack: Stack, **disk: object) -> Stack:
    """With a disk for its head, on nodes that can attach it."""
    return stack.set(disks=[{**DISK, **disk}]).set("node_pools", 1, **_POOL)


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "a profile beside slices on a version from before the profiles": (
        _beside(mounts=[{"bucket": "data", "path": "/data", "profile": "training"}])
        .set(buckets=[{"name": "data", "location": "us-west4"}])
        .set("cluster", minimum_version="1.32.2-gke.1297000"),
        ["version-floor: cluster.minimum_version"],
    ),
    "a bucket beside slices that is not declared": (
        _beside(mounts=[{"bucket": "data", "path": "/data"}]),
        ["mounted-bucket-is-declared: workloads[0].replicated_jobs[0].mounts[0].bucket"],
    ),
    "a secret of Secret Manager beside slices on a version from before the add-on": (
        _beside(mounts=[{"secret_manager": "hf-token", "path": "/secrets"}])
        .set("workloads", 0, privileged=True)
        .set("cluster", minimum_version="1.27.9-gke.1092000"),
        ["version-floor: cluster.minimum_version"],
    ),
    "checkpoints beside slices": (
        _beside(mounts=[{"checkpoints": True, "path": "/checkpoints"}]),
        ["checkpoints-are-set-up: workloads[0].replicated_jobs[0].mounts[0].checkpoints"],
    ),
    "a disk that slices and a pod beside them write": (
        _beside(mounts=[_WRITTEN])
        .set(disks=[DISK])
        .set("node_pools", 0, **_POOL)
        .set("workloads", 0, mounts=[_WRITTEN], slices=1),
        [
            "written-disk-is-on-one-node: workloads[0].mounts[0].claim",
            "written-disk-is-on-one-node: workloads[0].replicated_jobs[0].mounts[0].claim",
        ],
    ),
    "a disk that the head of a Ray cluster and its workers write": (
        _led(ray(mounts=[_WRITTEN])),
        ["written-disk-is-on-one-node: workloads[0].mounts[0].claim"],
    ),
    "a disk that nodes of the pool of a head cannot attach": (
        _led(pathways(head={"pool": "heads"}, mounts=[_WRITTEN])).set("node_pools", 1, machine_type="n2-standard-64"),
        ["disk-is-attachable: workloads[0].mounts[0].claim"],
    ),
    "half a byte for the head of a Ray cluster": (
        ray(head={"resources": {"cpu": "4", "memory": "512m"}}),
        ["bytes-are-many: workloads[0].head.resources.memory"],
    ),
    "half a byte for the proxy of Pathways": (
        pathways(head={"proxy": {"cpu": "4", "memory": "512m"}}),
        ["bytes-are-many: workloads[0].head.proxy.memory"],
    ),
    "a sidecar with the name of a container of Pathways": (
        pathways(sidecars=[{**_OTHER, "name": "pathways-rm"}]),
        ["containers-differ: workloads[0].sidecars[0].name"],
    ),
    "a sidecar with the name of a container of Ray": (
        ray(sidecars=[{**_OTHER, "name": "ray-worker"}]),
        ["containers-differ: workloads[0].sidecars[0].name"],
    ),
    "roles that do not reach a program on the network of its node": (
        pathways(service_account="trainer").set(
            service_accounts=[{"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}]
        ),
        ["identity-reaches-pods: workloads[0].service_account"],
    ),
    "more than a host has for a worker of Ray": (
        ray(resources={"cpu": "200"})
        .set("flavors", 1, labels={})
        .set("queues", 0, "flavors", 1, resources={"cpu": "1000", "memory": "20Gi"}),
        ["requests-fit-the-host: workloads[0].resources.cpu"],
    ),
}
SOUND: dict[str, Stack] = {
    "a claim of somebody else in a cluster that exists": in_existing_cluster().set(
        "workloads", 0, mounts=[{"claim": "datasets", "path": "/data"}]
    ),
    "a disk that the head of Pathways writes": _led(pathways(mounts=[_WRITTEN])),
    "a disk that a pod beside slices writes": _beside(mounts=[_WRITTEN])
    .set(disks=[DISK])
    .set("node_pools", 0, **_POOL),
    "a variable of hosts in the program of Pathways": pathways(env={"TPU_WORKER_ID": "0"}),
    "a sidecar beside the program of Pathways": pathways(sidecars=[_OTHER]),
}
