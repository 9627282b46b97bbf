"""The settings of the machine that pods run on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kubeapi import Api
    from simulator.certificates import Authority
    from simulator.pods.interpreted import Clock
    from simulator.pods.programs import Releases


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The settings that all host pods of a cluster share."""

    api: Api
    """The API server as its administrator."""
    authority: Authority
    authority_path: Path
    folder: Path
    """Folder with one folder per pod."""
    releases: Releases
    free_port: Callable[[], int]
    pod_address: Callable[[], str]
    """A pod IP that no other pod has."""
    service_port: Callable[[str, str, int], int]
    """The loopback port that leads to a port of a Service, by namespace and name."""
    share: Callable[[str, str], Path | None]
    """The folder behind an NFS server and its path, None when no such server is on the cluster's network."""
    clock: Clock
    """Simulated time, in which scripts run."""
