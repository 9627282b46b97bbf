"""Files that only this user may read: written whole or not at all, and reported when they are broken."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Generator

PRIVATE: Final = 0o600
"""Mode of a file that only this user may read."""
DISK_ERRORS: Final = frozenset({errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.EROFS})
"""Why a file cannot be written: refusals of the disk, which are not a program's fault."""
_OF_OTHERS: Final = 0o077
"""The bits of a mode for other users."""


def keep_private() -> int:
    """Make every file that this process and its children create from now on private to this user.

    Returns:
        The umask that was there before.
    """
    return os.umask(_OF_OTHERS)


@contextmanager
def private() -> Generator[None]:
    """Make every file private to this user that the block, or a process started in it, creates.

    For commands, which have one thread: all threads of a process have one umask.
    """
    before = keep_private()
    try:
        yield
    finally:
        os.umask(before)


class BrokenFileError(Exception):
    """A file of the simulator is not whole, as after a crash of the machine; the text has its path and the fix."""

    def __init__(self, path: Path, remedy: str = "", what: str = "is broken: it was cut short or overwritten") -> None:
        """`remedy` is a sentence; without one it is the removal of everything."""
        helps = remedy or "`tpu simulator down --delete` removes everything."
        super().__init__(f"{path} {what}. {helps}")


def read_json(path: Path, remedy: str = "") -> Any:  # noqa: ANN401  any JSON
    """The value in a JSON file.

    Raises:
        BrokenFileError: it is not JSON; the text includes `remedy`.
    """
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise BrokenFileError(path, remedy) from error


def write_whole(path: Path, data: str | bytes, *, mode: int = PRIVATE) -> None:
    """Put `data` in the place of the file `path`, with that mode."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        temporary.chmod(mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_once(path: Path, text: str) -> str:
    """The text of the private file `path`; writes `text` there if the file does not exist yet."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        path.hardlink_to(temporary)
    except FileExistsError:
        return path.read_text()
    finally:
        temporary.unlink(missing_ok=True)
    return text


def remove_all_but(folder: Path, kept: Path) -> None:
    """Remove everything in a folder, except for one file."""
    for path in folder.glob("*"):
        if path.is_dir():
            shutil.rmtree(path)
        elif path != kept:
            path.unlink()
