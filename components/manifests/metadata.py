"""What every Kubernetes document says of itself."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Metadata(TypedDict):
    """Name of an object, and what is attached to it."""

    name: str
    namespace: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    annotations: NotRequired[dict[str, str]]
