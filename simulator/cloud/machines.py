"""The machine under the cloud: it runs control planes and registers nodes.

The cloud decides what exists; this protocol makes it so. Every call is made from an operation's own thread, may take as
long as the work does, and may come a second time with the same arguments: an operation that a crash interrupted is
resumed from its start. So work that is done already counts as done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

Node = dict[str, Any]
"""A Kubernetes Node document with metadata, spec and status, as `simulator.nodes` makes it."""


class MachinesError(Exception):
    """The machine under the cloud could not do it; the text becomes the operation's error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """The settings that a control plane starts with."""

    name: str
    """The API name, `projects/P/locations/L/clusters/C`."""
    is_autopilot: bool
    pod_range: str
    """Addresses of pods, in CIDR form."""
    service_range: str
    """Addresses of Services, in CIDR form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEndpoint:
    """Where a control plane answers."""

    host: str
    """`127.0.0.1:port` of the API server."""
    ca_certificate: str
    """The certificate of its authority, PEM in base64."""


class Machines(Protocol):
    """Control planes and nodes on this machine."""

    def start_cluster(self, cluster: ClusterSpec) -> ClusterEndpoint:
        """Start the control plane, or find it running, and return once its API server is ready.

        Raises:
            MachinesError: it did not become ready.
        """
        ...

    def install(self, cluster: str, add_ons: list[str]) -> None:
        """Give the cluster of that API name the objects of these add-ons, and take those of others away.

        Raises:
            MachinesError: the API server did not take them.
        """
        ...

    def delete_cluster(self, name: str) -> None:
        """Stop the control plane of the cluster `name` (an API name) and remove its data.

        Raises:
            MachinesError: a part of it could not be removed.
        """
        ...

    def add_nodes(self, cluster: str, nodes: list[Node]) -> None:
        """Register `nodes` in the cluster of that API name; a node that exists already is left as it is.

        Raises:
            MachinesError: the API server did not take them.
        """
        ...

    def update_nodes(self, cluster: str, nodes: list[Node]) -> None:
        """Give nodes that exist the labels and taints of `nodes`; their pods keep running.

        Raises:
            MachinesError: the API server did not take them.
        """
        ...

    def break_nodes(self, cluster: str, names: list[str]) -> None:
        """Make the nodes of those names fail: not Ready, and nothing on them ends by itself; a second call is harmless.

        Raises:
            MachinesError: the API server did not take it.
        """
        ...

    def remove_nodes(self, cluster: str, names: list[str]) -> None:
        """Remove the nodes of those names with their pods; a node that is gone already is not an error.

        Raises:
            MachinesError: the API server did not remove them.
        """
        ...
