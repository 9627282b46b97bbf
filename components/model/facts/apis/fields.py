"""Kinds of an API as trees of fields, and the releases that have them."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

ANY: Final = ""
"""The type of a field that has fields of its own, or may hold anything."""
LIST: Final = "[]"
MAP: Final = "{}"


class Life(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """In which releases something is there; releases as `0.18`, major and minor."""

    since: str | None = None
    """The first that has it; None where the oldest that is known has it."""
    until: str | None = None
    """The first that has it no more."""
    deprecated: str | None = None
    """The first that calls it deprecated; empty where the oldest that is known does."""

    def covers(self, release: str) -> bool:
        """Whether a release has it.

        >>> Life(since="0.9").covers("0.18"), Life(since="0.18").covers("0.9"), Life(until="0.18").covers("0.18")
        (True, False, False)
        """
        is_over = self.until is not None and parse_minor(self.until) <= parse_minor(release)
        return not is_over and not self.begins_after(release)

    def begins_after(self, release: str) -> bool:
        """Whether a release is too old for it."""
        return self.since is not None and parse_minor(release) < parse_minor(self.since)

    def is_deprecated_in(self, release: str) -> bool:
        """Whether a release calls it deprecated."""
        since = self.deprecated
        return since is not None and (not since or parse_minor(since) <= parse_minor(release))


class Field(Life, frozen=True, kw_only=True, omit_defaults=True, rename={"type_": "type", "is_required": "required"}):
    """A field of an object."""

    type_: str = ANY
    """The type: `text`, `int`, `number`, `bool`, `quantity`, `int-or-text`, or the name of a type that has a place of
    its own beside the kinds; before that `[]` for a list, and `{}` for a mapping with keys of any name."""
    is_required: bool = False
    most: int | None = None
    """The most items that it may have; None for no limit."""
    values: dict[str, Life] = {}
    """The values that it may have; empty for anything."""
    fields: dict[str, Field] = {}
    """The fields of its mapping, or of each mapping in its list; empty where anything may be in it."""

    @property
    def is_dated(self) -> bool:
        """Whether it or something in it is not in every release, or has a set of values."""
        is_lasting = (self.since, self.until, self.deprecated) == (None, None, None)
        return bool(self.values) or not is_lasting or any(each.is_dated for each in self.fields.values())


class Version(Life, frozen=True, kw_only=True, omit_defaults=True):
    """A version of a kind."""

    fields: dict[str, Field]
    """From the object down."""


Kinds = dict[str, dict[str, Version]]
"""By kind and by version, such as `v1beta2`; a type that kinds refer to has one version, without a name."""


def parse_minor(release: str) -> tuple[int, int]:
    """The major and minor number of a release such as `0.18` or `0.18.2`, comparable."""
    major, minor, *_ = release.split(".")
    return int(major), int(minor)


def minor(release: str) -> str:
    """The minor release of a release.

    >>> minor("0.19.2")
    '0.19'
    """
    return ".".join(map(str, parse_minor(release)))
