"""Reading a record: each bad input gives one clear error or a counted remark."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Final

import pytest

from tpu.trace.lines import LINE, Seen, as_json, moment, written
from tpu.trace.reading import Remarks, TraceError, last_moment, read
from tpu.trace.writing import TraceFile

if TYPE_CHECKING:
    from pathlib import Path

_HEAD: Final = '{"what": "trace", "version": 1, "at": "2026-11-16T00:00:00Z"}\n'
_SEEN: Final = '{"what": "seen", "at": "2026-11-16T01:00:00Z"}\n'
_DOCS: Final = "docs/usage.md describes the format."
_ASKED: Final[dict[str, object]] = {
    "what": "asked",
    "at": "2026-11-16T00:00:00Z",
    "uid": "a",
    "namespace": "n",
    "name": "w",
    "job": "Job/j",
    "team": "t",
    "queue": "q",
    "pod_sets": [],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.jsonl"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ": it is empty. `tpu record` writes such a file."),
        (_SEEN, ":1: the first line must be what: trace, with version: 1. docs/usage.md describes the format."),
        (_HEAD * 2, ":2: a second header. docs/usage.md describes the format."),
        (_HEAD.replace("1,", "2,"), ":1: version: Input should be 1. docs/usage.md describes the format."),
        ("chips\n", ":1: Invalid JSON: expected value at line 1 column 1. A record has one JSON object per line."),
        (
            _HEAD + '{"what": "seen", "at": -5}\n',
            f":2: at: must be an RFC 3339 time in quotes, such as 2026-11-23T08:00:00Z. {_DOCS}",
        ),
        (
            _HEAD + '{"what": "seen", "at": "1969-12-31T00:00:00Z"}\n',
            ":2: at: 1969-12-31T00:00:00Z is before 1970. docs/usage.md describes the format.",
        ),
        (
            _HEAD + '{"what": "seen", "at": "2026-11-16T00:00:00"}\n',
            f":2: at: 2026-11-16T00:00:00 has no time zone; end it with Z for UTC. {_DOCS}",
        ),
        (
            _HEAD + json.dumps({**_ASKED, "max_seconds": -1}) + "\n",
            ":2: max_seconds: Input should be greater than or equal to 0. docs/usage.md describes the format.",
        ),
        (
            _HEAD + json.dumps({**_ASKED, "pod_sets": [{"name": "s", "count": 1, "requests": {"cpu": "-1"}}]}) + "\n",
            ":2: pod_sets.0.requests.cpu: -1 is below 0. docs/usage.md describes the format.",
        ),
        (
            _HEAD + '{"what": "seen", "at": "2026-11-16T00:00:00Z", "color": "red", "size": 1}\n',
            ":2: color: Extra inputs are not permitted (and 1 more error). docs/usage.md describes the format.",
        ),
    ],
)
def test_a_line_that_is_not_of_the_format_is_named(path: Path, text: str, told: str) -> None:
    path.write_text(text)
    with pytest.raises(TraceError) as error:
        list(read(path, Remarks()))
    assert str(error.value) == f"{path}{told}"


def test_an_unknown_line_names_those_that_there_are(path: Path) -> None:
    path.write_text(_HEAD + '{"what": "deleted", "at": "2026-11-16T00:00:00Z"}\n')
    with pytest.raises(TraceError, match=r":2: Input tag 'deleted' found using 'what' does not match any of the"):
        list(read(path, Remarks()))


def test_a_file_that_is_not_there_is_named(path: Path) -> None:
    for look in (lambda: list(read(path, Remarks())), lambda: last_moment(path)):
        with pytest.raises(TraceError, match=r"r\.jsonl: No such file or directory$"):
            look()


def test_a_cut_last_line_is_left_out_and_said(path: Path) -> None:
    path.write_text(_HEAD + _SEEN + _SEEN[:20])
    remarks = Remarks()
    assert [line.what for line in read(path, remarks)] == ["trace", "seen"]
    assert remarks.texts() == ["1 line: the last one is cut short, and is left out"]
    assert last_moment(path) == moment("2026-11-16T01:00:00Z")


def test_a_long_line_is_refused_before_it_fills_the_memory(path: Path) -> None:
    path.write_text(_HEAD + '"' + "a" * (5 << 20))
    with pytest.raises(
        TraceError, match=r":2: the line is longer than 4 MiB\. A record has one JSON object per line\.$"
    ):
        list(read(path, Remarks()))


def test_a_file_takes_the_memory_of_a_line(path: Path) -> None:
    path.write_text(_HEAD + _SEEN * 40_000)
    remarks = Remarks()
    tracemalloc.start()  # counts the memory of all threads, also of those that other tests have left
    try:
        assert sum(1 for _ in read(path, remarks)) == 40_001
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 2


@pytest.mark.parametrize(
    ("tail", "left", "is_mended"),
    [
        (b"", b"", False),
        (_SEEN[:-1].encode(), _SEEN.encode(), False),
        (_SEEN[:-9].encode(), b"", True),
        (b"\0" * 100_000, b"", True),
    ],
    ids=["whole", "without its line break", "cut", "zeros after a power failure"],
)
def test_the_next_start_mends_the_end(path: Path, tail: bytes, left: bytes, *, is_mended: bool) -> None:
    path.write_bytes(_HEAD.encode() + tail)
    with TraceFile(path) as file:
        assert file.mend() is is_mended
    assert path.read_bytes() == _HEAD.encode() + left


def test_a_line_is_read_as_it_was_written() -> None:
    line = Seen(at=moment("2026-11-16T01:00:00.250Z"), version="7")
    assert as_json(line) == b'{"what":"seen","at":"2026-11-16T01:00:00.250Z","version":"7"}\n'
    assert LINE.validate_json(as_json(line)) == line
    assert written(line.at) == "2026-11-16T01:00:00.250Z"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"nowhere/r\.jsonl: No such file or directory$"):
        TraceFile(tmp_path / "nowhere" / "r.jsonl")
    with TraceFile(tmp_path / "full") as file:
        file.path.unlink()
    full = TraceFile(type(tmp_path)("/dev/full"))
    with full, pytest.raises(TraceError, match=r"^/dev/full: No space left on device$"):
        full.append([Seen(at=0)])
