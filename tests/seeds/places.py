"""Looks up what a row points at: a value by its path, a command, a test."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import shlex
from typing import TYPE_CHECKING, Final, cast

from tests.tracked import ROOT
from tpu.commands import COMMANDS
from tpu.completion import parser_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_STEP: Final = re.compile(r"\.?(?P<key>[^.\[\]]+)|\[(?P<index>\d+)\]|\[(?P<name>[^\]]+)\]")
_TARGET: Final = re.compile(r"^(?P<name>[a-z-]+):", re.MULTILINE)
_VARIABLE: Final = re.compile(r"^(?P<name>[A-Z]+) \?=", re.MULTILINE)


class NothingThereError(LookupError):
    """A path, command or test leads nowhere; the text says how far it leads."""


def value_at(whole: object, path: str) -> object:
    """The value at a path such as `spec.containers[0].resources.limits[google.com/tpu]`.

    Raises:
        NothingThereError: there is none.
    """
    value = whole
    for step in steps_of(path):
        match value:
            case dict() if step in value:
                value = cast("dict[object, object]", value)[step]
            case list() if isinstance(step, int) and step < len(cast("list[object]", value)):
                value = cast("list[object]", value)[step]
            case _:
                raise NothingThereError(f"{path}: nothing at {step}")
    return value


def steps_of(path: str) -> list[str | int]:
    """The keys and numbers of a path; a key with dots in it stands in brackets."""
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise NothingThereError(f"{path} is no path")
        steps.append(int(step["index"]) if step["index"] else step["key"] or step["name"])
        at = step.end()
    return steps


def check_command(command: str) -> None:
    """That a command of ours exists with these words: a target of the Makefile, or a module with a command line.

    Raises:
        NothingThereError: it does not.
    """
    match shlex.split(command):
        case ["make", target, *variables]:
            _check_target(target, variables)
        case ["tpu", name, *words] if name in COMMANDS:
            _check_words(parser_of(COMMANDS[name]), f"tpu {name}", words)
        case ["python", "-m", module, *words]:
            _check_module(module, words)
        case _:
            raise NothingThereError(f"{command} is no command of this project")


def _check_target(target: str, variables: list[str]) -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    if target not in _TARGET.findall(text):
        raise NothingThereError(f"make {target}: no such target")
    unknown = {each.partition("=")[0] for each in variables} - set(_VARIABLE.findall(text))
    if unknown:
        raise NothingThereError(f"make {target}: no variable {', '.join(sorted(unknown))}")


def _check_module(module: str, words: list[str]) -> None:
    try:
        parser = cast("Callable[[], argparse.ArgumentParser]", importlib.import_module(f"{module}.__main__")._parser)
    except (ModuleNotFoundError, AttributeError) as error:
        raise NothingThereError(f"python -m {module}: {error}") from error
    _check_words(parser(), f"python -m {module}", words)


def _check_words(parser: argparse.ArgumentParser, command: str, words: list[str]) -> None:
    try:
        parser.parse_args(words)
    except SystemExit as error:
        raise NothingThereError(f"{command} does not take {shlex.join(words)}") from error


def check_test(name: str) -> None:
    """That a test `folder/test_module.py::test_function` exists.

    Raises:
        NothingThereError: it does not.
    """
    path, _, function = name.partition("::")
    if not function.startswith("test_") or function not in _functions(path):
        raise NothingThereError(f"{name}: no such test")


@functools.cache
def _functions(path: str) -> frozenset[str]:
    file = ROOT / path
    if not file.is_file():
        raise NothingThereError(f"{path}: no such file")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
