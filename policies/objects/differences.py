"""What an object states otherwise than its kind has it: fields that do not exist, and values of another type.

Values are judged as the API server decodes them: null is not stated, `2.0` is a whole number, an amount may be a number
or text. A value that is not known yet is as it should be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts.apis.fields import LIST, MAP
from components.model.facts.apis.served import shared_fields
from components.model.facts.quantities import parse
from policies.objects.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.model.facts.apis.fields import Field
    from components.model.places import Key
    from policies.objects.values import Value


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
