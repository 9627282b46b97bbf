"""How lint checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from policies.objects.judging import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping


class Options(Struct, frozen=True, kw_only=True):
    """How to check."""

    settings: Settings = field(default_factory=Settings)
    releases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The releases that are meant, by controller; `gke` is the version of clusters and nodes that state none."""
    project: str | None = None
    """The Pulumi project of stack files; None for what the files themselves tell."""
    cluster: str | None = None
    """The one cluster whose objects of Google Cloud are checked, by name or path."""
    is_together: bool | None = None
    """Whether all files are one group; None where that is so unless a folder was walked."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of placeholders, by their names."""
