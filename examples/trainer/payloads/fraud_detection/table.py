"""A dataset as numbers: its columns and their bounds, its rows in pieces, and the place of a fault in it.

A dataset is a CSV file in UTF-8: a header with exactly these names in any order, then a row per transaction, no
quoting, no empty cell. The bounds are wide; they catch columns that were swapped or are in another unit.
"""

from __future__ import annotations

import hashlib
import math
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from payloads.fraud_detection.errors import BadDataError, DatasetReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from payloads.fraud_detection.share import Dataset

Rows = NDArray[np.float64]
"""Rows by columns, the columns as in `COLUMNS`."""


class Column(NamedTuple):
    """One column of numbers."""

    name: str
    meaning: str
    highest: float
    """The largest value; the smallest is 0."""
    is_whole: bool = False
    """Whether every value is a whole number."""


COLUMNS: Final = (
    Column("transaction_id", "number of the transaction", 2**53, is_whole=True),
    Column("seconds", "time of day, seconds since midnight UTC", 86_399, is_whole=True),
    Column("amount", "amount, in euro", 10_000_000),
    Column("amount_ratio", "amount divided by the card's mean amount of the last 30 days", 1_000_000),
    Column("distance_km", "distance from the card holder's home, in kilometres", 20_040),
    Column("seconds_since_last", "seconds since the card's previous transaction, at most 30 days", 2_592_000),
    Column("transactions_24h", "transactions of the card in the last 24 hours", 100_000, is_whole=True),
    Column("terminal_risk", "fraction of the terminal's transactions in the last 7 days that were reported", 1),
    Column("is_online", "1 when the card was not present", 1, is_whole=True),
    Column("is_foreign", "1 when the merchant is in another country", 1, is_whole=True),
    Column("fraud", "the label: 1 for fraud, 0 for valid", 1, is_whole=True),
)
NAMES: Final = tuple(column.name for column in COLUMNS)
CHUNK_ROWS: Final = 50_000
LONGEST_LINE: Final = 64 * 1024
"""Bytes. A row of our columns has some hundred; a file without line breaks must not fill the memory."""
_HIGHEST: Final = np.array([column.highest for column in COLUMNS])
_WHOLE: Final = np.array([column.is_whole for column in COLUMNS])
_MOST_SHOWN: Final = 5


class Reading:
    """One pass over a dataset."""

    def __init__(
        self, dataset: Dataset, between: Callable[[], None] = lambda: None, *, chunk_rows: int = CHUNK_ROWS
    ) -> None:
        """`between` is called after each chunk. Nothing is read before `chunks` is iterated."""
        self._dataset = dataset
        self._between = between
        self._chunk_rows = chunk_rows
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Digest of the bytes read so far, in hexadecimal."""
        return self._digest.hexdigest()

    def checked(self) -> str:
        """Read all of it, which finds every fault, as `chunks` does. Returns the digest."""
        deque(self.chunks(), maxlen=0)
        return self.sha256

    def chunks(self) -> Iterator[Rows]:
        """All rows in order, each chunk of `chunk_rows` but the last. Every value is within the bounds of its column.

        Raises:
            BadDataError: the file does not follow the schema; the text says where.
            DatasetReadError: the file cannot be read this time.
        """
        with self._dataset.opened() as file:
            lines = self._lines(file)
            names = _header(next(lines, b""))
            after = 1
            while chunk := list(islice(lines, self._chunk_rows)):
                yield _rows(chunk, names, after)
                self._between()
                after += len(chunk)
            if after == 1:
                raise BadDataError("it has a header but no rows")

    def _lines(self, file: BinaryIO) -> Iterator[bytes]:
        """The lines of the file, with at most the longest allowed line in memory."""
        number = 0
        try:
            while line := file.readline(LONGEST_LINE + 2):
                number += 1
                if len(line.rstrip(b"\n")) > LONGEST_LINE:
                    raise BadDataError(f"line {number} is longer than {LONGEST_LINE} bytes")
                self._digest.update(line)
                yield line
        except OSError as error:
            raise DatasetReadError(f"reading it failed: {error.strerror}") from error


def _header(line: bytes) -> list[str]:
    """The names of the columns in the first line."""
    if not line:
        raise BadDataError("the file is empty")
    try:
        names = line.decode("utf-8-sig").rstrip("\r\n").split(",")
    except UnicodeDecodeError as error:
        raise BadDataError("line 1: it is not UTF-8 text") from error
    missing = [name for name in NAMES if name not in names]
    unknown = [repr(name[:40]) for name in names if name not in NAMES]
    twice = [name for name in NAMES if names.count(name) > 1]
    faults = [
        *([f"it lacks {', '.join(missing)}"] if missing else []),
        *([f"it has {', '.join(unknown[:_MOST_SHOWN])}, not in the schema"] if unknown else []),
        *([f"it has {twice[0]} more than once"] if twice else []),
    ]
    if faults:
        raise BadDataError(f"line 1: {'; '.join(faults)}")
    return names


def _rows(lines: list[bytes], names: list[str], after: int) -> Rows:
    """The numbers of some lines, which come after so many others; raises BadDataError with the first fault's place."""
    try:
        rows = np.loadtxt(lines, delimiter=",", comments=None, ndmin=2, encoding="utf-8")
    except ValueError as error:  # also a UnicodeDecodeError
        raise BadDataError(_fault(lines, names, after) or str(error)) from error
    is_sound = rows.shape == (len(lines), len(names))  # blank lines are skipped, and lines may all have other cells
    if is_sound:
        rows = rows[:, [names.index(name) for name in NAMES]]
        # No comparison holds for NaN.
        is_sound = bool(np.all((rows >= 0) & (rows <= _HIGHEST) & (~_WHOLE | (rows == np.floor(rows)))))
    if not is_sound:
        raise BadDataError(_fault(lines, names, after) or "a value is out of its bounds")
    return rows


def _fault(lines: list[bytes], names: list[str], after: int) -> str | None:
    """The first fault in some lines."""
    faults = ((number, _line_fault(line, names)) for number, line in enumerate(lines, after + 1))
    return next((f"line {number}: {fault}" for number, fault in faults if fault), None)


def _line_fault(line: bytes, names: list[str]) -> str | None:
    try:
        cells = line.decode().rstrip("\r\n").split(",")
    except UnicodeDecodeError:
        return "it is not UTF-8 text"
    if cells == [""]:
        return "it is blank"
    if len(cells) != len(names):
        return f"it has {len(cells)} cells, the header has {len(names)}"
    by_name = dict(zip(names, cells, strict=True))
    return next((fault for column in COLUMNS if (fault := cell_fault(column, by_name[column.name]))), None)


def cell_fault(column: Column, text: str) -> str | None:
    """The fault of one cell, None when it is a value of the column.

    >>> cell_fault(COLUMNS[-1], "2")
    'fraud is 2, above 1'
    """
    shown = text.strip()[:40]
    if not shown:
        return f"{column.name} has no value"
    try:
        value = float(text)
    except ValueError:
        return f"{column.name} is {text[:40]!r}, which is not a number"
    if math.isnan(value):
        return f"{column.name} has no value"
    if value < 0:
        return f"{column.name} is {shown}, below 0"
    if value > column.highest:
        return f"{column.name} is {shown}, above {column.highest:.0f}"
    if column.is_whole and value != int(value):
        return f"{column.name} is {shown}, which is not a whole number"
    return None
