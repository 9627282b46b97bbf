"""Regions of Google Cloud and the zones in them, for misspelt ones: Google adds some every year.

Sources, read 2026-11: Compute Engine documentation "Regions and zones"; NetApp Volumes documentation, locations
(us-west8); Cloud Storage documentation "AI zones"; the catalogue, for zones that only TPUs are in (us-central2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, tpu

if TYPE_CHECKING:
    from collections.abc import Mapping

_LETTERS: Final = {"europe-west1": "bcd", "us-central1": "abcf", "us-east1": "bcd"}
"""Zones of the regions whose zones are not a, b and c."""
_AI_ZONES: Final = ("us-central1-ai1a", "us-south1-ai1b")
REGIONS: Final = (
    "africa-south1",
    *(f"asia-{each}" for each in ("east1", "east2", "northeast1", "northeast2", "northeast3", "south1", "south2")),
    *(f"asia-southeast{number}" for number in (1, 2, 3)),
    *(f"australia-southeast{number}" for number in (1, 2)),
    *(f"europe-{each}" for each in ("central2", "north1", "north2", "southwest1")),
    *(f"europe-west{number}" for number in (1, 2, 3, 4, 6, 8, 9, 10, 12)),
    *("me-central1", "me-central2", "me-west1"),
    *("northamerica-northeast1", "northamerica-northeast2", "northamerica-south1"),
    *("southamerica-east1", "southamerica-west1"),
    *("us-central1", "us-central2", "us-east1", "us-east4", "us-east5", "us-south1"),
    *(f"us-west{number}" for number in (1, 2, 3, 4, 8)),
)


def _zones() -> Mapping[str, tuple[str, ...]]:
    found = {region: {f"{region}-{letter}" for letter in _LETTERS.get(region, "abc")} for region in REGIONS}
    of_tpus = [zone for each in tpu.GENERATIONS for zone in (*each.zones, *each.flex_start_zones)]
    for zone in (*_AI_ZONES, *of_tpus):
        found.setdefault(gke.region_of(zone), set()).add(zone)
    return {region: tuple(sorted(zones)) for region, zones in found.items()}


_ZONES: Final = _zones()


def of_region(region: str) -> tuple[str, ...]:
    """The zones of a region; none of one that is not known here.

    >>> of_region("us-east1")
    ('us-east1-b', 'us-east1-c', 'us-east1-d')
    >>> of_region("us-central1")[1:3]
    ('us-central1-ai1a', 'us-central1-b')
    """
    return _ZONES.get(region, ())
