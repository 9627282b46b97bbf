"""The contract as plain data, as an engine keeps outputs, and back.

An engine does not return exactly what was exported: numbers come as floats, entries of a mapping in any order, and
entries that are None are missing.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

_WORDS: Final = {str: "a string", int: "a whole number", bool: "true or false"}


class MismatchError(Exception):
    """A value does not follow the contract."""

    def __init__(self, path: str, says: str, *, is_missing: bool) -> None:
        """`says` describes the fault at `path` of the outputs."""
        super().__init__(f"{path} {says}")
        self.is_missing = is_missing
        """Whether the field is absent."""


def to_plain(value: object) -> Any:  # noqa: ANN401  anything that JSON can say, and outputs
    """A part of the contract as mappings and lists; other values are left as they are."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_plain(each) for key, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, tuple):
        return [to_plain(each) for each in cast("tuple[object, ...]", value)]
    return value


def from_plain(value: object, wanted: Any, path: str = "") -> Any:  # noqa: ANN401  of the wanted type
    """Data from an engine, as the type of the contract; fields that the contract does not know are left out.

    Args:
        value: the data.
        wanted: a dataclass of the contract, or the type of one of its fields.
        path: its path in the outputs, for messages.

    Raises:
        MismatchError: a field is missing, or of another type.
    """
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        (one,) = (each for each in arguments if each is not types.NoneType)
        return None if value is None else from_plain(value, one, path)
    if origin is tuple:
        items = _of(value, list, "a list", path)
        return tuple(from_plain(each, arguments[0], f"{path}[{index}]") for index, each in enumerate(items))
    if origin is Mapping:
        entries = _of(value, dict, "a mapping", path)
        return {key: from_plain(each, arguments[1], f"{path}.{key}") for key, each in sorted(entries.items())}
    if origin is Literal:
        return _one_of(value, arguments, path)
    if is_dataclass(origin if origin is not None else wanted):
        return _fields(_of(value, dict, "a mapping", path), origin if origin is not None else wanted, path)
    return _leaf(value, str if isinstance(wanted, TypeVar) else wanted, path)


def _fields(given: dict[str, Any], wanted: Any, path: str) -> Any:  # noqa: ANN401  of the wanted type
    found: dict[str, Any] = {}
    for name, type_ in get_type_hints(wanted).items():
        at = f"{path}.{name}".lstrip(".")
        if name not in given and types.NoneType not in get_args(type_):
            raise MismatchError(at, "is missing", is_missing=True)
        found[name] = from_plain(given.get(name), type_, at)
    return wanted(**found)


def _leaf(value: object, wanted: type, path: str) -> object:
    if wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not wanted:
        raise _mismatch(value, _WORDS[wanted], path)
    return value


def _one_of(value: object, allowed: tuple[object, ...], path: str) -> object:
    if value not in allowed:
        raise _mismatch(value, f"one of {', '.join(map(str, allowed))}", path)
    return value


def _of(value: object, type_: type, word: str, path: str) -> Any:  # noqa: ANN401  what it is made of is looked at next
    if not isinstance(value, type_):
        raise _mismatch(value, word, path)
    return value


def _mismatch(value: object, word: str, path: str) -> MismatchError:
    return MismatchError(path, f"is {value!r}, where the contract has {word}", is_missing=False)
