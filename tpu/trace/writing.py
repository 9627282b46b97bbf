"""Appending to a record, so that a kill at any moment leaves whole lines, or one cut line that the next start mends."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Final, Self

from pydantic import ValidationError

from tpu.trace.lines import LINE, Line, as_json
from tpu.trace.reading import TraceError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType


_BLOCK: Final = 1 << 16


class TraceFile:
    """A record that this process alone writes.

    Raises:
        TraceError: it cannot be opened, or another process writes to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise TraceError(f"{path}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise TraceError(f"{path}: another `tpu record` writes to it") from error

    def __enter__(self) -> Self:
        """Take the file."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Give it back."""
        os.close(self._file)

    @property
    def is_empty(self) -> bool:
        """Whether it has no line yet."""
        return os.fstat(self._file).st_size == 0

    def mend(self) -> bool:
        """Cut off what follows the last whole line; whether there was something to cut."""
        size = os.fstat(self._file).st_size
        start = self._after_last_break(size)
        if start == size:
            return False
        tail = os.pread(self._file, size - start, start)
        try:
            LINE.validate_json(tail)
        except ValidationError:
            os.ftruncate(self._file, start)
            return True
        self._write(b"\n")
        return False

    def append(self, lines: Iterable[Line]) -> None:
        """Write lines, and have the disk keep them.

        Raises:
            TraceError: the disk refuses them.
        """
        data = b"".join(map(as_json, lines))
        if data:
            self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fdatasync(self._file)
        except OSError as error:
            raise TraceError(f"{self.path}: {error.strerror}") from error

    def _after_last_break(self, size: int) -> int:
        end = size
        while end > 0:
            start = max(0, end - _BLOCK)
            found = os.pread(self._file, end - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0
