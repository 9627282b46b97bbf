"""`tpu completion SHELL`: the completion of all commands and their flags, as shtab writes it."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING

import shtab

from tpu.commands import GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    for command in (each for group in GROUPS.values() for each in group):
        entry = importlib.import_module(f"{command.module}.__main__" if _is_package(command.module) else command.module)
        parser = entry.parser(*command.before)
        commands.add_parser(command.name, parents=[parser], conflict_handler="resolve", help=command.summary)
    return made


def _is_package(name: str) -> bool:
    return hasattr(importlib.import_module(name), "__path__")
