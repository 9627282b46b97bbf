"""What the SDK's classes do not say: the properties whose change needs a new resource, and secrets inside objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REPLACED: Final[Mapping[str, Sequence[str]]] = yaml.safe_load(
    Path(__file__).with_name("replaced.yaml").read_text(encoding="utf-8")
)
"""The properties whose change needs a new resource, by resource type or object type."""
SECRET: Final[Mapping[str, Sequence[str]]] = {"container.ClusterMasterAuth": ("clientKey",)}
"""Secrets that are not whole outputs of a resource, which the SDK names itself."""
