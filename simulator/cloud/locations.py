"""Regions and zones of Google Cloud that the simulated one knows: those of `regions.yaml` and of the TPU catalogue."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from components.model.facts.tpu_catalogue import GENERATIONS
from simulator.cloud.api import invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

_REGIONS: Final[Mapping[str, tuple[str | None, str]]] = yaml.load(
    Path(__file__).with_name("regions.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
_ZONES_OF_A_CLUSTER: Final = 3
"""Zones that GKE spreads a regional cluster over when none are named."""


def automatic_ranges() -> dict[str, str]:
    """The range of each region's subnetwork in an auto mode network."""
    return {region: cidr for region, (cidr, _) in _REGIONS.items() if cidr is not None}


@cache
def zones(region: str) -> tuple[str, ...]:
    """The zones of a region, sorted; none when there is no such region."""
    if region not in _REGIONS:
        return ()
    ordinary = {f"{region}-{letter}" for letter in _REGIONS[region][1]}
    for_tpus = {zone for generation in GENERATIONS for zone in generation.zones if region_of(zone) == region}
    return tuple(sorted(ordinary | for_tpus))


def region_of(location: str) -> str:
    """The region of a zone, or the region itself.

    >>> region_of("us-south1-ai1b"), region_of("us-west4")
    ('us-south1', 'us-west4')
    """
    return location if location in _REGIONS else location.rpartition("-")[0]


def is_region(location: str) -> bool:
    """Whether `location` is a region and not a zone."""
    return location in _REGIONS


def default_zones(location: str) -> list[str]:
    """Where the nodes of a cluster in `location` are when its creator names no zones."""
    if not is_region(location):
        return [location]
    ordinary = [f"{location}-{letter}" for letter in _REGIONS[location][1]]
    return ordinary[:_ZONES_OF_A_CLUSTER]


def check_location(location: str) -> None:
    """Refuse a location that does not exist.

    Raises:
        CloudError: INVALID_ARGUMENT.
    """
    if not is_region(location) and location not in zones(region_of(location)):
        raise invalid(f'Location "{location}" does not exist.')
