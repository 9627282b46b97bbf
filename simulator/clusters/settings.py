"""The settings of one cluster's control plane with the paths of its files, and those that all clusters share. Pure."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from components.kubeapi.documents import Document
    from simulator.cloud.clock import Clock
    from simulator.clusters.add_ons import AddOns
    from simulator.clusters.pki import ClusterFiles
    from simulator.clusters.supervisor import Incident
    from simulator.pods.programs import Releases
    from simulator.pods.storage import Storage
    from simulator.shown import Shown

NODE_API: Final = "node-api"
PORT_NAMES: Final[tuple[str, ...]] = ("etcd", "etcd-peer", "api-server", "controller-manager", "scheduler", NODE_API)
"""The loopback ports that a cluster keeps."""

MADE_ANEW: Final = "`pulumi destroy` and then `pulumi up` of its stack make the cluster anew."
"""The fix for a broken file that a cluster keeps for its life."""

EGRESS_SOCKET: Final = "egress.sock"
"""The egress proxy's socket, relative to the cluster's folder: an absolute path may be too long for an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSettings:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a control plane."""

    folder: Path
    """The cluster's folder; the processes' working directory."""
    files: ClusterFiles
    ports: Mapping[str, int]
    binaries: Mapping[str, Path]
    service_range: str
    """Range of the cluster's Services, in CIDR notation."""
    pod_range: str
    stages: str
    """kwok Stage documents as YAML text."""
    eviction_seconds: int
    """How long pods stay on a node that is gone; Kubernetes' own default is 300."""

    @property
    def configuration(self) -> Path:
        """Folder of the files besides certificates that the processes read."""
        return self.folder / "config"

    @property
    def tokens(self) -> Path:
        """The API server's file of users with tokens."""
        return self.folder / "tokens.csv"

    @property
    def egress_socket(self) -> Path:
        """The egress proxy's socket."""
        return self.folder / EGRESS_SOCKET

    @property
    def endpoint(self) -> str:
        """`host:port` of the API server."""
        return f"127.0.0.1:{self.ports['api-server']}"

    def kubeconfig(self, user: str) -> Path:
        """The kubeconfig of one of the cluster's own clients."""
        return self.configuration / f"{user}.kubeconfig"


def service_address(service_range: str) -> str:
    """The first address of the service range, which Kubernetes gives to its own API.

    >>> service_address("10.20.0.0/20")
    '10.20.0.1'
    """
    return str(ipaddress.ip_network(service_range)[1])
