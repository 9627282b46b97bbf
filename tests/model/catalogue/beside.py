"""Pods beside slices, of replicated jobs and heads: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.model.catalogue.disk import DISK
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
    },
}
SOUND: dict[str, Stack] = {
    "a claim of somebody else in a cluster that exists": in_existing_cluster().set(
        "workloads", 0, mounts=[{"claim": "datasets", "path": "/data"}]
    ),
    "a disk that a pod beside slices writes": _beside(mounts=[_WRITTEN])
    .set(disks=[DISK])
    .set("node_pools", 0, **_POOL),
}
