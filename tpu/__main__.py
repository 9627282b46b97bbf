"""`tpu COMMAND ...`: find the command, and run its module in this process."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tpu.commands import COMMANDS, COMPLETION, GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

_USAGE: Final = 2
_PIPE: Final = 141
"""A shell's exit code of a command that SIGPIPE ended."""


def main() -> None:
    """Run the command that the command line names; exit code 2 if there is none."""
    if copied := copied_environment(Path(sys.argv[0]), Path(sys.prefix)):
        print(f"tpu: {copied}", file=sys.stderr)
        sys.exit(_USAGE)
    sys.exit(run(sys.argv[1:]))


def copied_environment(script: Path, prefix: Path) -> str:
    """That the script is in an environment that was copied, so that it runs the code of another folder; else empty.

    Args:
        script: the path by which this program was started.
        prefix: the environment of the interpreter that runs it.
    """
    environment = script.parent.parent
    if not (environment / "pyvenv.cfg").is_file() or environment.resolve() == prefix.resolve():
        return ""
    return (
        f"{environment} is a copy of {prefix} and would run the code there. "
        f"Make it again: rm -rf {environment}; make venv"
    )


def run(words: Sequence[str]) -> int:
    """Run the command of these words: its exit code, unless it ends the process itself."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0 if words else _USAGE
    name, *rest = words
    if name == COMPLETION:
        from tpu.completion import script  # noqa: PLC0415  imports every command

        return script(rest)
    command = COMMANDS.get(name)
    if command is None:
        print(f"tpu: {name} is not a command. {_hint(name)}", file=sys.stderr)
        return _USAGE
    if missing := command.missing():
        print(f"tpu: {name} needs {' and '.join(missing)}: install tpu-platform[{command.extra}].", file=sys.stderr)
        return _USAGE
    sys.argv = [f"tpu {name}", *command.before, *rest]
    try:
        runpy.run_module(command.module, run_name="__main__")
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE
    return 0


def _hint(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  only a mistake needs it

    meant = get_close_matches(name, [*COMMANDS, COMPLETION], 1)
    return f"Did you mean `tpu {meant[0]}`?" if meant else "`tpu --help` lists the commands."


def overview() -> str:
    """The help of `tpu` itself; it fits a screen."""
    lines = [
        "usage: tpu COMMAND ...",
        "",
        "Check, try out and operate a TPU platform on GKE.",
        "A simulated GKE runs on this machine.",
    ]
    for title, group in GROUPS.items():
        lines += ["", title, *(f"  {each.name:<10} {each.summary}" for each in group)]
    return "\n".join(
        [
            *lines,
            "",
            "`tpu COMMAND --help` has the flags and an example of a command.",
            f"`tpu {COMPLETION} bash` (or zsh, tcsh) prints the completion for your shell.",
        ]
    )


if __name__ == "__main__":
    main()
