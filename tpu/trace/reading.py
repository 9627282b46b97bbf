"""A record as checked lines, one at a time: a file of any size takes the memory of one line."""

from __future__ import annotations

from collections import Counter
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from components.model.findings import counted
from tpu.trace.lines import LINE, VERSION, Line, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


_LONGEST: Final = 4 << 20
"""Bytes of a line; a Workload of 18 pod sets has some 20,000."""
_NO_TAG: Final = ("union_tag_invalid", "union_tag_not_found")


class TraceError(Exception):
    """A record cannot be read or written; the text says where, why, and what is valid."""


class Remarks:
    """What a reader should know of a record that is otherwise fine: each remark with how often it applies."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def note(self, thing: str, text: str) -> None:
        """Count one more `thing` (in the singular) to which `text` applies."""
        self._counts[thing, text] += 1

    def texts(self) -> list[str]:
        """The remarks in the order in which they came up first, such as `2 moments: ...`."""
        return [f"{counted(count, thing)}: {text}" for (thing, text), count in self._counts.items()]


def read(path: Path, remarks: Remarks) -> Iterator[Line]:
    """The lines of a file.

    A last line that a kill cut short is left out, with a remark.

    Raises:
        TraceError: there is no such file, or a line is not of the format.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error
    with closing(stream):
        yield from checked(iter(lambda: stream.readline(_LONGEST), b""), str(path), remarks)


def last_moment(path: Path) -> int:
    """The latest moment among the last lines of a file: that up to which it goes.

    Raises:
        TraceError: there is no such file, or it is not a record.
    """
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _LONGEST))
            rows = stream.read().splitlines(keepends=True)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error
    found: list[int] = []
    for row in rows:
        with suppress(ValidationError):  # the first may be cut, and the last; `read` judges the others
            found.append(LINE.validate_json(row).at)
    if not found:
        raise TraceError(f"{path}: it is not a record. `tpu record` writes one.")
    return max(found)


def checked(rows: Iterable[bytes], name: str, remarks: Remarks) -> Iterator[Line]:
    """Rows of bytes as lines.

    Raises:
        TraceError: one is not of the format; the text has its number.
    """
    number = 0
    for number, row in enumerate(rows, 1):
        try:
            line = LINE.validate_json(row)
        except ValidationError as error:
            if number > 1 and not row.endswith(b"\n") and len(row) < _LONGEST:
                remarks.note("line", "the last one is cut short, and is left out")
                return
            raise TraceError(f"{name}:{number}: {_why(row, error)}") from error
        if (number == 1) is not isinstance(line, Trace):
            where = f"the first line must be what: trace, with version: {VERSION}" if number == 1 else "a second header"
            raise TraceError(f"{name}:{number}: {where}. docs/usage.md describes the format.")
        yield line
    if number == 0:
        raise TraceError(f"{name}: it is empty. `tpu record` writes such a file.")


def _why(row: bytes, error: ValidationError) -> str:
    if len(row) >= _LONGEST:
        return f"the line is longer than {_LONGEST >> 20} MiB. A record has one JSON object per line."
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"{first['msg']}. A record has one JSON object per line."
    place = ".".join(map(str, first["loc"][1:] if first["type"] not in _NO_TAG else first["loc"]))
    more = f" (and {counted(error.error_count() - 1, 'more error')})" if error.error_count() > 1 else ""
    why = first["msg"].removeprefix("Value error, ")
    return f"{place + ': ' if place else ''}{why}{more}. docs/usage.md describes the format."
