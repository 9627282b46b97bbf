"""Buckets that pods mount: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stacks import Stack, a_platform, on_autopilot

if TYPE_CHECKING:
    from collections.abc import Mapping


def mounting(stack: Stack, **settings: object) -> Stack:
    """With a bucket that the pods of the workload mount."""
    mount: Mapping[str, object] = {"bucket": "data", "path": "/data", **settings}
    return stack.set(buckets=[{"name": "data", "location": "us-west4"}]).set("workloads", 0, mounts=[mount])


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "a mounted bucket that is not declared": (
        mounting(a_platform(), bucket="dat"),
        ["mounted-bucket-is-declared: workloads[0].mounts[0].bucket"],
    ),
    "files in parts without memory for files": (
        mounting(a_platform(), parallel_download=True),
        ["parallel-download-has-memory: workloads[0].mounts[0].parallel_download"],
    ),
    "a profile with files in memory on Autopilot": (
        mounting(on_autopilot(), profile="serving"),
        ["bucket-memory-is-stated: workloads[0].mounts[0].profile"],
    ),
    "a version from before buckets on the host's network": (
        mounting(a_platform().set("cluster", minimum_version="1.33.3-gke.1225999")),
        ["version-floor: cluster.minimum_version"],
    ),
    "a version from before the profiles": (
        mounting(on_autopilot().set("cluster", minimum_version="1.32.2-gke.1297000"), profile="training"),
        ["autopilot-tpu-version: cluster.minimum_version", "version-floor: cluster.minimum_version"],
    ),
    "a bucket that only jobs beside the slices mount, and that is not declared": (
        a_platform().set(
            "workloads",
            0,
            replicated_jobs=[
                {"name": "eval", "image": "registry.example/eval:1.0", "mounts": [{"bucket": "dat", "path": "/data"}]}
            ],
        ),
        ["mounted-bucket-is-declared: workloads[0].replicated_jobs[0].mounts[0].bucket"],
    ),
}
SOUND: dict[str, Stack] = {
    "a bucket": mounting(a_platform()),
    "a bucket of each profile": mounting(a_platform(), profile="training").set(
        "workloads",
        0,
        mounts=[
            {"bucket": "data", "path": "/data", "profile": "training", "read_only": True, "only_dir": "train"},
            {"bucket": "data", "path": "/checkpoints", "profile": "checkpointing", "only_dir": "out"},
            {"bucket": "data", "path": "/model", "profile": "serving", "cache_gib": 20, "parallel_download": False},
        ],
    ),
    "a profile with a stated amount of memory on Autopilot": mounting(on_autopilot(), profile="serving", cache_gib=8),
    "a profile without memory for files": mounting(a_platform(), profile="serving", cache_gib=0),
    "a bucket that exists": mounting(a_platform()).set(buckets=[{"name": "data"}]),
}
