"""Puts changed source in the place of a module that is loaded, for the rest of a process."""

from __future__ import annotations

import ast
import importlib
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_MODULES: Final = ("policies.objects.", "policies.rules")


def load(module: ModuleType, source: str) -> None:
    """Run the source within the module, and again whatever of the rules took something from it.

    Functions keep the mapping of globals that they were made with, so that tests that hold `judge` run the new rules;
    but a function that a test holds is never changed itself.
    """
    exec(compile(source, str(module.__file__), "exec"), vars(module))  # noqa: S102  what mutants are for
    changed = {module.__name__}
    for name, taken_from in _imports().items():
        if changed & taken_from and name != module.__name__:
            importlib.reload(sys.modules[name])
            changed.add(name)


def prepare() -> None:
    """Read once which module takes what from which, for every process that is forked from here on."""
    _imports()


@cache
def _imports() -> dict[str, set[str]]:
    """The modules of the rules that are loaded, each after all that it imports, which stand with it."""
    found = {name: set(_imported(each)) for name, each in sys.modules.items() if name.startswith(_MODULES)}
    order = TopologicalSorter(found).static_order()
    return {name: found[name] for name in order if name in found}


def _imported(module: ModuleType) -> Iterator[str]:
    """What a module imports when it runs; not what only its types need."""
    for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            modules = {f"{node.module}.{each.name}" for each in node.names} & set(sys.modules)
            yield from sorted(modules) or (node.module,)
