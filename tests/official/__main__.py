"""`python -m tests.official [FOLDER [PART ...]]` compares the simulator's stand-ins with official plugins.

They are those in FOLDER, a PULUMI_HOME. Without a folder, and with `-` for it, the kubernetes plugin that the toolchain
has built is compared alone. The parts are `decisions`, `previews`, `stacks` and `changes`; all of them by default, and
without a folder all but `changes`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simulator.providers.plugins import PLUGINS_VARIABLE
from simulator.toolchain.tool import ToolchainError
from tests.official.plugins import FOLDER_VARIABLE, NEEDS, Official, built
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS: Final = {
    "decisions": ("official/test_decisions.py",),
    "previews": ("official/test_previews.py",),
    "stacks": (
        "control_plane/test_multislice.py",
        "control_plane/test_second_stack.py",
        "systems/test_training.py",
        "systems/test_batch_ml.py",
    ),
    "changes": ("systems/test_dev.py", "systems/test_changes.py"),
}
_ON_CONTROL_PLANES: Final = ("stacks", "changes")
"""Stacks on real control planes, from the first preview over every change to `destroy`, here with the official
kubernetes plugin; the rest stays with the stand-ins."""
_WITHOUT_FOLDER: Final = ("decisions", "previews", "stacks")
"""What the lane runs unless PARTS names others."""
_SETTINGS: Final = {"PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
"""What the plugin that is built here reads from the environment alone (`patchForce` in its await.go): the SDK's setting
`enable_patch_force`, which every stack has, is younger than its code."""
_WORKERS: Final = ("--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder")
"""For the stacks, as in the lanes that they belong to."""


def main(folder: Path | None, parts: list[str]) -> int:
    """Run the parts; 0 where all is alike."""
    with tempfile.TemporaryDirectory(prefix="official-") as name:
        made = Path(name)
        official = built(made / "built") if folder is None else Official(folder.resolve())
        missing = [] if folder is None else list(official.missing())
        if missing:
            print(NEEDS, f"{folder} lacks", *(f"  {each}" for each in missing), sep="\n")
            return 2
        kubernetes = official.only("kubernetes", made / "kubernetes")
        settings = _SETTINGS if folder is None else {}
        chosen = parts or list(PARTS if folder else _WITHOUT_FOLDER)
        return max(_run(part, official, kubernetes, settings) for part in chosen)


def _run(part: str, official: Official, kubernetes: Path, settings: Mapping[str, str]) -> int:
    variables, workers = {FOLDER_VARIABLE: str(official.folder)}, ("--numprocesses=2",)
    if part in _ON_CONTROL_PLANES:
        variables, workers = {PLUGINS_VARIABLE: str(kubernetes)}, _WORKERS
    command = [sys.executable, "-m", "pytest", *workers, *(f"tests/{each}" for each in PARTS[part])]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **settings, **variables}, check=False).returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.official", description=__doc__)
    parser.add_argument("folder", nargs="?", default="-", help="a PULUMI_HOME with the official host and plugins")
    parser.add_argument("parts", nargs="*", help="which parts")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - PARTS.keys():
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    try:
        sys.exit(main(None if arguments.folder == "-" else Path(arguments.folder), arguments.parts))
    except ToolchainError as error:
        sys.exit(str(error))
