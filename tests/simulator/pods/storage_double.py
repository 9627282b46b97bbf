"""A double of what pods reach in the cloud: folders and values by name, or refusals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.cloud.api import CloudError, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.pods.storage import Identity


@dataclass
class StorageDouble:
    """Implements `simulator.pods.storage.Storage`."""

    shares: dict[tuple[str, str], Path] = field(default_factory=dict[tuple[str, str], "Path"])
    """Folders by server and path."""
    instances: dict[tuple[str, str], Path] = field(default_factory=dict[tuple[str, str], "Path"])
    """Folders by address and file system."""
    buckets: dict[str, Path | CloudError] = field(default_factory=dict[str, "Path | CloudError"])
    secrets: dict[str, bytes | CloudError] = field(default_factory=dict[str, "bytes | CloudError"])
    disks: dict[str, Path] = field(default_factory=dict[str, "Path"])
    asked: list[Identity] = field(default_factory=list["Identity"])
    """Who asked for a bucket or secret."""
    of_nodes: CloudError | None = None
    """The refusal of what a node asks for itself."""
    made: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """Disks by name."""
    refused: CloudError | None = None
    """The refusal of every new disk."""
    project: str = "acme"

    def share(self, server: str, path: str) -> Path | None:
        return self.shares.get((server, path))

    def lustre(self, address: str, filesystem: str) -> Path | None:
        return self.instances.get((address, filesystem))

    def bucket(self, name: str, who: Identity) -> Path:
        self.asked.append(who)
        if who.pool and self.of_nodes is not None:
            raise self.of_nodes
        found = self.buckets.get(name) or refusal("NOT_FOUND", "The specified bucket does not exist.")
        if isinstance(found, CloudError):
            raise found
        return found

    def secret(self, version: str, who: Identity) -> bytes:
        self.asked.append(who)
        found = self.secrets.get(version) or refusal("NOT_FOUND", f"Secret [{version}] not found or has no versions.")
        if isinstance(found, CloudError):
            raise found
        return found

    def disk(self, name: str) -> Path | None:
        return self.disks.get(name)

    def make_disk(self, name: str, body: dict[str, Any]) -> None:
        if self.refused is not None:
            raise self.refused
        self.made[name] = body

    def delete_disk(self, name: str) -> None:
        self.made.pop(name, None)
