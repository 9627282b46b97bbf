"""Reads a dataset in pieces of bounded size, and names the fault of a file that does not follow the schema."""

from __future__ import annotations

import io
import warnings
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from payloads.fraud_detection.errors import BadDataError
from payloads.fraud_detection.lines import Lines
from payloads.fraud_detection.schema import COLUMNS, NAMES, cell_fault, header_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from payloads.fraud_detection.share import Dataset

    _Buffered = io.BufferedReader[Lines]

Rows = NDArray[np.float64]
"""Rows by columns, the columns as in the schema."""
CHUNK_ROWS: Final = 50_000
_BUFFER: Final = 256 * 1024
_NO_QUOTES: Final = 3
"""`csv.QUOTE_NONE`: with quoting, a line break in quotes would make a row of any length."""
_HIGHEST: Final = np.array([column.highest for column in COLUMNS])
_WHOLE: Final = np.array([column.is_whole for column in COLUMNS])


class _Frame(Protocol):
    """The members that are used of a DataFrame."""

    def __getitem__(self, names: list[str]) -> _Frame: ...
    def to_numpy(self, dtype: str) -> Rows: ...


class _Reader(Protocol):
    """The members that are used of the reader that pandas makes with a chunk size."""

    def __next__(self) -> _Frame: ...


class Reading:
    """One pass over a dataset."""

    def __init__(self, dataset: Dataset, *, chunk_rows: int = CHUNK_ROWS) -> None:
        """Nothing is read before `chunks` is iterated."""
        self._dataset = dataset
        self._chunk_rows = chunk_rows
        self.rows = 0
        """How many were read so far."""
        self.sha256 = ""
        """Digest of the file's bytes, once it was read to its end."""

    def chunks(self) -> Iterator[Rows]:
        """All rows in order, each chunk of `chunk_rows` but the last. Every value is within the bounds of its column.

        Raises:
            BadDataError: the file does not follow the schema; the text says where.
            DatasetReadError: the file cannot be read this time.
        """
        with self._dataset.opened() as file:
            lines = Lines(file)
            buffered = io.BufferedReader(lines, _BUFFER)
            reader = _reader(buffered, _header(buffered), self._chunk_rows)
            while (rows := self._next(reader)) is not None:
                self.rows += len(rows)
                yield rows
            self.sha256 = lines.sha256

    def _next(self, reader: _Reader) -> Rows | None:
        """The next rows, None at the end."""
        try:
            with warnings.catch_warnings(action="error"):  # rows that are longer than the header are only a warning
                rows = next(reader)[list(NAMES)].to_numpy("float64")
        except StopIteration:
            return None
        except (ValueError, pd.errors.ParserWarning) as error:  # a ParserError or UnicodeDecodeError is a ValueError
            raise BadDataError(self._fault(after=self.rows) or str(error).strip()) from error
        if not _is_sound(rows):
            raise BadDataError(self._fault(after=self.rows) or "a value is out of its bounds")
        return rows

    def _fault(self, *, after: int) -> str | None:
        """The first fault below row `after`, by reading line by line: slow, and only done for a file with a fault."""
        with self._dataset.opened() as file:
            buffered = io.BufferedReader(Lines(file), _BUFFER)
            names = _header(buffered)
            for number, line in enumerate(islice(buffered, after, after + self._chunk_rows), after + 2):
                fault = _line_fault(line, names)
                if fault is not None:
                    return f"line {number}: {fault}"
        return None


def check_readable(dataset: Dataset, *, between: Callable[[], None], chunk_rows: int = CHUNK_ROWS) -> Reading:
    """Read a whole dataset, which finds every fault; `between` is called after each chunk.

    Raises:
        BadDataError: the file does not follow the schema.
        DatasetReadError: the file cannot be read this time.
    """
    reading = Reading(dataset, chunk_rows=chunk_rows)
    for _ in reading.chunks():
        between()
    return reading


def _header(buffered: _Buffered) -> list[str]:
    """The names of the columns; reading continues after the header."""
    line = buffered.readline()
    if not line:
        raise BadDataError("the file is empty")
    try:
        names = line.decode("utf-8-sig").rstrip("\r\n").split(",")
    except UnicodeDecodeError as error:
        raise BadDataError("line 1: it is not UTF-8 text") from error
    fault = header_fault(names)
    if fault is not None:
        raise BadDataError(f"line 1: {fault}")
    if not buffered.peek(1):
        raise BadDataError("it has a header but no rows")
    return names


def _reader(buffered: _Buffered, names: list[str], chunk_rows: int) -> _Reader:
    reader = pd.read_csv(  # pyright: ignore[reportUnknownMemberType]  pandas' own types are partly unknown
        buffered,
        header=None,
        names=names,
        index_col=False,
        dtype="float64",
        quoting=_NO_QUOTES,
        skip_blank_lines=False,
        chunksize=chunk_rows,
        encoding="utf-8",
    )
    return cast("_Reader", reader)


def _is_sound(rows: Rows) -> bool:
    """Whether every value is there and within the bounds of its column: no comparison holds for NaN."""
    bounded = bool(np.all((rows >= 0) & (rows <= _HIGHEST)))
    return bounded and bool(np.all(rows[:, _WHOLE] == np.floor(rows[:, _WHOLE])))


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
