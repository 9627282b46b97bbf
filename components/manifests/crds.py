"""Custom resource definitions that a chart leaves behind when it is uninstalled.

Helm installs what is in a chart's folder `crds/` and never deletes it. Here the stack takes such a definition over once
the chart has made it: by server-side apply of no more than its name and a mark, so that the definition stays the
chart's and its deletion is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata

JOBSET: Final = "jobsets.jobset.x-k8s.io"
MARK: Final = "tpu-platform/release"
"""Annotation that names the release which made the definition."""


class Definition(TypedDict):
    """What is written of a definition."""

    apiVersion: str
    kind: str
    metadata: Metadata


def taken_over(name: str) -> Definition:
    """The document, without the mark: its value is known when the release is there."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name}}
