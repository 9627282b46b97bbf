"""Wrong values of storage and of mounts, each with its whole error."""

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


WRONG_STORAGE: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    "a kind of disk that is not there": (
        _disk(kind="extreme"),
        ("disks[0].kind", "extreme is not supported here.", "Supported: ml and balanced."),
    ),
    "an access that disks do not have": (
        _disk(access="ReadWriteMany"),
        (
            "disks[0].access",
            "ReadWriteMany is not supported here.",
            "Did you mean ReadWriteOnce? Supported: ReadWriteOnce and ReadOnlyMany.",
        ),
    ),
    "a disk without a zone": (
        _disk(zone="us-west4"),
        ("disks[0].zone", '"us-west4" is not a zone.', "A zone such as us-west4-a."),
    ),
    "a snapshot by its path": (
        _disk(snapshot="global/snapshots/a"),
        (
            "disks[0].snapshot",
            '"global/snapshots/a" is not a name that Google Cloud takes.',
            "Lower-case letters, digits and hyphens, beginning with a letter and ending with a letter or digit.",
        ),
    ),
    "a disk that nobody claims": (
        _disk(claims=[]),
        (
            "disks[0].claims",
            "the list is empty; at least one item belongs here.",
            "Required keys: name; optional keys: namespace.",
        ),
    ),
    "a speed that instances do not have": (
        _lustre(throughput=200),
        ("lustre[0].throughput", "200 is not supported here.", "Supported: 125, 250, 500 and 1000."),
    ),
    "an instance in a region": (
        _lustre(location="us-west4"),
        ("lustre[0].location", '"us-west4" is not a zone.', "A zone such as us-west4-a."),
    ),
    "a file system's name with a hyphen": (
        _lustre(filesystem="my-fs"),
        (
            "lustre[0].filesystem",
            '"my-fs" is not a name that Managed Lustre takes for a file system.',
            "Up to 8 letters and digits, beginning with a letter.",
        ),
    ),
    "an instance by its tier": (
        _lustre(tier="ZONAL"),
        (
            "lustre[0].tier",
            "unknown key.",
            "Required keys: name, location, filesystem, throughput, capacity_gib, claims; optional keys: protect.",
        ),
    ),
    "a profile that is not there": (
        _mounted(bucket="data", profile="train"),
        (
            "workloads[0].mounts[0].profile",
            "train is not supported here.",
            "Did you mean training? Supported: training, checkpointing and serving.",
        ),
    ),
    "metadata for less than ever": (
        _mounted(bucket="data", metadata_ttl_seconds=-2),
        ("workloads[0].mounts[0].metadata_ttl_seconds", "-2 is out of range.", "Write -1 or more."),
    ),
    "a folder of a bucket that leads out of it": (
        _mounted(bucket="data", only_dir="../other"),
        (
            "workloads[0].mounts[0].only_dir",
            '"../other" is not a folder of a bucket.',
            "A relative path without commas, blanks and .., such as data/train.",
        ),
    ),
    "a bucket's key of a claim": (
        _mounted(bucket="data", sub_path="a"),
        (
            "workloads[0].mounts[0].sub_path",
            "unknown key.",
            (
                "Required keys: bucket, path; optional keys: read_only, only_dir, profile, cache_gib, "
                "metadata_ttl_seconds, parallel_download."
            ),
        ),
    ),
    "memory for files in words": (
        _mounted(bucket="data", cache_gib="4Gi"),
        ("workloads[0].mounts[0].cache_gib", '"4Gi" is text; a whole number belongs here.', "Write a whole number."),
    ),
    "checkpoints that are not wanted": (
        _mounted(checkpoints=False),
        ("workloads[0].mounts[0].checkpoints", "false is not supported here.", "Supported: true."),
    ),
    "checkpoints that are only read": (
        _mounted(checkpoints=True, read_only=True),
        ("workloads[0].mounts[0].read_only", "unknown key.", "Required keys: checkpoints, path."),
    ),
    "an ephemeral folder of no amount": (
        _mounted(ephemeral="20GB"),
        (
            "workloads[0].mounts[0].ephemeral",
            '"20GB" is not an amount.',
            "Such as 24, 500m or 10Gi, in quotes if it is a number.",
        ),
    ),
    "an ephemeral folder's size without a unit": (
        _mounted(ephemeral=20),
        ("workloads[0].mounts[0].ephemeral", "20 is a number; text belongs here.", 'Write it in quotes: "20".'),
    ),
    "a Secret's name with capitals": (
        _run(mounts=[{"path": "/a", "secret": "HF"}]),
        (
            "workloads[0].mounts[0].secret",
            '"HF" is not a name that Kubernetes takes.',
            "Lower-case letters, digits, hyphens and dots, beginning and ending with a letter or digit.",
        ),
    ),
    "a name of Secret Manager with its path": (
        _run(mounts=[{"path": "/a", "secret_manager": "projects/a/secrets/b"}]),
        (
            "workloads[0].mounts[0].secret_manager",
            '"projects/a/secrets/b" is not the name of a secret of Secret Manager.',
            "Up to 255 letters, digits, hyphens and underscores.",
        ),
    ),
    "a mount at no path": (
        _run(mounts=[{"claim": "a", "path": "data"}]),
        (
            "workloads[0].mounts[0].path",
            '"data" is not a path to mount at.',
            "An absolute path such as /mnt/fileserver.",
        ),
    ),
    "a mount without a path": (
        _run(mounts=[{"claim": "a"}]),
        (
            "workloads[0].mounts[0]",
            "the key path is missing.",
            "Required keys: path, claim; optional keys: read_only, sub_path.",
        ),
    ),
    "a mount of two things": (
        _mounted(claim="a", bucket="data"),
        (
            "workloads[0].mounts[0].bucket",
            "unknown key.",
            "Required keys: path, claim; optional keys: read_only, sub_path.",
        ),
    ),
    "checkpoints of no size": (
        _P.set("cluster", checkpoints={"bucket": "data", "local_gib": 0}),
        ("cluster.checkpoints.local_gib", "0 is out of range.", "Write 1 or more."),
    ),
    "checkpoints on Autopilot": (
        _P.set("cluster", mode="autopilot", checkpoints={"bucket": "data", "local_gib": 1}),
        (
            "cluster.checkpoints",
            "unknown key.",
            (
                "Required keys: name, mode, location, release_channel; optional keys: minimum_version, "
                "private_nodes, control_plane_cidr, private_endpoint, authorized_networks, maintenance, "
                "deletion_protection, addons."
            ),
        ),
    ),
    "addresses of services that are none": (
        _P.set("network", private_services_cidr="10.0.0.0"),
        (
            "network.private_services_cidr",
            '"10.0.0.0" is not a range of IPv4 addresses.',
            "Such as 10.0.0.0/20, in which only the first 20 bits may be set.",
        ),
    ),
}
