"""The machines that are out of stock, and how long flex-start requests queue: the user sets both.

There is no market behind it: a machine type, GPU or TPU generation is unlimited until the user says that it is out of
stock, in one zone or in all, for one capacity type or for all. Reserved capacity is always there, since nobody else can
have it.

Source of the text: answers of the Compute Engine API as quoted in public issue reports, read 2026-11.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.facts import gpu, tpu
from components.model.facts.tpu_catalogue import GENERATIONS
from simulator.cloud import capacity, locations
from simulator.cloud.api import Body, invalid, refusal
from simulator.cloud.service import at
from simulator.files import read_json, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

EXHAUSTED: Final = "ZONE_RESOURCE_POOL_EXHAUSTED"
"""Compute Engine's reason when a zone has no such machines left."""
STOCKOUT: Final = "GCE_STOCKOUT"
"""GKE's code for the same in the conditions of a node pool."""
QUEUE_SECONDS: Final = 300.0
"""Simulated seconds that a flex-start request queues when nothing else is set; real ones wait from minutes to days."""


_CAPACITIES: Final = ("on-demand", "spot", "flex-start")
"""What can be out of stock by itself: each is sold from what the others leave."""


@dataclass(frozen=True, slots=True, order=True)
class Shortage:
    """Something that is out of stock."""

    what: str
    """A machine type, a GPU, or the accelerator label of a TPU generation."""
    capacity: str
    """The capacity type; empty for all."""
    zone: str
    """Empty for every zone."""

    @classmethod
    def parse(cls, text: str) -> Shortage:
        """Read `WHAT`, `WHAT@ZONE`, `WHAT:CAPACITY` or `WHAT:CAPACITY@ZONE`.

        Raises:
            CloudError: INVALID_ARGUMENT: there is no such thing, no such capacity type or no such zone.
        """
        thing, _, zone = text.partition("@")
        what, _, capacity_type = thing.partition(":")
        if not _is_known(what):
            raise invalid(
                f"{what} is not a machine type (ct6e-standard-4t), GPU (nvidia-tesla-t4) or TPU (tpu-v6e-slice)."
            )
        if capacity_type and capacity_type not in _CAPACITIES:
            raise invalid(f"{capacity_type} is not one of {', '.join(_CAPACITIES)}.")
        if zone and zone not in locations.zones(locations.region_of(zone)):
            raise invalid(f"{zone} is not a zone.")
        return cls(what, capacity_type, zone)

    def __str__(self) -> str:
        """As `parse` reads it."""
        capacity_type, zone = self.capacity and f":{self.capacity}", self.zone and f"@{self.zone}"
        return f"{self.what}{capacity_type}{zone}"

    def concerns(self, body: Body, zone: str) -> bool:
        """Whether machines of a node pool's document are out of stock in a zone because of this."""
        return self.zone in ("", zone) and self.capacity in ("", capacity_type(body)) and self.what in _parts(body)

    def is_part_of(self, other: Shortage) -> bool:
        """Whether all that is out of stock because of this also is because of `other`."""
        return self.what == other.what and other.capacity in ("", self.capacity) and other.zone in ("", self.zone)


class Stock:
    """What is out of stock, kept in a file of its own."""

    def __init__(self, path: Path | None = None) -> None:
        """`path` is read when it exists; None keeps nothing."""
        self._path = path
        self._lock = threading.Lock()
        self._out: set[Shortage] = set()
        self.queue_seconds = QUEUE_SECONDS
        """Simulated seconds that a flex-start request queues."""
        if path is not None and path.exists():
            self._out = {Shortage.parse(text) for text in read_json(path, "Remove it: nothing is then out of stock.")}

    def change(self, *, out: Iterable[str] = (), back: Iterable[str] = ()) -> list[str]:
        """Say what runs out and what comes back, as `WHAT[:CAPACITY][@ZONE]`; returns all that is out, sorted.

        What comes back in all zones comes back in each, and so for all capacity types.

        Raises:
            CloudError: INVALID_ARGUMENT: one of them is unknown; nothing changed.
        """
        leaving, coming = {Shortage.parse(text) for text in out}, {Shortage.parse(text) for text in back}
        with self._lock:
            left = {each for each in self._out if not any(map(each.is_part_of, coming))}
            self._out = left | leaving
            if self._path is not None:
                write_whole(self._path, json.dumps(sorted(str(each) for each in self._out)))
        return self.listed()

    def listed(self) -> list[str]:
        """All that is out, sorted, as `WHAT[:CAPACITY][@ZONE]`."""
        with self._lock:
            return sorted(str(shortage) for shortage in self._out)

    def check(self, body: Body, project: str, zone: str) -> None:
        """Refuse new machines of a node pool in a zone that has none.

        Raises:
            CloudError: RESOURCE_EXHAUSTED in Compute Engine's words.
        """
        if capacity_type(body) == "reserved":
            return
        with self._lock:
            is_out = any(shortage.concerns(body, zone) for shortage in self._out)
        if is_out:
            raise refusal(
                "RESOURCE_EXHAUSTED",
                f"{EXHAUSTED}: The zone 'projects/{project}/zones/{zone}' does not have enough resources available to "
                "fulfill the request. Try a different zone, or try again later.",
            )


def capacity_type(body: Body) -> str:
    """How the machines of a node pool's document are paid for: `on-demand`, `spot`, `reserved` or `flex-start`."""
    config = body["config"]
    if config.get("flexStart"):
        return "flex-start"
    if config.get("spot") or config.get("preemptible"):
        return "spot"
    consumed = at(config, "reservationAffinity.consumeReservationType")
    return "reserved" if consumed == "SPECIFIC_RESERVATION" else "on-demand"


def _is_known(what: str) -> bool:
    return capacity.is_known_machine(what) or gpu.is_gpu(what) or any(g.accelerator == what for g in GENERATIONS)


def _parts(body: Body) -> set[str]:
    """Everything that a node of the pool is made of."""
    config = body["config"]
    machine_type = config["machineType"]
    cards = {card["acceleratorType"] for card in config.get("accelerators", [])}
    generation = {tpu.generation_of(machine_type).accelerator} if tpu.is_tpu_machine(machine_type) else set[str]()
    return {machine_type} | cards | generation
