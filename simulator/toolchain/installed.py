"""Tools that the machine already has: an installed one of a suitable version is used instead of a build.

A search costs nothing when there is none; a tool that is found is asked for its version. TPU_PLATFORM_TOOLS=build turns
all of it off. Kueue and JobSet print no version, and their charts must fit the binary, so they are always built.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from simulator.toolchain.tool import Accept, Tool, ToolchainError
from simulator.toolchain.tools import find_tool

_SWITCH: Final = "TPU_PLATFORM_TOOLS"
_SWITCH_VALUES: Final = ("auto", "build")
_RELEASE: Final = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")
_ASK_SECONDS: Final = 20


def installed(tool: Tool) -> Path | None:
    """The path of an installed `tool` that can replace a built one; None when there is none.

    Raises:
        ToolchainError: $TPU_PLATFORM_TOOLS has an unknown value.
    """
    switch = os.environ.get(_SWITCH, "auto")
    if switch not in _SWITCH_VALUES:
        raise ToolchainError(f"{_SWITCH} is {switch!r}. It is auto (use installed tools that fit) or build (use none).")
    if switch == "build" or tool.accept is Accept.NONE:
        return None
    group = [find_tool(name) for name in tool.together]
    if any(shutil.which(member.name) is None for member in group):
        return None
    if any(_suitable(member) is None for member in group if member is not tool):
        return None
    return _suitable(tool)


def _suitable(tool: Tool) -> Path | None:
    found = shutil.which(tool.name)
    if found is None:
        return None
    path = Path(found).absolute()
    if not all((path.parent / name).exists() or (path.resolve().parent / name).exists() for name in tool.beside):
        return None
    release = _ask(path, tool)
    return path if release is not None and _accepted(tool, release) else None


def _ask(path: Path, tool: Tool) -> tuple[int, ...] | None:
    """The version that the program prints, or None when it prints none."""
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    command = [str(path), *tool.version_arguments]
    try:
        answer = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_ASK_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _numbers(answer.stdout)


def _numbers(text: str) -> tuple[int, ...] | None:
    match = _RELEASE.search(text)
    return None if match is None else tuple(int(part) for part in match.groups())


def _accepted(tool: Tool, release: tuple[int, ...]) -> bool:
    pinned = _numbers(tool.version)
    if pinned is None:
        return False
    if tool.accept is Accept.SAME_MINOR:
        return release[:2] == pinned[:2]
    return release[0] == pinned[0] and release >= pinned
