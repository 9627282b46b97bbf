"""Reads a file of lines with at most the longest allowed line in memory."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.errors import BadDataError, DatasetReadError

if TYPE_CHECKING:
    from typing import BinaryIO

LONGEST_LINE: Final = 64 * 1024
"""Bytes. A row of our columns has some hundred; a parser would read a longer one whole, however long."""


class Lines(io.RawIOBase):
    """The bytes of a file, read through once, with every line bounded; their digest comes with them."""

    def __init__(self, file: BinaryIO) -> None:
        """`file` is unbuffered; whoever opened it closes it."""
        self._file = file
        self._digest = hashlib.sha256()
        self._line = 1
        self._length = 0

    @property
    def sha256(self) -> str:
        """Digest of the bytes read so far, in hexadecimal."""
        return self._digest.hexdigest()

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """The next bytes.

        Raises:
            BadDataError: a line is too long, or holds a NUL byte.
            DatasetReadError: the file cannot be read.
        """
        try:
            data = self._file.read(len(buffer))
        except OSError as error:
            raise DatasetReadError(f"reading it failed: {error.strerror}") from error
        self._digest.update(data)
        self._check(data)
        buffer[: len(data)] = data
        return len(data)

    def _check(self, data: bytes) -> None:
        begin = 0
        while (end := data.find(b"\n", begin)) >= 0:
            self._grow(end - begin)
            self._line, self._length, begin = self._line + 1, 0, end + 1
        self._grow(len(data) - begin)
        if b"\0" in data:
            raise BadDataError("it holds a NUL byte, so it is not text")

    def _grow(self, count: int) -> None:
        self._length += count
        if self._length > LONGEST_LINE:
            raise BadDataError(f"line {self._line} is longer than {LONGEST_LINE} bytes")
