"""`tpu completion SHELL`: the completion of all commands and their flags, as shtab writes it."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING, Final, cast

import shtab

from tpu.commands import COMMANDS, Command

if TYPE_CHECKING:
    from collections.abc import Sequence


_FILES: Final = ("FILE", "EVENTS", "PLAN")
"""Names of arguments that are files."""


def script(words: Sequence[str]) -> int:
    """Print the completion for a shell: `tpu completion bash >> ~/.bash_completion`."""
    own = argparse.ArgumentParser(
        prog="tpu completion",
        description="Print the completion of `tpu` for a shell.",
        epilog="Example: tpu completion bash > ~/.local/share/bash-completion/completions/tpu.",
    )
    own.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, metavar="SHELL", help="bash, zsh or tcsh")
    sys.stdout.write(shtab.complete(whole(), own.parse_args(words).shell))
    return 0


def whole() -> argparse.ArgumentParser:
    """One parser with the parsers of all commands; it is for completion alone."""
    made = argparse.ArgumentParser(prog="tpu")
    commands = made.add_subparsers()
    for command in COMMANDS.values():
        parents = [] if command.missing() else [parser_of(command)]
        for parser in parents:
            _complete_files(parser)
        commands.add_parser(command.name, parents=parents, conflict_handler="resolve", help=command.summary)
    return made


def parser_of(command: Command) -> argparse.ArgumentParser:
    """The command line of a command."""
    module = importlib.import_module(command.module)
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"{command.module}.__main__")
    return module.parser(*command.before)


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Let the shell complete the names of files where an argument is one."""
    for action in parser._actions:  # noqa: SLF001  argparse has no other way to list them
        if action.metavar in _FILES:
            action.complete = shtab.FILE  # pyright: ignore[reportAttributeAccessIssue]  where shtab looks for it
        choices: object = action.choices
        if isinstance(choices, dict):  # sub-commands, by name
            for each in cast("dict[str, argparse.ArgumentParser]", choices).values():
                _complete_files(each)
