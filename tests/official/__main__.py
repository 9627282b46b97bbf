"""`python -m tests.official FOLDER [PART ...]` compares the simulator's stand-ins with the official plugins in FOLDER.

Without a folder it says what it needs. The parts are `decisions`, `previews` and `stacks`; all of them by default.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from simulator.providers.plugins import PLUGINS_VARIABLE
from tests.official.plugins import FOLDER_VARIABLE, NEEDS, Official
from tests.tracked import ROOT

_STORIES: Final = (
    "control_plane/test_multislice.py",
    "systems/test_batch_ml.py",
    "systems/test_dev.py",
    "systems/test_changes.py",
)
"""Stacks on real control planes, from the first preview over every change to `destroy`, here with the official
kubernetes plugin; the rest stays with the stand-ins."""
PARTS: Final = {
    "decisions": ("official/test_decisions.py",),
    "previews": ("official/test_previews.py",),
    "stacks": _STORIES,
}
_WORKERS: Final = ("--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder")
"""For the stories, as in the lanes that they belong to."""


def main(folder: Path | None, parts: list[str]) -> int:
    """Run the parts; 0 where all is alike, or where there is no folder."""
    if folder is None:
        print(NEEDS)
        return 0
    official = Official(folder.resolve())
    missing = list(official.missing())
    if missing:
        print(NEEDS, f"{folder} lacks", *(f"  {each}" for each in missing), sep="\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="official-") as name:
        kubernetes = str(official.only("kubernetes", Path(name)))
        return max(_run(part, official, kubernetes) for part in parts)


def _run(part: str, official: Official, kubernetes: str) -> int:
    variables, workers = {FOLDER_VARIABLE: str(official.folder)}, ("--numprocesses=2",)
    if part == "stacks":
        variables, workers = {PLUGINS_VARIABLE: kubernetes}, _WORKERS
    command = [sys.executable, "-m", "pytest", *workers, *(f"tests/{each}" for each in PARTS[part])]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, check=False).returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.official", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="a PULUMI_HOME with the official host and plugins")
    parser.add_argument("parts", nargs="*", help="which parts; all of them by default")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - PARTS.keys():
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    sys.exit(main(arguments.folder, arguments.parts or list(PARTS)))
