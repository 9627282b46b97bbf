"""Buckets that pods mount: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stacks import Stack, a_platform, on_autopilot

if TYPE_CHECKING:
    from collections.abc import Mapping


def mounting(stack: Stack, **settings: object) -> Stack:
    """With a bucket that the pods of the workload mount."""
    mount: Mapping[str, object] = {"bucket": "data", "path": "/data", **settings}
    return stack.set(buckets=[{"name": "data", "location": "us-west4"}]).set("workloads", 0, mounts=[mount])


BROKEN: dict[str, dict[str, Stack]] = {
    "mounted-bucket-is-declared": {
        "a mounted bucket that is not declared": mounting(a_platform(), bucket="dat"),
        "a bucket that only jobs beside the slices mount, and that is not declared": a_platform().set(
            "workloads",
            0,
            replicated_jobs=[
                {"name": "eval", "image": "registry.example/eval:1.0", "mounts": [{"bucket": "dat", "path": "/data"}]}
            ],
        ),
    },
    "parallel-download-has-memory": {
        "files in parts without memory for files": mounting(a_platform(), parallel_download=True),
    },
    "bucket-memory-is-stated": {
        "a profile with files in memory on Autopilot": mounting(on_autopilot(), profile="serving"),
    },
    "version-floor": {
        "a version from before buckets on the host's network": mounting(
            a_platform().set("cluster", minimum_version="1.33.3-gke.1225999")
        ),
    },
    "autopilot-tpu-version, version-floor": {
        "a version from before the profiles": mounting(
            on_autopilot().set("cluster", minimum_version="1.32.2-gke.1297000"), profile="training"
        ),
    },
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
