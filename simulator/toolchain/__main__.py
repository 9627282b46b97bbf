"""`tpu tools build [NAMES]` builds what is missing, `tpu tools list` lists all tools.

Without names `build` builds the tools of `make up`; with `--all` also those that only some documents and tests need.
Older releases, with which tests try an upgrade, are built by name.
"""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING, Final

from simulator.toolchain.build import INTERRUPTS
from simulator.toolchain.cache import home
from simulator.toolchain.progress import Progress
from simulator.toolchain.provision import ensure, place
from simulator.toolchain.tool import ToolchainError
from simulator.toolchain.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

_INTERRUPTED: Final = 130
"""Exit code of a command that the user interrupted, as a shell gives it."""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    options, progress = parser().parse_args(arguments), Progress(sys.stderr)
    for number in INTERRUPTS:  # a shell lets its background commands ignore the first
        signal.signal(number, _interrupt)
    try:
        if options.command == "list":
            _list()
        else:
            ensure(options.names or usual(with_tests=options.all), progress)
    except ToolchainError as error:
        progress.lasting(f"toolchain: {error}")
        return 1
    except KeyboardInterrupt:
        progress.lasting("toolchain: interrupted; nothing half-made is left")
        return _INTERRUPTED
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu tools",
        description="Build the pinned tools, or list them. Without names, `build` builds the tools that `make up` "
        "needs. Name an older release to build it; you need one only to try an upgrade in the simulator.",
        epilog="Example: tpu tools list. Exit code 1: a build failed. 130: it was interrupted.",
    )
    commands = made.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="build the missing tools into the cache")
    usually = "tool to build (default: the tools that `make up` needs)"
    build.add_argument("names", nargs="*", metavar="NAME", help=usually)
    build.add_argument("--all", action="store_true", help="build every tool except older releases and official plugins")
    commands.add_parser("list", help="print the name, version, state and path of every tool")
    return made


def usual(*, with_tests: bool) -> list[str]:
    """The tools that are built when none is named: those of `make up`, or also what documents and tests need."""
    return [tool.name for tool in TOOLS if tool.is_for_up or (with_tests and not tool.is_by_name)]


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    for number in INTERRUPTS:  # a second one would leave the clean-up, and Go would go on
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _list() -> None:
    name, version = max(len(tool.name) for tool in TOOLS), max(len(tool.version) for tool in TOOLS)
    for tool in TOOLS:
        found = place(tool)
        state = "missing" if found is None else "built" if found.built else "installed"
        path = home(tool) if found is None or not tool.is_command else found.binary
        print(f"{tool.name:<{name}} {tool.version:<{version}} {state:<9} {path}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
