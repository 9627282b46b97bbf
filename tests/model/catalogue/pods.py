"""Pods of workloads: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, on_autopilot, with_capacity

_SIDECAR = {"name": "logger", "image": "registry.example/logger:1.0"}
_FREE = {"name": "any", "resources": {"cpu": "420", "memory": "4Ti"}}


def _run(**keys: object) -> Stack:
    """The small platform, whose JobSet has more keys."""
    return a_platform().set("workloads", 0, **keys)


def _counted(**keys: object) -> Stack:
    """The same, in a queue that has quota of processors and memory too."""
    return _run(**keys).add("flavors", name="any").add("queues", 0, "flavors", **_FREE)


def _batch(**keys: object) -> Stack:
    """The small platform with a batch job that no queue holds back."""
    job = {"name": "job", "kind": "batch-job", "pods": 1, "image": "registry.example/job:1.0", **keys}
    return a_platform().set(controllers={"kueue": {"install": False}}, queues=[], flavors=[], workloads=[job])


_DISKS = [{"ephemeral": "40Gi", "path": "/a", "name": "a"}, {"ephemeral": "20Gi", "path": "/b", "name": "b"}]
_LONG = "s" * 60
BROKEN: dict[str, dict[str, Stack]] = {
    "variable-is-free": {
        "the number of a host, which GKE states": _run(env={"TPU_WORKER_ID": "0"}),
        "the index of a pod, which Kubernetes states": _batch(env={"JOB_COMPLETION_INDEX": "0"}),
        "the coordinator in a sidecar": _run(
            sidecars=[{**_SIDECAR, "env": {"MEGASCALE_SLICE_ID": {"field": "metadata.uid"}}}]
        ),
    },
    "variable-is-short": {
        "a variable that no program can start with": _run(env={"SETTINGS": "x" * 131_072}),
    },
    "volumes-of-a-pod-differ": {
        "two disks of one name and different sizes": _run(
            mounts=[{"ephemeral": "10Gi", "path": "/a"}],
            sidecars=[{**_SIDECAR, "mounts": [{"ephemeral": "20Gi", "path": "/b"}]}],
        ),
        "a disk with the name of another volume": _run(
            mounts=[{"config_map": "a", "path": "/a"}, {"ephemeral": "1Gi", "path": "/b", "name": "config-map-a"}]
        ),
        "a volume whose name is too long": _run(mounts=[{"config_map": _LONG, "path": "/a"}]),
    },
    "ephemeral-disks-fit": {
        "disks that are more than a boot disk has": _run(mounts=_DISKS),
        "a disk in more memory than the container may use": _batch(
            resources={"memory": "1Gi"}, mounts=[{"ephemeral": "2Gi", "path": "/m", "in_memory": True, "name": "m"}]
        ),
    },
    "requests-fit-the-host": {
        "more memory than a host leaves to pods": _counted(resources={"memory": "190Gi"}),
    },
    "memory-folders-fit-the-host": {
        "files of buckets that a host cannot keep in memory": _counted(
            mounts=[
                {"bucket": "data", "path": "/data", "profile": "serving", "cache_gib": 100},
                {"bucket": "data", "path": "/more", "only_dir": "more", "cache_gib": 50},
                {"ephemeral": "20Gi", "path": "/m", "in_memory": True, "name": "m"},
            ],
            sidecars=[{**_SIDECAR, "resources": {"memory": "20Gi"}}],
        ).set(buckets=[{"name": "data", "location": "us-west4"}]),
        "files of a bucket beside checkpoints in memory": _run(
            mounts=[{"bucket": "data", "path": "/data", "cache_gib": 150}]
        )
        .set(buckets=[{"name": "data", "location": "us-west4"}])
        .set("cluster", checkpoints={"bucket": "data", "local_gib": 50}),
    },
    "requests-are-covered": {
        "processors that a queue of chips has no quota of": _run(resources={"cpu": "16"}),
        "processors that a queue has only of other nodes": _counted(resources={"cpu": "16"}).set(
            "flavors", 1, labels={"team": "vision"}
        ),
        "processors of a sidecar without quota": _run(sidecars=[{**_SIDECAR, "resources": {"cpu": "1"}}]),
    },
    "requests-can-ever-fit": {
        "processors on all hosts that are more than the quota": _counted(resources={"cpu": "110"}),
    },
    "devices-are-whole": {
        "chips beside those of the flavor": _counted(resources={"google.com/tpu": "4"}),
    },
    "labels-are-users": {
        "the label of a queue": _run(labels={"kueue.x-k8s.io/queue-name": "other"}),
        "annotations of JobSet and Pulumi": _run(
            annotations={"alpha.jobset.sigs.k8s.io/node-selector": "true", "pulumi.com/skipAwait": "false"}
        ),
        "the label of a Job's pods": _batch(labels={"job-name": "job"}),
    },
    "containers-differ": {
        "a sidecar with the name of the workload's container": _run(sidecars=[{**_SIDECAR, "name": "jax-tpu"}]),
        "two sidecars of one name": _batch(sidecars=[_SIDECAR, _SIDECAR]),
    },
    "grace-is-given": {
        "more time than maintenance gives": _run(grace_seconds=7200),
        "more time than a Spot node has": with_capacity("spot").set("workloads", 0, grace_seconds=60),
    },
    "image-is-pinned": {
        "an image of a sidecar without a version": _run(sidecars=[{**_SIDECAR, "image": "registry.example/logger"}]),
    },
    "secret-is-not-in-clear": {
        "a password in a sidecar": _run(sidecars=[{**_SIDECAR, "args": ["--db-password=hunter2"]}]),
    },
}
SOUND: dict[str, Stack] = {
    "variables, disks, resources and sidecars of a JobSet": _counted(
        env={"STEPS": "10", "NODE": {"field": "spec.nodeName"}},
        mounts=[{"ephemeral": "20Gi", "path": "/scratch"}],
        resources={"cpu": "100", "memory": "150Gi"},
        labels={"team": "vision"},
        annotations={"example.com/ticket": "ML-7"},
        grace_seconds=3600,
        sidecars=[{**_SIDECAR, "mounts": [{"ephemeral": "20Gi", "path": "/logs"}], "resources": {"cpu": "1"}}],
    ),
    "the index of a host in a batch job": _batch(env={"TPU_WORKER_ID": "0"}),
    "a large disk on Autopilot, which sizes its nodes": on_autopilot().set("workloads", 0, mounts=_DISKS),
    "resources of slices from a flavor with labels that they have": _counted(resources={"cpu": "16"}).set(
        "flavors", 1, labels={"cloud.google.com/gke-tpu-topology": "2x4"}
    ),
}
