"""Runs the command `rehearse` with a document."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Final

from rehearsal.decisions import RehearsalError, read

if TYPE_CHECKING:
    from pathlib import Path

    from rehearsal.decisions import Outcome
    from rehearsal.document import Rehearsal

_PREFIX: Final = "rehearse: "


def rehearse(rehearsal: Rehearsal, command: Path) -> Outcome:
    """What Kueue decides; `command` is the built `rehearse`.

    Raises:
        RehearsalError: the document was refused, or the command broke off; the text is the command's own.
    """
    return read(run(rehearsal.text(), command).splitlines())


def run(document: str, command: Path) -> str:
    """What the command writes about a document.

    Raises:
        RehearsalError: as above.
    """
    done = subprocess.run([command], input=document, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RehearsalError(done.stderr.strip().removeprefix(_PREFIX))
    return done.stdout
