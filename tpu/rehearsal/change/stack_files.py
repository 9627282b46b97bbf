"""The stack file as it would be, and as it was: another file, or the same one at a revision in Git."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from policies.lint import files, stacks

if TYPE_CHECKING:
    from components.model.plan import Plan


class StackFileError(Exception):
    """A stack file cannot be read, or has mistakes; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackFile:
    """A platform with the name of its file."""

    name: str
    plan: Plan


def proposed(file: Path) -> StackFile:
    """The stack file of a change, which must keep every rule.

    Raises:
        StackFileError: the program would refuse it.
        policies.lint.files.UnreadableError: there is no such file, or it is not text.
    """
    return _planned(files.read(str(file)), must_pass=True)


def former(file: Path, base: str) -> StackFile:
    """The stack file before a change; one that breaks a rule of today counts, too.

    Args:
        file: the stack file of the change.
        base: the file before, or the revision in Git that has it.

    Raises:
        StackFileError: there is no such file or revision, or it is not a stack file.
        policies.lint.files.UnreadableError: it is not text.
    """
    other = files.read(base) if Path(base).is_file() else _of_git(file, base)
    return _planned(other, must_pass=False)


def _of_git(file: Path, revision: str) -> files.File:
    named = f"{revision}:./{file.name}"
    words = ("git", "show", "--no-textconv", "--end-of-options", named)
    try:
        done = subprocess.run(words, cwd=file.parent, capture_output=True, check=False)
    except OSError as error:
        raise StackFileError(f"{named}: git: {error.strerror}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise StackFileError(f"there is no file {revision}, and Git has no {named}: {said}")
    return files.File(name=f"{revision}:{file.name}", content=done.stdout)


def _planned(file: files.File, *, must_pass: bool) -> StackFile:
    found = stacks.reading_of(file)
    plan = found.plan if must_pass else found.declared
    if plan is None:
        raise StackFileError(found.report or f"{file.name}: it is not a stack file")
    return StackFile(name=file.name, plan=plan)
