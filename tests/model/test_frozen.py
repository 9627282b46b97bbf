"""Classes of frozen values behave as frozen dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import FrozenInstanceError, dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from components.model.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable


def _family(decorated: Callable[..., Any]) -> tuple[Any, Any]:
    @decorated()
    class Base:
        name: str
        note: str = field(default="", compare=False, repr=False)

    @decorated(kw_only=True)
    class Part(Base):
        size: int
        items: list[int] = field(default_factory=list[int])

        @property
        def double(self) -> int:
            return self.size * 2

    return Base, Part


def _dataclass(*, kw_only: bool = False) -> Callable[[type[Any]], type[Any]]:
    return dataclass(frozen=True, slots=True, kw_only=kw_only)


def _outcome(action: Callable[[], object]) -> object:
    try:
        return action()
    except (TypeError, FrozenInstanceError) as error:
        return type(error)


_ACTIONS: dict[str, Callable[[Any, Any], object]] = {
    "by position and name": lambda _, part: repr(part("a", size=1)),
    "all given": lambda _, part: repr(part("a", "n", size=1, items=[2])),
    "nested": lambda base, part: repr(part("a", size=1, items=[base("b", "n")])),
    "one is missing": lambda _, part: part("a"),
    "by position, but only by name": lambda _, part: part("a", "n", 1),
    "one too many": lambda base, _: base("a", other=1),
    "equal": lambda _, part: [part("a", size=1) == part("a", note, size=size) for note in ("", "n") for size in (1, 2)],
    "of two classes": lambda base, part: base("a") == part("a", size=1),
    "hashed": lambda base, _: len({base("a"), base("a", "n"), base("b")}),
    "hashed with a list": lambda _, part: hash(part("a", size=1)),
    "set": lambda base, _: setattr(base("a"), "name", "b"),
    "deleted": lambda base, _: delattr(base("a"), "name"),
    "replaced": lambda _, part: repr(dataclasses.replace(part("a", size=1), name="b")),
    "a list of its own": lambda _, part: part("a", size=1).items is part("a", size=1).items,
    "copied": lambda _, part: repr(copy.deepcopy(part("a", "n", size=1, items=[3]))),
    "note of a copy": lambda base, _: copy.deepcopy(base("a", "n")).note,
    "property": lambda _, part: part("a", size=2).double,
    "fields": lambda _, part: [each.name for each in dataclasses.fields(part)],
    "has a dictionary": lambda _, part: hasattr(part("a", size=1), "__dict__"),
}


@pytest.mark.parametrize("action", _ACTIONS)
def test_it_does_what_a_frozen_dataclass_does(action: str) -> None:
    of_dataclass = _outcome(lambda: _ACTIONS[action](*_family(_dataclass)))
    assert _outcome(lambda: _ACTIONS[action](*_family(frozen))) == of_dataclass
