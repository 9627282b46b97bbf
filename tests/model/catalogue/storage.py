"""Shares, their tiers and places: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform


def _share(**settings: object) -> Stack:
    """The small platform with a share."""
    share = {"name": "data", "tier": "ZONAL", "location": "us-west4-a", "share": "data", "capacity_gib": 1024}
    return a_platform().set(shared_storage=[{**share, "claims": [{"name": "data"}], **settings}])


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a share below the least of its tier": (
        _share(tier="BASIC_HDD", capacity_gib=1000),
        [
            Told(
                rule="share-fits-tier",
                place="shared_storage[0].capacity_gib",
                says="BASIC_HDD has no share of 1000 GiB: it has 1024 to 65433.",
                remedy="Set 1024.",
            ),
        ],
    ),
    "a share above the most of its tier": (
        _share(tier="ENTERPRISE", location="us-west4", capacity_gib=20480),
        [
            Told(
                rule="share-fits-tier",
                place="shared_storage[0].capacity_gib",
                says="ENTERPRISE has no share of 20480 GiB: it has 1024 to 10240 in steps of 256.",
                remedy="Set 10240.",
            ),
        ],
    ),
    "a share between two steps": (
        _share(tier="ENTERPRISE", location="us-west4", capacity_gib=1100),
        [
            Told(
                rule="share-fits-tier",
                place="shared_storage[0].capacity_gib",
                says="ENTERPRISE has no share of 1100 GiB: it has 1024 to 10240 in steps of 256.",
                remedy="Set 1024 or 1280.",
            ),
        ],
    ),
    "a large share between two steps": (
        _share(capacity_gib=11000),
        [
            Told(
                rule="share-fits-tier",
                place="shared_storage[0].capacity_gib",
                says="ZONAL has no share of 11000 GiB: it has 100 to 102400 in steps of 2560.",
                remedy="Set 10240 or 12800.",
            ),
        ],
    ),
    "a zonal tier in a region": (
        _share(location="us-west4"),
        [
            Told(
                rule="share-is-where-its-tier-is",
                place="shared_storage[0].location",
                says="us-west4 is a region; ZONAL lies in a zone.",
                remedy="Name a zone, such as us-west4-a.",
            ),
        ],
    ),
    "a regional tier in a zone": (
        _share(tier="REGIONAL"),
        [
            Told(
                rule="share-is-where-its-tier-is",
                place="shared_storage[0].location",
                says="us-west4-a is a zone; REGIONAL lies in a region.",
                remedy="Name a region, such as us-west4.",
            ),
        ],
    ),
    "a share in another region": (
        _share(location="us-central1-a"),
        [
            Told(
                rule="share-is-where-its-tier-is",
                place="shared_storage[0].location",
                says="us-central1-a is not in us-west4, the region of the cluster.",
                remedy="Name a zone, such as us-west4-a.",
                severity="warning",
            ),
        ],
    ),
    "protection that the tier does not have": (
        _share(tier="BASIC_HDD", deletion_protection=True),
        [
            Told(
                rule="share-protection-exists",
                place="shared_storage[0].deletion_protection",
                says="BASIC_HDD has no deletion protection.",
                remedy="Use protect: true, by which the engine refuses to delete it, or one of ZONAL, REGIONAL "
                "and ENTERPRISE.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "a share of a zone": _share(),
    "a share of a region": _share(tier="REGIONAL", location="us-west4", capacity_gib=12800),
    "a basic share of a protected cluster": _share(tier="BASIC_HDD", protect=True),
    "claims of two namespaces": _share(claims=[{"name": "data", "namespace": "a"}, {"name": "data", "namespace": "b"}]),
}
