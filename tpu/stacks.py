"""`tpu up|preview|destroy|recover STACK`: what these do with a stack in the simulator."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from simulator.home import NoProjectError, project_folder
from simulator.scenarios import scenario_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_RESULTS: Final = "output"
"""Where the workloads of a stack with shared storage leave their results."""
_READING: Final = ("up", "preview")
"""The commands that need the stack file."""
_REFUSED: Final = 1
_TOOLS: Final = ("simulator.toolchain", "build")
_SUMMARIES: Final = {
    "up": "Bring up a stack in the simulator, follow its workloads, and print the timeline and their results: the "
    "files in `output` of the stack's Filestore share, if it has one. The timeline is drawn in build/timeline/, too.",
    "preview": "Show what `tpu up` would do in the simulator: how many resources of each kind, which of them change, "
    "what ends, chips and cost.",
    "destroy": "Remove everything that the stack made in the simulator.",
    "recover": "Repair a stack in the simulator whose update was killed: remove its lock and import the resources "
    "it made. Afterwards run `tpu up` yourself.",
}


def steps(command: str, stack: str, speed: str | None, *, is_whole: bool = False) -> list[tuple[str, ...]]:
    """The modules that a command runs one after another, each with its arguments.

    Args:
        command: up, preview, destroy or recover.
        stack: its name.
        speed: of the simulator's clock; None leaves it as it is.
        is_whole: whether a preview shows every property of every resource.
    """
    inside = ("simulator", "exec", *(() if speed is None else ("--speed", speed)), "--")
    of_stack = ("--stack", stack)
    match command:
        case "up":
            return [
                _TOOLS,
                *([] if scenario_of(stack) is None else [("simulator", "scenario", stack)]),
                (*inside, "pulumi", "up", "--yes", "--suppress-outputs", *of_stack),
                (*inside, "python", "-m", "tpu.watch", *of_stack, "--until-settled", "--page", page_of(stack)),
                ("simulator", "files", _RESULTS, *of_stack),
            ]
        case "preview" if not is_whole:
            return [_TOOLS, ("tpu.previewed", *of_stack)]
        case "preview":
            return [_TOOLS, (*inside, "pulumi", "preview", "--diff", "--suppress-outputs", *of_stack)]
        case "destroy":
            return [_TOOLS, (*inside, "pulumi", "destroy", "--yes", *of_stack)]
        case _:
            return [_TOOLS, ("simulator", "recover", *of_stack)]


def page_of(stack: str) -> str:
    """The file in which `up` draws the timeline of a stack."""
    return f"build/timeline/{stack.rpartition('/')[2]}.html"


def main(words: Sequence[str]) -> int:
    """Run the steps until one fails: its exit code."""
    signal.signal(signal.SIGINT, _leave_to_the_step)
    options = parser(words[0]).parse_args(words[1:])
    try:
        os.chdir(project_folder())
    except NoProjectError as error:
        sys.stderr.write(f"tpu {words[0]}: {error}\n")
        return _REFUSED
    if words[0] in _READING and (report := _refused(options.stack)):
        sys.stderr.write(f"{report}\n")
        return _REFUSED
    for step in steps(
        words[0], options.stack, getattr(options, "speed", None), is_whole=getattr(options, "diff", False)
    ):
        code = subprocess.call([sys.executable, "-m", *step])
        if code:
            return code if code > 0 else 128 - code
    return 0


def _refused(stack: str) -> str:
    from tpu.refused import refused  # noqa: PLC0415  loads every rule

    return refused(stack)


def parser(command: str) -> argparse.ArgumentParser:
    """The command line of a command."""
    made = argparse.ArgumentParser(
        prog=f"tpu {command}",
        description=_SUMMARIES[command],
        epilog=f"Example: tpu {command} multislice. Exit code: 1 if the stack file cannot be read, "
        "else that of the first step that failed, else 0. The command works in the checkout: the nearest folder above "
        "with a Pulumi.yaml.",
    )
    made.add_argument("stack", nargs="?", default="dev", metavar="STACK", help="name of the stack (default: dev)")
    if command == "up":
        speed = "simulated seconds per real second; `auto` means 10, and skips idle time (default: auto)"
        made.add_argument("--speed", metavar="SPEED", default="auto", help=speed)
    if command == "preview":
        whole = "print every property of every resource instead, as `pulumi preview --diff` does"
        made.add_argument("--diff", action="store_true", help=whole)
    return made


def _leave_to_the_step(_number: int, _frame: object) -> None:
    """Ctrl-C reaches the step too, which ends in its own way."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
