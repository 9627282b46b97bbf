"""Batch jobs and Redis: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a request that the queue does not cover": (
        _batch(resources={"cpu": "1", "ephemeral-storage": "1Gi"}),
        [
            Told(
                rule="requests-are-covered",
                place="workloads[1].resources.ephemeral-storage",
                says="batch has no quota of ephemeral-storage; the job would wait for ever.",
                remedy="Add it to resources of a flavor of batch, or do not ask for it. Covered: cpu, memory and "
                "nvidia.com/gpu.",
            ),
        ],
    ),
    "a GPU that the queue does not cover": (
        _batch(gpu={"type": "nvidia-tesla-t4", "count": 1}).set("queues", 1, "flavors", 0, resources={"cpu": "10"}),
        [
            Told(
                rule="requests-are-covered",
                place="workloads[1].gpu",
                says="batch has no quota of nvidia.com/gpu; the job would wait for ever.",
                remedy="Add it to resources of a flavor of batch, or do not ask for it. Covered: cpu.",
            ),
        ],
    ),
    "more than the quota": (
        _batch(pods=30),
        [
            Told(
                rule="requests-can-ever-fit",
                place="workloads[1].resources.cpu",
                says="30 pods with 500m of cpu take 15, but batch has 10; the job would wait for ever.",
                remedy="Ask for 20 pods or fewer, or raise the quota to 15.",
            ),
        ],
    ),
    "one pod that is more than the quota": (
        _batch(pods=1, resources={"memory": "20Gi"}),
        [
            Told(
                rule="requests-can-ever-fit",
                place="workloads[1].resources.memory",
                says="1 pod with 20Gi of memory take 20Gi, but batch has 10Gi; the job would wait for ever.",
                remedy="Raise the quota to 20Gi.",
            ),
        ],
    ),
    "more than the quota of the flavor that the pods select": (
        _two_kinds_of_nodes(),
        [
            Told(
                rule="requests-can-ever-fit",
                place="workloads[1].gpu",
                says="3 pods with 1 of nvidia.com/gpu take 3, but batch has 2; the job would wait for ever.",
                remedy="Ask for 2 pods or fewer, or raise the quota to 3.",
            ),
        ],
    ),
    "chips of a batch job": (
        _batch(resources={"google.com/tpu": "4"}, queue=None).drop("workloads", 1, "queue"),
        [
            Told(
                rule="workload-has-a-queue",
                place="workloads[1].queue",
                says="job has no queue, so it takes its nodes outside of every quota.",
                remedy="Name one. Local queues of default: research and batch.",
                severity="warning",
            ),
            Told(
                rule="devices-are-whole",
                place="workloads[1].resources.google.com/tpu",
                says="chips come as whole hosts of a slice.",
                remedy="Make it a workload of kind tpu-job or jobset, with a flavor of slices.",
            ),
        ],
    ),
    "half a GPU": (
        _batch(resources={"nvidia.com/gpu": "500m"}),
        [
            Told(
                rule="devices-are-whole",
                place="workloads[1].resources.nvidia.com/gpu",
                says="500m is part of a device.",
                remedy="Ask for a whole number.",
            ),
        ],
    ),
    "a GPU that no node has": (
        _batch(gpu={"type": "nvidia-l4", "count": 1}),
        [
            Told(
                rule="gpu-has-nodes",
                place="workloads[1].gpu.type",
                says="no pool has nvidia-l4, and auto_provisioning has no limit for it.",
                remedy="Did you mean nvidia-tesla-t4? GPUs here: nvidia-tesla-t4.",
            ),
        ],
    ),
    "a claim that does not exist": (
        _batch(mounts=[{"claim": "dat", "path": "/mnt/data"}]),
        [
            Told(
                rule="claim-exists",
                place="workloads[1].mounts[0].claim",
                says="no storage has a claim dat in default.",
                remedy="Did you mean data? Claims of default: data.",
            ),
        ],
    ),
    "a claim of another namespace": (
        _batch(mounts=[_DATA]).set("shared_storage", 0, claims=[{"name": "data", "namespace": "team-a"}]),
        [
            Told(
                rule="claim-exists",
                place="workloads[0].mounts[0].claim",
                says="no storage has a claim data in default.",
                remedy="There is one in team-a. Claims of default: none.",
            ),
            Told(
                rule="claim-exists",
                place="workloads[1].mounts[0].claim",
                says="no storage has a claim data in default.",
                remedy="There is one in team-a. Claims of default: none.",
            ),
        ],
    ),
    "a Redis that does not exist": (
        _batch(redis="ledaer"),
        [
            Told(
                rule="redis-exists",
                place="workloads[1].redis",
                says="no workload of kind redis in default is named ledaer.",
                remedy="Did you mean leader? Redis servers of default: leader.",
            ),
        ],
    ),
    "a Redis of another namespace": (
        _batch(redis="leader", namespace="team-a").add("queues", 1, "local_queues", name="batch", namespace="team-a"),
        [
            Told(
                rule="redis-exists",
                place="workloads[1].redis",
                says="no workload of kind redis in team-a is named leader.",
                remedy="There is one in default. Redis servers of team-a: none.",
            ),
        ],
    ),
    "a Redis further down": (
        _batch(redis="leader").drop("workloads", 0).add("workloads", **_REDIS),
        [
            Told(
                rule="redis-comes-first",
                place="workloads[0].redis",
                says="leader stands further down, and is made after job.",
                remedy="Move leader above it.",
            ),
        ],
    ),
    "a variable that the Redis sets": (
        _batch(redis="leader", env={"REDIS_HOST": "elsewhere"}),
        [
            Told(
                rule="variables-differ",
                place="workloads[1].env.REDIS_HOST",
                says="the redis of the job sets it.",
                remedy="Remove one of the two keys.",
            ),
        ],
    ),
    "two claims at one path": (
        _batch(mounts=[_DATA, _DATA]),
        [
            Told(
                rule="mount-paths-differ",
                place="workloads[1].mounts[1].path",
                says="the path /mnt/data is taken by workloads[1].mounts[0].",
                remedy="Choose another path.",
            ),
        ],
    ),
    "two Redis servers of one Service": (
        _batch().add("workloads", **{**_REDIS, "name": "second"}),
        [
            Told(
                rule="service-names",
                place="workloads[2].service",
                says="the Service redis of default is that of workloads[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "a Redis whose name is too long for a label": (
        _batch().set("workloads", 0, name="r" * 53),
        [
            Told(
                rule="names-fit",
                place="workloads[0].name",
                says="the label of its pods would be named "
                "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr-0123456789, which has 64 characters; "
                "it may have 63 at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "thousandths of bytes": (
        _batch(resources={"cpu": "500m", "memory": "512m"}),
        [
            Told(
                rule="bytes-are-many",
                place="workloads[1].resources.memory",
                says="512m of memory is 0.512 bytes.",
                remedy="Write 512Mi or 512Gi, if that is meant.",
            ),
        ],
    ),
    "a few bytes of storage": (
        _batch(resources={"cpu": "500m", "memory": "512Mi"}).set(
            "workloads", 0, resources={"cpu": "250m", "memory": "512"}
        ),
        [
            Told(
                rule="bytes-are-many",
                place="workloads[0].resources.memory",
                says="512 of memory is 512 bytes.",
                remedy="Write 512Mi or 512Gi, if that is meant.",
            ),
        ],
    ),
    "a quota of bytes": (
        _batch().set("queues", 1, "flavors", 0, resources={**_QUOTA, "memory": "10k"}),
        [
            Told(
                rule="bytes-are-many",
                place="queues[1].flavors[0].resources.memory",
                says="10k of memory is 10000 bytes.",
                remedy="Write 10Mi or 10Gi, if that is meant.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
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
