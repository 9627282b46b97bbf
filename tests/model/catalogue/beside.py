"""Pods beside slices, of replicated jobs and heads: broken stacks by the rules that find them, and sound ones."""

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


BROKEN: dict[str, dict[str, Stack]] = {
    "version-floor": {
        "a profile beside slices on a version from before the profiles": _beside(
            mounts=[{"bucket": "data", "path": "/data", "profile": "training"}]
        )
        .set(buckets=[{"name": "data", "location": "us-west4"}])
        .set("cluster", minimum_version="1.32.2-gke.1297000"),
        "a secret of Secret Manager beside slices on a version from before the add-on": _beside(
            mounts=[{"secret_manager": "hf-token", "path": "/secrets"}]
        )
        .set("workloads", 0, privileged=True)
        .set("cluster", minimum_version="1.27.9-gke.1092000"),
    },
    "mounted-bucket-is-declared": {
        "a bucket beside slices that is not declared": _beside(mounts=[{"bucket": "data", "path": "/data"}]),
    },
    "checkpoints-are-set-up": {
        "checkpoints beside slices": _beside(mounts=[{"checkpoints": True, "path": "/checkpoints"}]),
    },
    "written-disk-is-on-one-node": {
        "a disk that slices and a pod beside them write": _beside(mounts=[_WRITTEN])
        .set(disks=[DISK])
        .set("node_pools", 0, **_POOL)
        .set("workloads", 0, mounts=[_WRITTEN], slices=1),
        "a disk that the head of a Ray cluster and its workers write": _led(ray(mounts=[_WRITTEN])),
    },
    "disk-is-attachable": {
        "a disk that nodes of the pool of a head cannot attach": _led(
            pathways(head={"pool": "heads"}, mounts=[_WRITTEN])
        ).set("node_pools", 1, machine_type="n2-standard-64"),
    },
    "bytes-are-many": {
        "half a byte for the head of a Ray cluster": ray(head={"resources": {"cpu": "4", "memory": "512m"}}),
        "half a byte for the proxy of Pathways": pathways(head={"proxy": {"cpu": "4", "memory": "512m"}}),
    },
    "containers-differ": {
        "a sidecar with the name of a container of Pathways": pathways(sidecars=[{**_OTHER, "name": "pathways-rm"}]),
        "a sidecar with the name of a container of Ray": ray(sidecars=[{**_OTHER, "name": "ray-worker"}]),
    },
    "identity-reaches-pods": {
        "roles that do not reach a program on the network of its node": pathways(service_account="trainer").set(
            service_accounts=[{"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}]
        ),
    },
    "requests-fit-the-host": {
        "more than a host has for a worker of Ray": ray(resources={"cpu": "200"})
        .set("flavors", 1, labels={})
        .set("queues", 0, "flavors", 1, resources={"cpu": "1000", "memory": "20Gi"}),
    },
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
