"""Wrong values of storage and of mounts, each with its place."""

from __future__ import annotations

from typing import Any, Final

from tests.stacks import Stack, a_platform

_P: Final = a_platform()
_DISK: Final[dict[str, Any]] = {
    "name": "model",
    "kind": "ml",
    "zone": "us-west4-a",
    "size_gib": 100,
    "claims": [{"name": "model"}],
}
_LUSTRE: Final[dict[str, Any]] = {
    "name": "scratch",
    "location": "us-west4-a",
    "filesystem": "scratch",
    "throughput": 1000,
    "capacity_gib": 18000,
    "claims": [{"name": "scratch"}],
}


def _disk(**keys: object) -> Stack:
    return _P.set(disks=[{**_DISK, **keys}])


def _lustre(**keys: object) -> Stack:
    return _P.set(lustre=[{**_LUSTRE, **keys}])


def _run(**keys: object) -> Stack:
    return _P.set("workloads", 0, **keys)


def _mounted(**keys: object) -> Stack:
    return _run(mounts=[{"path": "/a", **keys}])


WRONG_STORAGE: dict[str, tuple[Stack, str]] = {
    "a kind of disk that is not there": (_disk(kind="extreme"), "disks[0].kind"),
    "an access that disks do not have": (_disk(access="ReadWriteMany"), "disks[0].access"),
    "a disk without a zone": (_disk(zone="us-west4"), "disks[0].zone"),
    "a snapshot by its path": (_disk(snapshot="global/snapshots/a"), "disks[0].snapshot"),
    "a disk that nobody claims": (_disk(claims=[]), "disks[0].claims"),
    "a speed that instances do not have": (_lustre(throughput=200), "lustre[0].throughput"),
    "an instance in a region": (_lustre(location="us-west4"), "lustre[0].location"),
    "a file system's name with a hyphen": (_lustre(filesystem="my-fs"), "lustre[0].filesystem"),
    "an instance by its tier": (_lustre(tier="ZONAL"), "lustre[0].tier"),
    "a profile that is not there": (_mounted(bucket="data", profile="train"), "workloads[0].mounts[0].profile"),
    "metadata for less than ever": (
        _mounted(bucket="data", metadata_ttl_seconds=-2),
        "workloads[0].mounts[0].metadata_ttl_seconds",
    ),
    "a folder of a bucket that leads out of it": (
        _mounted(bucket="data", only_dir="../other"),
        "workloads[0].mounts[0].only_dir",
    ),
    "a bucket's key of a claim": (_mounted(bucket="data", sub_path="a"), "workloads[0].mounts[0].sub_path"),
    "memory for files in words": (_mounted(bucket="data", cache_gib="4Gi"), "workloads[0].mounts[0].cache_gib"),
    "checkpoints that are not wanted": (_mounted(checkpoints=False), "workloads[0].mounts[0].checkpoints"),
    "checkpoints that are only read": (_mounted(checkpoints=True, read_only=True), "workloads[0].mounts[0].read_only"),
    "an ephemeral folder of no amount": (_mounted(ephemeral="20GB"), "workloads[0].mounts[0].ephemeral"),
    "an ephemeral folder's size without a unit": (_mounted(ephemeral=20), "workloads[0].mounts[0].ephemeral"),
    "a Secret's name with capitals": (_run(mounts=[{"path": "/a", "secret": "HF"}]), "workloads[0].mounts[0].secret"),
    "a name of Secret Manager with its path": (
        _run(mounts=[{"path": "/a", "secret_manager": "projects/a/secrets/b"}]),
        "workloads[0].mounts[0].secret_manager",
    ),
    "a mount at no path": (_run(mounts=[{"claim": "a", "path": "data"}]), "workloads[0].mounts[0].path"),
    "a mount without a path": (_run(mounts=[{"claim": "a"}]), "workloads[0].mounts[0]"),
    "a mount of two things": (_mounted(claim="a", bucket="data"), "workloads[0].mounts[0].bucket"),
    "checkpoints of no size": (
        _P.set("cluster", checkpoints={"bucket": "data", "local_gib": 0}),
        "cluster.checkpoints.local_gib",
    ),
    "checkpoints on Autopilot": (
        _P.set("cluster", mode="autopilot", checkpoints={"bucket": "data", "local_gib": 1}),
        "cluster.checkpoints",
    ),
    "addresses of services that are none": (
        _P.set("network", private_services_cidr="10.0.0.0"),
        "network.private_services_cidr",
    ),
}
