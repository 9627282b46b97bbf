"""Hyperdisks: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

DISK = {"name": "model", "kind": "ml", "zone": "us-west4-a", "size_gib": 100, "claims": [{"name": "model"}]}


def with_disk(**settings: object) -> Stack:
    """The small platform with a disk of kind ml."""
    return a_platform().set(disks=[{**DISK, **settings}])


def _of(rule: str, key: str, says: str, remedy: str) -> list[Told]:
    return [Told(rule=rule, place=f"disks[0].{key}", says=says, remedy=remedy)]


_SPEED = "disk-speed-fits-its-size"
BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a disk that is too small": (
        with_disk(size_gib=3),
        _of("disk-has-a-size", "size_gib", "3 GiB is out of range: Hyperdisk ML has 4 to 65536.", "Set 4."),
    ),
    "a disk that is too large": (
        with_disk(kind="balanced", size_gib=70000),
        _of(
            "disk-has-a-size",
            "size_gib",
            "70000 GiB is out of range: Hyperdisk Balanced has 4 to 65536.",
            "Set 65536.",
        ),
    ),
    "IOPS of Hyperdisk ML": (
        with_disk(iops=3000),
        _of(
            _SPEED,
            "iops",
            "Hyperdisk ML has no IOPS of its own: they follow from the throughput.",
            "Remove the key.",
        ),
    ),
    "throughput below the least of Hyperdisk ML": (
        with_disk(throughput=300),
        _of(
            _SPEED,
            "throughput",
            "300 MiB/s is out of range: a disk of 100 GiB has 400 to 160000.",
            "Set 400.",
        ),
    ),
    "more IOPS than a small disk has": (
        with_disk(kind="balanced", size_gib=10, iops=6000),
        _of(_SPEED, "iops", "6000 IOPS is out of range: a disk of 10 GiB has 3000 to 5000.", "Set 5000."),
    ),
    "more throughput than the IOPS allow": (
        with_disk(kind="balanced", throughput=800),
        _of(
            _SPEED,
            "throughput",
            "800 MiB/s is out of range: a disk of 3000 IOPS has 140 to 750.",
            "Set 750.",
        ),
    ),
    "a balanced disk that many nodes read": (
        with_disk(kind="balanced", access="ReadOnlyMany"),
        _of(
            "disk-access-exists",
            "access",
            "Hyperdisk Balanced cannot be read by many nodes.",
            "Use kind: ml, or remove the key.",
        ),
    ),
    "a snapshot on a disk that is written": (
        with_disk(snapshot="weights-1"),
        _of(
            "disk-access-exists",
            "snapshot",
            "Hyperdisk ML from a snapshot cannot be written.",
            "Add access: ReadOnlyMany, or leave the snapshot out and fill the disk.",
        ),
    ),
    "two claims on a disk that one node writes": (
        with_disk(claims=[{"name": "model"}, {"name": "model", "namespace": "research"}]),
        _of(
            "disk-claims-fit-access",
            "claims[1]",
            "only one node at a time can attach model, and model claims it.",
            "Keep one claim, or set access: ReadOnlyMany.",
        ),
    ),
    "a disk in another region": (
        with_disk(zone="us-central1-a"),
        _of(
            "disk-is-where-nodes-are",
            "zone",
            "us-central1-a is not in us-west4, the region of the cluster.",
            "Name a zone, such as us-west4-a.",
        ),
    ),
    "a disk in a zone without nodes": (
        with_disk(zone="us-west4-b"),
        _of("disk-is-where-nodes-are", "zone", "no pool has nodes in us-west4-b.", "Name one of us-west4-a."),
    ),
    "two disks of one name": (
        with_disk().add("disks", **{**DISK, "claims": [{"name": "second"}]}),
        [
            Told(
                rule="names-differ",
                place="disks[1].name",
                says="the disk name model is taken by disks[0].",
                remedy="Choose another name.",
            ),
        ],
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
