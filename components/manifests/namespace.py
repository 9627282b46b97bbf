"""The Namespace document of a team."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata


class Namespace(TypedDict):
    """A namespace."""

    apiVersion: str
    kind: str
    metadata: Metadata


def namespace(name: str) -> Namespace:
    """The namespace's document."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
