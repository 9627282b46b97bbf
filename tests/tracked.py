"""The project as git tracks it: what tests of the project itself look at, whatever else lies in the folder.

People work in a checkout: commands leave reports in it, a new environment has its stack file there, and `dev` is edited
to try something. A file counts once it is staged, and a stack file counts with the text that is staged.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
STACK_FILES: Final = "Pulumi.*.yaml"


@cache
def tracked(*patterns: str) -> tuple[Path, ...]:
    """Files of the project, in the order of their paths.

    Args:
        patterns: git's globs, from the project's folder: `*` stays within a folder, `**/` is any folders; none is every
            file.
    """
    names = _git("ls-files", "-z", "--", *(f":(glob){pattern}" for pattern in patterns)).split("\0")
    return tuple(ROOT / name for name in sorted(names) if name and (ROOT / name).is_file())


@cache
def top_folders() -> frozenset[str]:
    """The names of the folders at the top of the project."""
    return frozenset(path.parts[0] for path in _relative() if len(path.parts) > 1)


@cache
def staged(name: str) -> str:
    """The text of a file as git tracks it, whatever the working copy has.

    Args:
        name: path from the project's folder.
    """
    return _git("show", f":{name}")


def edited_stack_files() -> list[str]:
    """Stack files whose working copy is not what git tracks, by name."""
    return _git("diff", "--name-only", "--", f":(glob){STACK_FILES}").split()


def checked_out(folder: Path) -> Path:
    """Makes `folder` a checkout of the project: links to what git tracks, and the stack files as it tracks them."""
    folder.mkdir(parents=True, exist_ok=True)
    stack_files = {path.name for path in tracked(STACK_FILES)}
    for name in sorted({path.parts[0] for path in _relative()} - stack_files):
        (folder / name).symlink_to(ROOT / name)
    for name in stack_files:
        (folder / name).write_text(staged(name), encoding="utf-8")
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def _relative() -> list[Path]:
    return [path.relative_to(ROOT) for path in tracked()]


def _git(*words: str) -> str:
    git = shutil.which("git")
    assert git is not None, "the tests ask git what it tracks"
    return subprocess.run([git, *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
