"""The runs that will exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetPlan:
    """A multislice workload."""

    place: Place
    name: str
    namespace: str
    queue: str
    priority: str | None
    flavor: str
    slices: int
    hosts: int
    """Of one slice, each with one pod."""
    chips_per_host: int
    chips: int
    """Over all slices."""
    node_selector: Mapping[str, str]
    exclusive_topology: str | None
    """Node label in each of whose values at most one slice runs; None where a slice is one host."""
    image: str
    script: str
    ports: tuple[int, ...]
    max_restarts: int
    is_on_host_network: bool
    is_privileged: bool
