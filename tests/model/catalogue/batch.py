"""Batch jobs and Redis: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_QUOTA = {"cpu": "10", "memory": "10Gi", "nvidia.com/gpu": "10"}
_SHARE = {
    "name": "share",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 1024,
    "claims": [{"name": "data"}],
}
_DATA = {"claim": "data", "path": "/mnt/data"}
_REDIS = {"name": "leader", "kind": "redis", "image": "registry.example/redis:7.2", "mounts": [_DATA]}


def _batch(**keys: object) -> Stack:
    """The small platform with T4 nodes, a queue of ordinary resources, a Redis and a batch job of three pods."""
    job = {"name": "job", "kind": "batch-job", "queue": "batch", "pods": 3, "resources": {"cpu": "500m"}, **keys}
    return (
        a_platform()
        .add(
            "node_pools",
            name="t4",
            machine_type="n1-standard-4",
            gpu={"type": "nvidia-tesla-t4"},
            autoscaling={"min": 0, "max": 10},
            zones=["us-west4-a"],
        )
        .set(shared_storage=[_SHARE])
        .add("flavors", name="any")
        .add("queues", name="batch", flavors=[{"name": "any", "resources": _QUOTA}], local_queues=[{"name": "batch"}])
        .set(workloads=[_REDIS, {"image": "registry.example/job:1.0", **job}])
    )


def _two_kinds_of_nodes() -> Stack:
    """Its queue has T4s of one flavor and none of them of another, which come first."""
    labels = {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}
    return (
        _batch(gpu={"type": "nvidia-tesla-t4", "count": 1})
        .set("flavors", 1, labels={"cloud.google.com/gke-accelerator": "nvidia-l4"})
        .add("flavors", name="t4", labels=labels)
        .add("queues", 1, "flavors", name="t4", resources={**_QUOTA, "nvidia.com/gpu": "2"})
    )


BROKEN: dict[str, dict[str, Stack]] = {
    "requests-are-covered": {
        "a request that the queue does not cover": _batch(resources={"cpu": "1", "ephemeral-storage": "1Gi"}),
        "a GPU that the queue does not cover": _batch(gpu={"type": "nvidia-tesla-t4", "count": 1}).set(
            "queues", 1, "flavors", 0, resources={"cpu": "10"}
        ),
    },
    "requests-can-ever-fit": {
        "more than the quota": _batch(pods=30),
        "more than the quota of the flavor that the pods select": _two_kinds_of_nodes(),
    },
    "pods-fit-a-node, requests-can-ever-fit": {
        "one pod that is more than the quota": _batch(pods=1, resources={"memory": "20Gi"}),
    },
    "pods-fit-a-node": {
        "a pod that is larger than every node": _batch(pods=1, resources={"cpu": "4", "memory": "1Gi"}),
        "a pod that is larger than the nodes of its queue": _batch(pods=1, resources={"cpu": "4"})
        .add("node_pools", name="large", machine_type="e2-standard-8", nodes=1, zones=["us-west4-a"])
        .set("flavors", 1, labels={"cloud.google.com/gke-nodepool": "system"}),
    },
    "ordinary-machine": {
        "a pod on nodes of a machine type that is not known": _batch(pods=1, resources={"cpu": "4"}).set(
            "node_pools", 0, machine_type="custom-96-131072"
        ),
    },
    "workload-has-a-queue, devices-are-whole": {
        "chips of a batch job": _batch(resources={"google.com/tpu": "4"}, queue=None).drop("workloads", 1, "queue"),
    },
    "devices-are-whole": {
        "half a GPU": _batch(resources={"nvidia.com/gpu": "500m"}),
    },
    "gpu-has-nodes": {
        "a GPU that no node has": _batch(gpu={"type": "nvidia-l4", "count": 1}),
    },
    "claim-exists": {
        "a claim that does not exist": _batch(mounts=[{"claim": "dat", "path": "/mnt/data"}]),
        "a claim of another namespace": _batch(mounts=[_DATA]).set(
            "shared_storage", 0, claims=[{"name": "data", "namespace": "team-a"}]
        ),
    },
    "redis-exists": {
        "a Redis that does not exist": _batch(redis="ledaer"),
        "a Redis of another namespace": _batch(redis="leader", namespace="team-a").add(
            "queues", 1, "local_queues", name="batch", namespace="team-a"
        ),
    },
    "redis-comes-first": {
        "a Redis further down": _batch(redis="leader").drop("workloads", 0).add("workloads", **_REDIS),
    },
    "variables-differ": {
        "a variable that the Redis sets": _batch(redis="leader", env={"REDIS_HOST": "elsewhere"}),
    },
    "mount-paths-differ": {
        "two claims at one path": _batch(mounts=[_DATA, _DATA]),
    },
    "service-names": {
        "two Redis servers of one Service": _batch().add("workloads", **{**_REDIS, "name": "second"}),
    },
    "names-fit": {
        "a Redis whose name is too long for a label": _batch().set("workloads", 0, name="r" * 53),
    },
    "bytes-are-many": {
        "thousandths of bytes": _batch(resources={"cpu": "500m", "memory": "512m"}),
        "a few bytes of storage": _batch(resources={"cpu": "500m", "memory": "512Mi"}).set(
            "workloads", 0, resources={"cpu": "250m", "memory": "512"}
        ),
        "a quota of bytes": _batch().set("queues", 1, "flavors", 0, resources={**_QUOTA, "memory": "10k"}),
    },
}
SOUND: dict[str, Stack] = {
    "a pod that is larger than most nodes": _batch(pods=1, resources={"cpu": "4"}).add(
        "node_pools", name="large", machine_type="e2-standard-8", nodes=1, zones=["us-west4-a"]
    ),
    "a pod on nodes that GKE makes": _batch(pods=1, resources={"cpu": "4"}).set(
        auto_provisioning={"limits": {"cpu": 64, "memory_gb": 256}, "zones": ["us-west4-a"]}
    ),
    "a batch job with all that there is": _batch(
        redis="leader", gpu={"type": "nvidia-tesla-t4", "count": 1}, mounts=[_DATA], env={"MODE": "fast"}, args=["10s"]
    ),
    "pods that take the whole quota": _batch(pods=20),
    "two Redis servers": _batch().add("workloads", **{**_REDIS, "name": "second", "service": "second"}),
    "GPUs on Autopilot": _batch(gpu={"type": "nvidia-l4", "count": 1})
    .set("cluster", mode="autopilot")
    .set(node_pools=[], tpu_slices=[])
    .set("queues", 0, "flavors", 0, chips=8),
}
