"""The fields that an object states, compared with those of its version of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts.apis.served import versions_of
from policies.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.facts.apis.fields import Field
    from policies.objects.values import Part
    from policies.objects.world import Object

_SPEC: Final = "spec"


def version_in(each: Part) -> str:
    """The version of the API that an object or a configuration is written in, such as `v1beta2`."""
    return each.string("apiVersion").rpartition("/")[2]


def fields_of(each: Object) -> Mapping[str, Field]:
    """The fields that an object may have; none for a version that is not served: another rule says so."""
    version = versions_of(each.kind).get(version_in(each))
    return {} if version is None else version.fields


def stated(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str, Field | None]]:
    """Every field in `part` and below: its mapping, its key, its definition; None for a field that does not exist."""
    for key in part.value:
        known = fields.get(key)
        yield part, key, known
        for inner in () if known is None or not known.fields else _inner(part, key):
            yield from stated(inner, known.fields if known is not None else {})


def dated(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str, Field]]:
    """Every field in `part` and below that some releases do not know, or that has a set of values, and those around it.

    Each is its mapping, its key, and its definition.
    """
    for key in part.value:
        known = fields.get(key)
        if known is not None and known.is_dated:
            yield part, key, known
            for inner in _inner(part, key) if known.fields else ():
                yield from dated(inner, known.fields)


def within(part: Part, start: Part, fields: Mapping[str, Field]) -> Mapping[str, Field]:
    """The fields that `part` may have, which is `start` or below it, where `start` has `fields`."""
    found = fields
    for key in part.place.keys[len(start.place.keys) :]:
        found = found[key].fields if isinstance(key, str) else found
    return found


def missing(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str]]:
    """The fields that `part`, and what is stated below it, must have but does not have.

    A spec with such fields must be there, though the API server takes an object without one: nothing comes of it.
    """
    for key, known in fields.items():
        is_required = known.is_required or (key == _SPEC and any(each.is_required for each in known.fields.values()))
        if is_required and not _is_stated(part, key):
            yield part, key
        for inner in _inner(part, key) if known.fields else ():
            yield from missing(inner, known.fields)


def _inner(part: Part, key: str) -> tuple[Part, ...]:
    if isinstance(part.raw(key), list):
        return part.parts(key)
    inner = part.part(key)
    return () if inner is None else (inner,)


def _is_stated(part: Part, key: str) -> bool:
    """Whether something is said, known or not; empty text and lists say nothing."""
    try:
        return part.raw(key) not in (None, "", [])
    except UndecidedError:
        return True
