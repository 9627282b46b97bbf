"""Files that exist whole or not at all, even after the machine was lost."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MODE: Final = 0o644


def write_synced(path: Path, data: bytes, *, is_new: bool = True) -> None:
    """Write a file and sync it to the disk. A file that `is_new` must not exist yet, any other must.

    Raises:
        OSError: it is not written; FileExistsError and FileNotFoundError say which rule was broken.
    """
    flags = os.O_CREAT | os.O_EXCL if is_new else os.O_TRUNC
    handle = os.open(path, flags | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)


def replace(path: Path, blocks: Iterable[bytes]) -> None:
    """Replace the file `path`: temporary file in the same folder, sync, rename, sync of the folder.

    Raises:
        OSError: it is not written, and the old file stays.
    """
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, _MODE)
        with os.fdopen(handle, "wb") as file:
            for block in blocks:
                file.write(block)
            file.flush()
            os.fsync(handle)
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Sync the names in a folder to the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
