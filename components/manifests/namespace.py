"""The Namespace document of a team."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.queues import NamespacePlan

DELETED: Final = "tpu-platform/deletion"
"""Annotation on a namespace that the stack deletes when the stack file no longer names it. The stack's state has it
exactly while the engine may delete the namespace. A preview shows when that changes; it does not show an option."""


class Namespace(TypedDict):
    """A namespace."""

    apiVersion: str
    kind: str
    metadata: Metadata


def namespace(plan: NamespacePlan) -> Namespace:
    """The namespace's document."""
    metadata: Metadata = {"name": plan.name}
    if plan.is_deleted:
        metadata["annotations"] = {DELETED: "with-the-declaration"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
