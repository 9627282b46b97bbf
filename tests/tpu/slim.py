"""An environment with what is installed without extras, made without a network: links to packages of this one."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from packaging.requirements import Requirement

from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_SETTINGS: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def slim_site(folder: Path) -> Path:
    """Fill an empty folder with the packages of the project and of its dependencies, and make the command `tpu` in it.

    Returns:
        the command.
    """
    for name in _SETTINGS["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        (folder / PurePosixPath(name).name).symlink_to(ROOT / name)
    for name in _closure(_SETTINGS["project"]["dependencies"]):
        for top in {file.parts[0] for file in distribution(name).files or () if file.suffix in (".py", ".so")}:
            (folder / top).symlink_to(str(distribution(name).locate_file(top)))
    command = folder / "bin" / "tpu"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec env PYTHONPATH="{folder}" "{sys.executable}" -S -m tpu "$@"\n')
    command.chmod(0o755)
    return command


def run(command: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command with these words, from a folder, without the tools of this machine on PATH."""
    variables = {"PATH": f"{command.parent}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": str(folder)}
    return subprocess.run(
        [str(command), *words], cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300
    )


def _closure(requirements: list[str]) -> set[str]:
    """The names of these packages and of all that they need."""
    found: set[str] = set()
    waiting = requirements
    while waiting:
        asked = [Requirement(each) for each in waiting]
        names = {each.name for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})} - found
        found |= names
        waiting = [each for name in sorted(names) for each in distribution(name).requires or ()]
    return found
