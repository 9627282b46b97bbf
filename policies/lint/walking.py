"""The files below a folder that may say something about a cluster, without those that git ignores."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from policies.lint.ignored import Pattern, is_ignored, patterns

READ: Final = (".yaml", ".yml", ".json")
"""Ends of the names of files that are read."""
TEMPLATES: Final = (".tf", ".tfvars", ".tftpl", ".hcl", ".j2", ".jinja", ".jinja2", ".tmpl", ".gotmpl", ".tpl")
"""Ends of the names of files that are counted, but say nothing before another program has filled them in."""
_IGNORE: Final = ".gitignore"
_GIT: Final = ".git"


class Walked(Struct):
    """What a walk found, in the order of names."""

    names: list[str] = field(default_factory=list[str])
    ignored: list[str] = field(default_factory=list[str])
    """Files, and whole folders, that git ignores; folders end in `/`."""
    problems: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Folders that cannot be listed, and why."""


def walk(folder: str) -> Walked:
    """The files below `folder`; links to folders are not followed."""
    walked, start = Walked(), Path(folder)
    path, known = _outside(start.absolute())
    left = [(start, path, known)]
    while left:
        left.extend(reversed(_look_into(*left.pop(), walked)))
    return walked


def _outside(folder: Path) -> tuple[str, tuple[Pattern, ...]]:
    """The path from the root of the git repository to the folder, with `/` at its end, and the patterns on the way."""
    root = next((each for each in (folder, *folder.parents) if (each / _GIT).exists()), folder)
    above = [each for each in reversed(folder.parents) if each.is_relative_to(root)]
    paths = [(each, _path(each, root)) for each in above]
    return _path(folder, root), tuple(pattern for each, path in paths for pattern in _patterns_in(each, path))


def _path(folder: Path, root: Path) -> str:
    return "" if folder == root else f"{folder.relative_to(root).as_posix()}/"


def _patterns_in(folder: Path, path: str) -> tuple[Pattern, ...]:
    try:
        text = (folder / _IGNORE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return patterns(path, text)


_Left = tuple[Path, str, tuple[Pattern, ...]]
"""A folder, its path from the root of the repository, and the patterns of all folders above it."""


def _look_into(folder: Path, path: str, outer: tuple[Pattern, ...], walked: Walked) -> list[_Left]:
    """Note what is in a folder; its folders are returned."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda each: each.name)
    except OSError as error:
        walked.problems.append((str(folder), error.strerror or str(error)))
        return []
    known = (*outer, *_patterns_in(folder, path)) if any(each.name == _IGNORE for each in entries) else outer
    folders: list[_Left] = []
    for each in entries:
        is_folder = each.is_dir(follow_symlinks=False)
        if each.name == _GIT or not (is_folder or _is_wanted(each)):
            continue
        if is_ignored(f"{path}{each.name}", known, is_folder=is_folder):
            walked.ignored.append(f"{folder / each.name}{'/' * is_folder}")
        elif is_folder:
            folders.append((folder / each.name, f"{path}{each.name}/", known))
        else:
            walked.names.append(str(folder / each.name))
    return folders


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    """Whether the name says that it may contain objects; pipes and devices would never end."""
    if not entry.name.lower().endswith((*READ, *TEMPLATES)):
        return False
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True  # whoever reads it says why it cannot be read
