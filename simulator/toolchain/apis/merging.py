"""Adds a release of an API to the data of earlier ones: which items are new since it, and which ended before it.

Releases are merged in their order. The data of older releases stay as they are, so that they outlive the pin of their
modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from components.model.facts.apis.fields import Field, Kinds, Life, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Item = TypeVar("_Item", bound=Life)


def merge(known: Kinds, read: Kinds, release: str) -> Kinds:
    """The known data merged with those of a release such as `0.19`, in the order of the release.

    Without known data, the result is the release, without a beginning.
    """
    since = release if known else None
    return {
        kind: _merged(known.get(kind, {}), read.get(kind, {}), since, release, _version) for kind in {**read, **known}
    }


def _merged(
    known: Mapping[str, _Item],
    read: Mapping[str, _Item],
    since: str | None,
    release: str,
    merged: Callable[[_Item, _Item, str | None, str], _Item],
) -> dict[str, _Item]:
    """Items by name: the known ones that are still there, those that are new, those that are gone."""
    found: dict[str, _Item] = {}
    for name, each in read.items():
        before = known.get(name)
        found[name] = _begun(each, since) if before is None else merged(before, each, since, release)
    for name, each in known.items():
        if name not in read:
            found[name] = _ended(each, release)
    return found


def _begun(item: _Item, since: str | None) -> _Item:
    """A new item, since a release unless the item itself says since when; its parts are as old."""
    return structs.replace(item, since=since if item.since is None else item.since)


def _ended(item: _Item, release: str) -> _Item:
    """An item that is gone now, unless it ended earlier."""
    return structs.replace(item, until=item.until if item.until is not None else release)


def _value(known: Life, read: Life, _since: str | None, release: str) -> Life:
    return _lived(read, known, release)


def _field(known: Field, read: Field, since: str | None, release: str) -> Field:
    fields = _merged(known.fields, read.fields, since, release, _field)
    values = _merged(known.values, read.values, since, release, _value) if known.values else read.values
    return structs.replace(_lived(read, known, release), fields=fields, values=values)


def _version(known: Version, read: Version, since: str | None, release: str) -> Version:
    fields = _merged(known.fields, read.fields, since, release, _field)
    return structs.replace(_lived(read, known, release), fields=fields)


def _lived(read: _Item, known: Life, release: str) -> _Item:
    """An item of both; it is as old as it is known, and deprecated since the release that first said so."""
    is_new = known.deprecated is None and read.deprecated is not None
    return structs.replace(read, since=known.since, until=None, deprecated=release if is_new else known.deprecated)
