"""Small files that nobody sees half-written, also when two processes write them at the same moment."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

PRIVATE = 0o600
"""Mode of a file that only this user may read."""


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
