"""The settings that every cluster of the simulator shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kubeapi.documents import Document
    from operations.watch.shown import Shown
    from simulator.clusters.add_ons import AddOns
    from simulator.clusters.supervisor import Incident
    from simulator.pods.interpreted import Clock
    from simulator.pods.programs import Releases
    from simulator.pods.storage import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The settings that every cluster of the simulator shares."""

    binaries: Mapping[str, Path]
    """Executables of the control plane by tool name."""
    releases: Releases
    """The programs behind images."""
    stages: str
    """kwok Stage documents as YAML text."""
    definitions: Sequence[Document]
    """CustomResourceDefinitions that GKE has in every cluster."""
    token: str
    """The user's token: like Google's, it is the same on every cluster."""
    speed: Callable[[], float]
    """Simulated seconds per real second."""
    eviction: Callable[[], float]
    """Simulated seconds that pods stay on a node that failed."""
    now: Callable[[], float]
    """Seconds since the epoch."""
    shown: Callable[[], Shown]
    """Converts real moments to simulated ones."""
    clock: Clock
    """Simulated time, in which scripts of pods run."""
    storage: Callable[[str], Storage]
    """What a cluster (an API name) reaches in the cloud."""
    add_ons: AddOns
    """The objects of GKE's add-ons."""
    report: Callable[[str, Incident], None]
    """Called with the cluster's name for every process that died by itself."""
