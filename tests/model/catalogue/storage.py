"""Shares, their tiers and places: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _share(**settings: object) -> Stack:
    """The small platform with a share."""
    share = {"name": "data", "tier": "ZONAL", "location": "us-west4-a", "share": "data", "capacity_gib": 1024}
    return a_platform().set(shared_storage=[{**share, "claims": [{"name": "data"}], **settings}])


BROKEN: dict[str, dict[str, Stack]] = {
    "share-fits-tier": {
        "a share below the least of its tier": _share(tier="BASIC_HDD", capacity_gib=1000),
        "a share above the most of its tier": _share(tier="ENTERPRISE", location="us-west4", capacity_gib=20480),
        "a share between two steps": _share(tier="ENTERPRISE", location="us-west4", capacity_gib=1100),
        "a large share between two steps": _share(capacity_gib=11000),
    },
    "share-is-where-its-tier-is": {
        "a zonal tier in a region": _share(location="us-west4"),
        "a regional tier in a zone": _share(tier="REGIONAL"),
        "a share in another region": _share(location="us-central1-a"),
    },
    "share-protection-exists": {
        "protection that the tier does not have": _share(tier="BASIC_HDD", deletion_protection=True),
    },
}
SOUND: dict[str, Stack] = {
    "a share of a zone": _share(),
    "a share of a region": _share(tier="REGIONAL", location="us-west4", capacity_gib=12800),
    "a basic share of a protected cluster": _share(tier="BASIC_HDD", protect=True),
    "claims of two namespaces": _share(claims=[{"name": "data", "namespace": "a"}, {"name": "data", "namespace": "b"}]),
}
