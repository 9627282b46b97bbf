"""The properties in the classes of an installed Pulumi SDK for Python, read from its source without importing it.

A class with arguments (`ClusterArgs`) has one getter for each input, the resource's own class one for each output. A
getter's annotation has the type, its decorator the name as Pulumi writes it. Deprecated properties are left out.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a class name is divided for the name of its file."""
_PLAIN: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_WRAPPERS: Final = frozenset(("Input", "Output", "Optional"))


@dataclass(frozen=True, slots=True)
class Member:
    """One property of a class."""

    container: str
    """`[{}]` of a list, `{{{}}}` of a map, `{}` of one value: a format of the type in it."""
    plain: str | None
    """`string`, `integer`, `number` or `boolean`; None for an object."""
    class_name: str | None
    """The class of an object, with the ending `Args` for arguments; None where the SDK names no class."""
    is_required: bool


class Sdk:
    """The source of one package's SDK."""

    def __init__(self, package: str) -> None:
        """`package` is Pulumi's name, such as `gcp`."""
        name = f"pulumi_{package}"
        self._folder = Path(str(distribution(name.replace("_", "-")).locate_file(name)))

    def members(self, module: str, class_name: str) -> Mapping[str, Member]:
        """The properties of a class by the names that Pulumi writes; `module` is a folder, such as `container`."""
        file = "_inputs" if class_name.endswith("Args") else "outputs"
        return _members(_classes(self._folder / module / f"{file}.py")[class_name])

    def resource(self, module: str, name: str) -> tuple[Mapping[str, Member], Mapping[str, Member], frozenset[str]]:
        """Inputs and all properties of a resource, and the outputs that the SDK keeps secret."""
        path = self._folder / module / f"{_WORDS.sub('_', name).lower()}.py"
        classes = _classes(path)
        return _members(classes[f"{name}Args"]), _members(classes[name]), _secrets(classes[name])


@cache
def _classes(path: Path) -> Mapping[str, ast.ClassDef]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, ast.ClassDef)}


def _members(node: ast.ClassDef) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for function in (each for each in node.body if isinstance(each, ast.FunctionDef)):
        decorators = {_called(each): each for each in function.decorator_list}
        getter = decorators.get("getter")
        if getter is not None and function.returns is not None and "deprecated" not in decorators:
            found[_stated_name(getter) or function.name] = _member(function.returns)
    return found


def _called(decorator: ast.expr) -> str:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return function.attr if isinstance(function, ast.Attribute) else ""


def _stated_name(getter: ast.expr) -> str | None:
    keywords = getter.keywords if isinstance(getter, ast.Call) else []
    return next((str(cast("ast.Constant", word.value).value) for word in keywords if word.arg == "name"), None)


def _member(annotation: ast.expr) -> Member:
    container, is_required = "{}", True
    while True:
        match annotation:
            case ast.Subscript(ast.Name(name) | ast.Attribute(_, name), inner) if name in _WRAPPERS:
                is_required &= name != "Optional" or container != "{}"
                annotation = inner
            case ast.Subscript(ast.Name("Sequence"), inner):
                annotation, container = inner, "[{}]"
            case ast.Subscript(ast.Name("Mapping"), ast.Tuple([_, inner])):
                annotation, container = inner, "{{{}}}"
            case ast.Attribute(_, name) if name in _PLAIN:
                return Member(container, _PLAIN[name], None, is_required)
            case ast.Constant(str(name)):
                return Member(container, None, name.removeprefix("outputs."), is_required)
            case _:
                return Member(container, None, None, is_required)


def _secrets(node: ast.ClassDef) -> frozenset[str]:
    """The arguments of `additional_secret_outputs` in the class."""
    words = (each for each in ast.walk(node) if isinstance(each, ast.keyword))
    lists = [word.value for word in words if word.arg == "additional_secret_outputs"]
    return frozenset(str(each.value) for found in lists for each in ast.walk(found) if isinstance(each, ast.Constant))
