"""Wrong values of storage and of mounts."""

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


WRONG_STORAGE: dict[str, Stack] = {
    "a kind of disk that is not there": _disk(kind="extreme"),
    "an access that disks do not have": _disk(access="ReadWriteMany"),
    "a disk without a zone": _disk(zone="us-west4"),
    "a snapshot by its path": _disk(snapshot="global/snapshots/a"),
    "a disk that nobody claims": _disk(claims=[]),
    "a speed that instances do not have": _lustre(throughput=200),
    "an instance in a region": _lustre(location="us-west4"),
    "a file system's name with a hyphen": _lustre(filesystem="my-fs"),
    "an instance by its tier": _lustre(tier="ZONAL"),
    "a profile that is not there": _mounted(bucket="data", profile="train"),
    "metadata for less than ever": _mounted(bucket="data", metadata_ttl_seconds=-2),
    "a folder of a bucket that leads out of it": _mounted(bucket="data", only_dir="../other"),
    "a bucket's key of a claim": _mounted(bucket="data", sub_path="a"),
    "memory for files in words": _mounted(bucket="data", cache_gib="4Gi"),
    "checkpoints that are not wanted": _mounted(checkpoints=False),
    "checkpoints that are only read": _mounted(checkpoints=True, read_only=True),
    "an ephemeral folder of no amount": _mounted(ephemeral="20GB"),
    "an ephemeral folder's size without a unit": _mounted(ephemeral=20),
    "a Secret's name with capitals": _run(mounts=[{"path": "/a", "secret": "HF"}]),
    "a name of Secret Manager with its path": _run(mounts=[{"path": "/a", "secret_manager": "projects/a/secrets/b"}]),
    "a mount at no path": _run(mounts=[{"claim": "a", "path": "data"}]),
    "a mount without a path": _run(mounts=[{"claim": "a"}]),
    "a mount of two things": _mounted(claim="a", bucket="data"),
    "checkpoints of no size": _P.set("cluster", checkpoints={"bucket": "data", "local_gib": 0}),
    "checkpoints on Autopilot": _P.set("cluster", mode="autopilot", checkpoints={"bucket": "data", "local_gib": 1}),
    "addresses of services that are none": _P.set("network", private_services_cidr="10.0.0.0"),
}
