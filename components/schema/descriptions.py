"""Descriptions of the configuration, from its declarations."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, get_args

from components.model.config.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def described(model: type[Section], name: str) -> str:
    """The description of a field: its own docstring, else that of the section that it holds.

    Raises:
        LookupError: neither says anything.
    """
    for each in model.__mro__:
        own = docstrings(each).get(name) if issubclass(each, Section) and each is not Section else None
        if own is not None:
            return own
    held = [each.__doc__ for each in _sections(model.model_fields[name].annotation)]
    if len(held) != 1 or held[0] is None:
        raise LookupError(f"nothing says what {model.__name__}.{name} is")
    return in_one_line(held[0])


def in_one_line(text: str) -> str:
    """A docstring without its line breaks."""
    return " ".join(text.split())


def _sections(annotation: object) -> Iterator[type[Section]]:
    """The sections that a value of this type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for argument in get_args(annotation):
        yield from _sections(argument)


@cache
def docstrings(declared: type) -> Mapping[str, str]:
    """The docstrings below the annotated attributes of a class, by the names of the attributes."""
    found: dict[str, str] = {}
    for statement, behind in pairwise(_bodies(declared.__module__)[declared.__name__]):
        match statement, behind:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = in_one_line(text)
            case _:
                pass
    return MappingProxyType(found)


@cache
def _bodies(module: str) -> Mapping[str, list[ast.stmt]]:
    """The statements of each class of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return MappingProxyType({each.name: each.body for each in tree.body if isinstance(each, ast.ClassDef)})
