"""Classes of frozen values: as `dataclass(frozen=True, slots=True)`, at a fifth of the time that making one takes.

A dataclass compiles six methods, and an instance of most classes is never made: compiling them would take a twentieth
of a preview. Here all classes share their methods, and a constructor is compiled when it is first used.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

_Class = TypeVar("_Class", bound="type[Any]")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, kw_only: bool = False) -> Callable[[_Class], _Class]:
    """Gives a class slots for its fields, which only its constructor sets."""

    def make(cls: _Class) -> _Class:
        made: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
        made.__init__ = _first_init
        made.__eq__, made.__hash__, made.__repr__ = _is_equal, _hash, _shown
        made.__setattr__, made.__delattr__ = _refuse, _refuse
        made.__getstate__, made.__setstate__ = _state, _restore
        return made

    return make


def _first_init(self: object, *values: object, **named: object) -> None:
    """Compiles the constructor of the class, which takes this one's place."""
    cls = cast("Any", type(self))
    cls.__init__ = _constructor(cls)
    cls.__init__(self, *values, **named)


def _constructor(cls: type[Any]) -> Callable[..., None]:
    fields = sorted(dataclasses.fields(cls), key=lambda each: bool(each.kw_only))
    names: dict[str, Any] = {"MISSING": MISSING}
    for each in fields:
        names[f"set_{each.name}"] = getattr(cls, each.name).__set__
        names[f"default_{each.name}"], names[f"make_{each.name}"] = each.default, each.default_factory
    parameters = [_parameter(each) for each in fields]
    if fields and fields[-1].kw_only:
        parameters.insert([bool(each.kw_only) for each in fields].index(True), "*")
    lines = [f"def __init__({', '.join(['self', *parameters])}):"]
    lines += [f" set_{each.name}(self, {_value(each)})" for each in fields]
    exec("\n".join([*lines, " return"]), names)  # noqa: S102  the class's own names
    return names["__init__"]


def _parameter(of: Field[Any]) -> str:
    if of.default_factory is not MISSING:
        return f"{of.name}=MISSING"
    return of.name if of.default is MISSING else f"{of.name}=default_{of.name}"


def _value(of: Field[Any]) -> str:
    return of.name if of.default_factory is MISSING else f"make_{of.name}() if {of.name} is MISSING else {of.name}"


@cache
def _compared(cls: type[Any]) -> Callable[[object], object]:
    """Returns what tells instances of a class apart."""
    names = [each.name for each in dataclasses.fields(cls) if each.compare]
    return attrgetter(*names) if names else type


def _is_equal(self: object, other: object) -> bool:
    if type(self) is not type(other):
        return NotImplemented
    values = _compared(type(self))
    return values(self) == values(other)


def _hash(self: object) -> int:
    return hash(_compared(type(self))(self))


def _shown(self: object) -> str:
    fields = dataclasses.fields(cast("Any", self))
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, _value: object = None) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__qualname__} is frozen: {name} cannot be changed")


def _state(self: object) -> list[object]:
    return [getattr(self, each.name) for each in dataclasses.fields(cast("Any", self))]


def _restore(self: object, state: list[object]) -> None:
    for each, value in zip(dataclasses.fields(cast("Any", self)), state, strict=True):
        object.__setattr__(self, each.name, value)
