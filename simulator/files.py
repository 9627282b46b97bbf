"""Files of this user alone, and small ones that nobody sees half-written, whoever else writes them too."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

PRIVATE: Final = 0o600
"""Mode of a file that only this user may read."""
_OF_OTHERS: Final = 0o077
"""What a mode lets other users do."""


def keep_private() -> int:
    """Let all that this process and those that it starts make from now on be for this user alone.

    Returns:
        The umask that was there before.
    """
    return os.umask(_OF_OTHERS)


@contextmanager
def private() -> Generator[None]:
    """Let what is made inside be for this user alone, also by processes that are started there.

    For commands, which have one thread: all threads of a process have one umask.
    """
    before = keep_private()
    try:
        yield
    finally:
        os.umask(before)


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
    """The text of the private file `path`, which is `text` if nobody was there first."""
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
