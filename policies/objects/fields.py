"""The fields that an object states, compared with those that its kind and version of the API have.

Also kinds and versions that no release serves. Values are checked as the API server decodes them: null is not stated,
`2.0` is a whole number, an amount may be a number or text. A value that is not known yet is as it should be.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts.apis.fields import LIST, MAP, Field
from components.model.facts.apis.served import groups, shared_fields, versions_of
from components.model.facts.quantities import parse
from components.model.findings import listing, nearest
from policies.objects.values import Part, UndecidedError, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.model.places import Key
    from policies.objects.world import Object

_SPEC: Final = "spec"
_CORE: Final = "the core group"
_LIST: Final = "List"
_OF_PROGRAMS: Final = ("", "cloud.google.com", "monitoring.googleapis.com")
"""Groups in which programs have files of their own, such as the `v1` of kubectl's, or that have more kinds."""
_OF_THEIRS: Final = {("", "Config"), ("", "Template")}
"""Kinds of files of other programs that look like objects: kubectl's configuration, and OpenShift's templates."""
_OF_KUBERNETES: Final = ".k8s.io"
_OF_PROJECTS: Final = ".x-k8s.io"
"""How groups of Kubernetes itself end, and those of projects beside it, which borrow names: `scheduling.x-k8s.io`."""
_ALPHA: Final = re.compile(r"v[0-9]+alpha[0-9]+")


def version_in(each: Part) -> str:
    """The version of the API that an object or a configuration is written in, such as `v1beta2`."""
    return each.string("apiVersion").rpartition("/")[2]


def fields_of(each: Object) -> Mapping[str, Field]:
    """The fields that an object may have; none for a version that is not served: another rule says so."""
    version = versions_of(each.kind).get(version_in(each))
    return {} if version is None else version.fields


def walk_fields(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str, Field | None]]:
    """Every field in `part` and below: its mapping, its key, its definition; None for a field that does not exist."""
    for key in part.value:
        known = fields.get(key)
        yield part, key, known
        if known is not None and known.fields:
            for inner in _inner(part, key):
                yield from walk_fields(inner, known.fields)


def walk_dated_fields(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str, Field]]:
    """Every field in `part` and below that some releases do not know, or that has a set of values, and those around it.

    Each is its mapping, its key, and its definition.
    """
    for key in part.value:
        known = fields.get(key)
        if known is not None and known.is_dated:
            yield part, key, known
            for inner in _inner(part, key) if known.fields else ():
                yield from walk_dated_fields(inner, known.fields)


def fields_within(part: Part, start: Part, fields: Mapping[str, Field]) -> Mapping[str, Field]:
    """The fields that `part` may have, which is `start` or below it, where `start` has `fields`."""
    found = fields
    for key in part.place.keys[len(start.place.keys) :]:
        found = found[key].fields if isinstance(key, str) else found
    return found


def missing_fields(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str]]:
    """The fields that `part`, and what is stated below it, must have but does not have.

    A spec with such fields must be there, though the API server takes an object without one: nothing comes of it.
    """
    for key, known in fields.items():
        is_required = known.is_required or (key == _SPEC and any(each.is_required for each in known.fields.values()))
        if is_required and not _is_stated(part, key):
            yield part, key
        for inner in _inner(part, key) if known.fields else ():
            yield from missing_fields(inner, known.fields)


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


class Difference(NamedTuple):
    """A field that does not exist, or a value of another type."""

    steps: tuple[Key, ...]
    """The way to it from the object."""
    value: Value
    wanted: str
    """The type, such as `a whole number`; empty for a field that does not exist."""
    known: Mapping[str, Field]
    """The fields that may be in its place; empty for a value."""


def _is_whole(value: Value) -> bool:
    return type(value) is int or (isinstance(value, float) and value.is_integer())


def _is_amount(value: Value) -> bool:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return False
    try:
        parse(str(int(value)) if _is_whole(value) and isinstance(value, float) else str(value))
    except ValueError:
        return False
    return True


_DEEPEST: Final = 2
"""Levels below a mapping in which its unknown fields are sought: the pods of a Job are so deep."""


_SIMPLE: Final[Mapping[str, tuple[Callable[[Value], bool], str]]] = {
    "text": (lambda value: isinstance(value, str), "text"),
    "int": (_is_whole, "a whole number"),
    "number": (lambda value: isinstance(value, int | float) and not isinstance(value, bool), "a number"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "int-or-text": (lambda value: isinstance(value, str) or _is_whole(value), "a whole number or text"),
    "quantity": (_is_amount, "an amount such as 24 or 10Gi"),
}
"""How to tell values of a type, and what messages call the type."""


def differences(value: Mapping[str, Value], fields: Mapping[str, Field]) -> list[Difference]:
    """Every difference of a mapping, and of everything in it, from its fields; in the order in which they stand."""
    found: list[Difference] = []
    _mapping(value, fields, (), found)
    return found


def home_of(key: str, place: tuple[Key, ...], fields: Mapping[str, Field]) -> tuple[str, ...] | None:
    """The way to the mapping that has a field, where an object has it in another mapping: some levels below, or above.

    `place` is the way to the mapping in which it stands, and `fields` are those of the object. None where the field is
    nowhere on the way to it or below it.
    """
    steps = tuple(step for step in place if isinstance(step, str))
    way = [fields]
    for step in steps:
        known = way[-1].get(step)
        if known is None or MAP in known.type_:
            return None  # a key of any name
        way.append(_held(known))
    below = _below(key, way[-1], _DEEPEST)
    if below is not None:
        return (*steps, *below)
    return next((steps[:depth] for depth in range(len(steps) - 1, 0, -1) if key in way[depth]), None)


def _below(key: str, fields: Mapping[str, Field], levels: int) -> tuple[str, ...] | None:
    """The way down to a mapping that has a field; lists are not searched."""
    inner = {name: _held(each) for name, each in fields.items() if not each.type_.startswith((LIST, MAP))}
    found = next(((name,) for name, known in inner.items() if key in known), None)
    if found is not None or levels == 1:
        return found
    deeper = ((name, _below(key, known, levels - 1)) for name, known in inner.items())
    return next(((name, *way) for name, way in deeper if way is not None), None)


def _held(known: Field) -> Mapping[str, Field]:
    """The fields of the mapping that a field holds, or of each mapping in its list."""
    name = known.type_.removeprefix(LIST)
    return known.fields if not name or name in _SIMPLE or name.startswith((LIST, MAP)) else shared_fields(name)


def _mapping(
    value: Mapping[str, Value], fields: Mapping[str, Field], steps: tuple[Key, ...], found: list[Difference]
) -> None:
    for key, each in value.items():
        if each is None:
            continue
        known = fields.get(key)
        if known is None:
            found.append(Difference((*steps, key), each, "", fields))
            continue
        _value(each, known.type_, known.fields, (*steps, key), found)


def _value(
    value: Value, type_: str, fields: Mapping[str, Field], steps: tuple[Key, ...], found: list[Difference]
) -> None:
    """Compare a value with its type, where one is stated; `fields` are those of the mapping in the end."""
    if value is None or isinstance(value, Unknown) or not (type_ or fields):
        return
    simple = _SIMPLE.get(type_)
    if simple is not None:
        if not simple[0](value):
            found.append(Difference(steps, value, simple[1], {}))
    elif type_.startswith((LIST, MAP)):
        _items(value, type_, fields, steps, found)
    elif isinstance(value, dict):
        _mapping(value, shared_fields(type_) if type_ else fields, steps, found)
    else:
        found.append(Difference(steps, value, "a mapping", {}))


def _items(
    value: Value, type_: str, fields: Mapping[str, Field], steps: tuple[Key, ...], found: list[Difference]
) -> None:
    """Compare what a list holds, or a mapping with keys of any name; all of it has one type."""
    is_list = type_.startswith(LIST)
    if not isinstance(value, list if is_list else dict):
        found.append(Difference(steps, value, "a list" if is_list else "a mapping", {}))
        return
    for key, each in enumerate(value) if isinstance(value, list) else value.items():
        _value(each, type_.removeprefix(LIST if is_list else MAP), fields, (*steps, key), found)


class Unserved(NamedTuple):
    """Why nobody serves a kind, and what would be served."""

    key: str
    """The one of the two fields that is wrong."""
    says: str
    remedy: str


@lru_cache(maxsize=256)
def unserved(api_version: str, kind: str) -> Unserved | None:
    """Why no release serves a kind; None where one does, and where nobody here knows the group.

    >>> unserved("jobset.x-k8s.io/v1alpha2", "Jobset")
    Unserved(key='kind', says='jobset.x-k8s.io has no kind Jobset.', remedy='Write JobSet.')
    >>> unserved("v1", "Job").remedy
    'Write batch/v1.'
    """
    group, _, version = api_version.rpartition("/")
    if (group, kind) in _OF_THEIRS:
        return None
    known = groups().get(group)
    if known is None:
        return _in_no_group(group, kind)
    versions = known.get(kind, known.get(kind.removesuffix(_LIST)))
    if versions is None:
        return _of_no_kind(group, kind)
    if version in versions or _is_on_its_way(group, version, versions):
        return None
    return Unserved("apiVersion", f"there is no {kind} of version {version}.", f"Write {_named(group, versions)}.")


def _is_on_its_way(group: str, version: str, known: tuple[str, ...]) -> bool:
    """Whether a kind of Kubernetes that was an alpha in every release known here may have left that state since."""
    is_alpha = all(_ALPHA.fullmatch(each) for each in known)
    return is_alpha and _is_of_kubernetes(group) and re.fullmatch("v[0-9]+(beta[0-9]+)?", version) is not None


def _is_of_kubernetes(group: str) -> bool:
    return group.endswith(_OF_KUBERNETES) and not group.endswith(_OF_PROJECTS)


def _of_no_kind(group: str, kind: str) -> Unserved | None:
    """A kind that its group does not have."""
    says = f"{_CORE if group == '' else group} has no kind {kind}."
    elsewhere = _elsewhere(kind)
    if elsewhere is not None:
        return Unserved("apiVersion", says, elsewhere)
    near = nearest(kind, groups()[group])
    if near is not None:
        return Unserved("kind", says, f"Write {near}.")
    return None if group in _OF_PROGRAMS else Unserved("kind", says, f"Kinds: {listing(list(groups()[group]))}.")


def _in_no_group(group: str, kind: str) -> Unserved | None:
    """A kind in a group that nobody here knows: one without a domain is Kubernetes' own, and there is none like it."""
    having = [name for name, known in groups().items() if kind in known]
    borrows = group.endswith(_OF_PROJECTS)
    near = nearest(group, [name for name in having if not (borrows and _is_of_kubernetes(name))])
    says = f"there is no API group {group}."
    if near is not None:
        return Unserved("apiVersion", says, f"Write {_named(near, groups()[near][kind])}.")
    if "." in group or not having:
        return None
    return Unserved("apiVersion", says, f"Write {_named(having[0], groups()[having[0]][kind])}.")


def _elsewhere(kind: str) -> str | None:
    """The remedy for a kind that exactly one other group has."""
    having = [(group, known[kind]) for group, known in groups().items() if kind in known]
    return f"Write {_named(*having[0])}." if len(having) == 1 else None


def _named(group: str, versions: tuple[str, ...]) -> str:
    return listing([f"{group}/{version}" if group else version for version in versions], "or")
