"""`pulumi install`: make a project's virtual environment and put its requirements.txt into it.

Exactly the pinned packages are installed: pip checks the hashes in the file, and upgrades nothing else. A tool that
manages Python releases (pyenv) is not consulted: the environment gets the interpreter that runs the host.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolchain.language_host.errors import HostError
from toolchain.language_host.interpreter import interpreter_for

if TYPE_CHECKING:
    from pulumi.runtime.proto.language_pb2 import ProgramInfo

    from toolchain.language_host.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class Step:
    """One command of an installation."""

    title: str
    """A description for the user."""
    command: list[str]
    interpreter: Interpreter
    """The interpreter in whose environment it runs."""


def install_steps(info: ProgramInfo, *, plugin: bool) -> list[Step]:
    """The commands that install what the project of `info` requires, in order; empty when nothing.

    Raises:
        HostError: something else is in the virtual environment's place, or an option is refused.
    """
    interpreter = interpreter_for(info, plugin=plugin)
    steps: list[Step] = []
    folder = interpreter.virtualenv
    if folder is not None and not interpreter.exists:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise HostError(
                f"runtime option virtualenv: {folder} is not a virtual environment: it has no bin/python. "
                "Remove it, or name another folder."
            )
        command = [sys.executable, "-m", "venv", str(folder)]
        steps.append(Step(f"Creating virtual environment {folder}", command, interpreter))
    requirements = Path(info.program_directory) / "requirements.txt"
    if requirements.exists():
        command = [
            str(interpreter.path),
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "-r",
            str(requirements),
        ]
        steps.append(Step(f"Installing {requirements}", command, interpreter))
    return steps
