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


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "a request that the queue does not cover": (
        _batch(resources={"cpu": "1", "ephemeral-storage": "1Gi"}),
        ["requests-are-covered: workloads[1].resources.ephemeral-storage"],
    ),
    "a GPU that the queue does not cover": (
        _batch(gpu={"type": "nvidia-tesla-t4", "count": 1}).set("queues", 1, "flavors", 0, resources={"cpu": "10"}),
        ["requests-are-covered: workloads[1].gpu"],
    ),
    "more than the quota": (_batch(pods=30), ["requests-can-ever-fit: workloads[1].resources.cpu"]),
    "one pod that is more than the quota": (
        _batch(pods=1, resources={"memory": "20Gi"}),
        ["pods-fit-a-node: workloads[1].resources.memory", "requests-can-ever-fit: workloads[1].resources.memory"],
    ),
    "a pod that is larger than every node": (
        _batch(pods=1, resources={"cpu": "4", "memory": "1Gi"}),
        ["pods-fit-a-node: workloads[1].resources.cpu"],
    ),
    "a pod on nodes of a machine type that is not known": (
        _batch(pods=1, resources={"cpu": "4"}).set("node_pools", 0, machine_type="custom-96-131072"),
        ["ordinary-machine: node_pools[0].machine_type"],
    ),
    "a pod that is larger than the nodes of its queue": (
        _batch(pods=1, resources={"cpu": "4"})
        .add("node_pools", name="large", machine_type="e2-standard-8", nodes=1, zones=["us-west4-a"])
        .set("flavors", 1, labels={"cloud.google.com/gke-nodepool": "system"}),
        ["pods-fit-a-node: workloads[1].resources.cpu"],
    ),
    "more than the quota of the flavor that the pods select": (
        _two_kinds_of_nodes(),
        ["requests-can-ever-fit: workloads[1].gpu"],
    ),
    "chips of a batch job": (
        _batch(resources={"google.com/tpu": "4"}, queue=None).drop("workloads", 1, "queue"),
        ["workload-has-a-queue: workloads[1].queue", "devices-are-whole: workloads[1].resources.google.com/tpu"],
    ),
    "half a GPU": (
        _batch(resources={"nvidia.com/gpu": "500m"}),
        ["devices-are-whole: workloads[1].resources.nvidia.com/gpu"],
    ),
    "a GPU that no node has": (_batch(gpu={"type": "nvidia-l4", "count": 1}), ["gpu-has-nodes: workloads[1].gpu.type"]),
    "a claim that does not exist": (
        _batch(mounts=[{"claim": "dat", "path": "/mnt/data"}]),
        ["claim-exists: workloads[1].mounts[0].claim"],
    ),
    "a claim of another namespace": (
        _batch(mounts=[_DATA]).set("shared_storage", 0, claims=[{"name": "data", "namespace": "team-a"}]),
        ["claim-exists: workloads[0].mounts[0].claim", "claim-exists: workloads[1].mounts[0].claim"],
    ),
    "a Redis that does not exist": (_batch(redis="ledaer"), ["redis-exists: workloads[1].redis"]),
    "a Redis of another namespace": (
        _batch(redis="leader", namespace="team-a").add("queues", 1, "local_queues", name="batch", namespace="team-a"),
        ["redis-exists: workloads[1].redis"],
    ),
    "a Redis further down": (
        _batch(redis="leader").drop("workloads", 0).add("workloads", **_REDIS),
        ["redis-comes-first: workloads[0].redis"],
    ),
    "a variable that the Redis sets": (
        _batch(redis="leader", env={"REDIS_HOST": "elsewhere"}),
        ["variables-differ: workloads[1].env.REDIS_HOST"],
    ),
    "two claims at one path": (_batch(mounts=[_DATA, _DATA]), ["mount-paths-differ: workloads[1].mounts[1].path"]),
    "two Redis servers of one Service": (
        _batch().add("workloads", **{**_REDIS, "name": "second"}),
        ["service-names: workloads[2].service"],
    ),
    "a Redis whose name is too long for a label": (
        _batch().set("workloads", 0, name="r" * 53),
        ["names-fit: workloads[0].name"],
    ),
    "thousandths of bytes": (
        _batch(resources={"cpu": "500m", "memory": "512m"}),
        ["bytes-are-many: workloads[1].resources.memory"],
    ),
    "a few bytes of storage": (
        _batch(resources={"cpu": "500m", "memory": "512Mi"}).set(
            "workloads", 0, resources={"cpu": "250m", "memory": "512"}
        ),
        ["bytes-are-many: workloads[0].resources.memory"],
    ),
    "a quota of bytes": (
        _batch().set("queues", 1, "flavors", 0, resources={**_QUOTA, "memory": "10k"}),
        ["bytes-are-many: queues[1].flavors[0].resources.memory"],
    ),
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
