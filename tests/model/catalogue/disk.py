"""Hyperdisks: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

DISK = {"name": "model", "kind": "ml", "zone": "us-west4-a", "size_gib": 100, "claims": [{"name": "model"}]}


def with_disk(**settings: object) -> Stack:
    """The small platform with a disk of kind ml."""
    return a_platform().set(disks=[{**DISK, **settings}])


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "a disk that is too small": (with_disk(size_gib=3), ["disk-has-a-size: disks[0].size_gib"]),
    "a disk that is too large": (with_disk(kind="balanced", size_gib=70000), ["disk-has-a-size: disks[0].size_gib"]),
    "IOPS of Hyperdisk ML": (with_disk(iops=3000), ["disk-speed-fits-its-size: disks[0].iops"]),
    "throughput below the least of Hyperdisk ML": (
        with_disk(throughput=300),
        ["disk-speed-fits-its-size: disks[0].throughput"],
    ),
    "more IOPS than a small disk has": (
        with_disk(kind="balanced", size_gib=10, iops=6000),
        ["disk-speed-fits-its-size: disks[0].iops"],
    ),
    "more throughput than the IOPS allow": (
        with_disk(kind="balanced", throughput=800),
        ["disk-speed-fits-its-size: disks[0].throughput"],
    ),
    "a balanced disk that many nodes read": (
        with_disk(kind="balanced", access="ReadOnlyMany"),
        ["disk-access-exists: disks[0].access"],
    ),
    "a snapshot on a disk that is written": (
        with_disk(snapshot="weights-1"),
        ["disk-access-exists: disks[0].snapshot"],
    ),
    "two claims on a disk that one node writes": (
        with_disk(claims=[{"name": "model"}, {"name": "model", "namespace": "research"}]),
        ["disk-claims-fit-access: disks[0].claims[1]"],
    ),
    "a disk in another region": (with_disk(zone="us-central1-a"), ["disk-is-where-nodes-are: disks[0].zone"]),
    "a disk in a zone without nodes": (with_disk(zone="us-west4-b"), ["disk-is-where-nodes-are: disks[0].zone"]),
    "two disks of one name": (
        with_disk().add("disks", **{**DISK, "claims": [{"name": "second"}]}),
        ["names-differ: disks[1].name"],
    ),
}
SOUND: dict[str, Stack] = {
    "a disk to fill": with_disk(),
    "a disk that many nodes read": with_disk(access="ReadOnlyMany", throughput=2400),
    "a disk from a snapshot": with_disk(access="ReadOnlyMany", snapshot="weights-1"),
    "a balanced disk with speed of its own": with_disk(kind="balanced", iops=10000, throughput=1200),
    "a balanced disk from a snapshot": with_disk(kind="balanced", snapshot="weights-1"),
    "a disk that two namespaces read": with_disk(
        access="ReadOnlyMany", claims=[{"name": "model"}, {"name": "model", "namespace": "research"}]
    ),
}
