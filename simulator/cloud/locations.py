"""Regions and zones of Google Cloud that the simulated one knows.

A place that is not here does not exist for the simulated cloud, so the table holds all regions with an automatic
subnetwork, and the zones that the TPU catalogue adds.

Source: docs.cloud.google.com/vpc/docs/subnets ("Auto mode IPv4 subnet ranges") and
docs.cloud.google.com/compute/docs/regions-zones, read 2026-11; us-central2 hosts TPU v4 only.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from components.model.facts.tpu_catalogue import GENERATIONS
from simulator.cloud.api import invalid

_REGIONS: Final = {
    # region: (range of its subnetwork in an auto mode network, letters of its zones)
    "africa-south1": ("10.218.0.0/20", "abc"),
    "asia-east1": ("10.140.0.0/20", "abc"),
    "asia-east2": ("10.170.0.0/20", "abc"),
    "asia-northeast1": ("10.146.0.0/20", "abc"),
    "asia-northeast2": ("10.174.0.0/20", "abc"),
    "asia-northeast3": ("10.178.0.0/20", "abc"),
    "asia-south1": ("10.160.0.0/20", "abc"),
    "asia-south2": ("10.190.0.0/20", "abc"),
    "asia-southeast1": ("10.148.0.0/20", "abc"),
    "asia-southeast2": ("10.184.0.0/20", "abc"),
    "australia-southeast1": ("10.152.0.0/20", "abc"),
    "australia-southeast2": ("10.192.0.0/20", "abc"),
    "europe-central2": ("10.186.0.0/20", "abc"),
    "europe-north1": ("10.166.0.0/20", "abc"),
    "europe-southwest1": ("10.204.0.0/20", "abc"),
    "europe-west1": ("10.132.0.0/20", "bcd"),
    "europe-west2": ("10.154.0.0/20", "abc"),
    "europe-west3": ("10.156.0.0/20", "abc"),
    "europe-west4": ("10.164.0.0/20", "abc"),
    "europe-west6": ("10.172.0.0/20", "abc"),
    "europe-west8": ("10.198.0.0/20", "abc"),
    "europe-west9": ("10.200.0.0/20", "abc"),
    "europe-west10": ("10.214.0.0/20", "abc"),
    "europe-west12": ("10.210.0.0/20", "abc"),
    "me-central1": ("10.212.0.0/20", "abc"),
    "me-west1": ("10.208.0.0/20", "abc"),
    "northamerica-northeast1": ("10.162.0.0/20", "abc"),
    "northamerica-northeast2": ("10.188.0.0/20", "abc"),
    "southamerica-east1": ("10.158.0.0/20", "abc"),
    "southamerica-west1": ("10.194.0.0/20", "abc"),
    "us-central1": ("10.128.0.0/20", "abcf"),
    "us-central2": (None, "b"),
    "us-east1": ("10.142.0.0/20", "bcd"),
    "us-east4": ("10.150.0.0/20", "abc"),
    "us-east5": ("10.202.0.0/20", "abc"),
    "us-south1": ("10.206.0.0/20", "abc"),
    "us-west1": ("10.138.0.0/20", "abc"),
    "us-west2": ("10.168.0.0/20", "abc"),
    "us-west3": ("10.180.0.0/20", "abc"),
    "us-west4": ("10.182.0.0/20", "abc"),
}
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
