"""Hyperdisks: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

DISK = {"name": "model", "kind": "ml", "zone": "us-west4-a", "size_gib": 100, "claims": [{"name": "model"}]}


def with_disk(**settings: object) -> Stack:
    """The small platform with a disk of kind ml."""
    return a_platform().set(disks=[{**DISK, **settings}])


BROKEN: dict[str, dict[str, Stack]] = {
    "disk-has-a-size": {
        "a disk that is too small": with_disk(size_gib=3),
        "a disk that is too large": with_disk(kind="balanced", size_gib=70000),
    },
    "disk-speed-fits-its-size": {
        "IOPS of Hyperdisk ML": with_disk(iops=3000),
        "throughput below the least of Hyperdisk ML": with_disk(throughput=300),
        "more IOPS than a small disk has": with_disk(kind="balanced", size_gib=10, iops=6000),
        "more throughput than the IOPS allow": with_disk(kind="balanced", throughput=800),
    },
    "disk-access-exists": {
        "a balanced disk that many nodes read": with_disk(kind="balanced", access="ReadOnlyMany"),
        "a snapshot on a disk that is written": with_disk(snapshot="weights-1"),
    },
    "disk-claims-fit-access": {
        "two claims on a disk that one node writes": with_disk(
            claims=[{"name": "model"}, {"name": "model", "namespace": "research"}]
        ),
    },
    "disk-is-where-nodes-are": {
        "a disk in another region": with_disk(zone="us-central1-a"),
        "a disk in a zone without nodes": with_disk(zone="us-west4-b"),
    },
    "names-differ": {
        "two disks of one name": with_disk().add("disks", **{**DISK, "claims": [{"name": "second"}]}),
    },
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
