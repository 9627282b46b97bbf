"""Buckets that pods mount: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stacks import Stack, Told, a_platform, on_autopilot

if TYPE_CHECKING:
    from collections.abc import Mapping


def mounting(stack: Stack, **settings: object) -> Stack:
    """With a bucket that the pods of the workload mount."""
    mount: Mapping[str, object] = {"bucket": "data", "path": "/data", **settings}
    return stack.set(buckets=[{"name": "data", "location": "us-west4"}]).set("workloads", 0, mounts=[mount])


def _floor(stated: str, what: str, floor: str) -> list[Told]:
    return [
        Told(
            rule="version-floor",
            place="cluster.minimum_version",
            says=f"{stated} is older than the first version with {what}.",
            remedy=f"Set {floor} or newer, or leave the version to the release channel.",
        ),
    ]


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a mounted bucket that is not declared": (
        mounting(a_platform(), bucket="dat"),
        [
            Told(
                rule="mounted-bucket-is-declared",
                place="workloads[0].mounts[0].bucket",
                says="no bucket is named dat.",
                remedy="Did you mean data? Buckets: data. Without a location, one that exists is meant.",
            ),
        ],
    ),
    "files in parts without memory for files": (
        mounting(a_platform(), parallel_download=True),
        [
            Told(
                rule="parallel-download-has-memory",
                place="workloads[0].mounts[0].parallel_download",
                says="files are read in parts into memory, and the mount has none.",
                remedy="Set cache_gib: 4, or parallel_download: false.",
            ),
        ],
    ),
    "a profile with files in memory on Autopilot": (
        mounting(on_autopilot(), profile="serving"),
        [
            Told(
                rule="bucket-memory-is-stated",
                place="workloads[0].mounts[0].profile",
                says="the profile serving keeps files in memory, and cache_gib does not say how much.",
                remedy="Add cache_gib: 4, or as much as the largest files need.",
            ),
        ],
    ),
    "a version from before buckets on the host's network": (
        mounting(a_platform().set("cluster", minimum_version="1.33.3-gke.1225999")),
        _floor("1.33.3-gke.1225999", "buckets in pods on their host's network", "1.33.3-gke.1226000"),
    ),
    "a version from before the profiles": (
        mounting(on_autopilot().set("cluster", minimum_version="1.32.2-gke.1297000"), profile="training"),
        [
            Told(
                rule="autopilot-tpu-version",
                place="cluster.minimum_version",
                says="1.32.2-gke.1297000 is older than the version that is advised for TPUs on Autopilot.",
                remedy="Set 1.32.3-gke.1927000 or newer.",
                severity="warning",
            ),
            *_floor("1.32.2-gke.1297000", "all options of the profiles of buckets", "1.32.2-gke.1297001"),
        ],
    ),
    "a bucket that only jobs beside the slices mount, and that is not declared": (
        a_platform().set(
            "workloads",
            0,
            replicated_jobs=[
                {"name": "eval", "image": "registry.example/eval:1.0", "mounts": [{"bucket": "dat", "path": "/data"}]}
            ],
        ),
        [
            Told(
                rule="mounted-bucket-is-declared",
                place="workloads[0].replicated_jobs[0].mounts[0].bucket",
                says="no bucket is named dat.",
                remedy="Buckets: none. Without a location, one that exists is meant.",
            ),
        ],
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
