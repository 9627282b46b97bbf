"""Logs of scripts that are not run and of programs that are."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from simulator.pods.logs import CriWriter, FileLog, Line, Log
from simulator.pods.simulated import log_of
from simulator.shown import Shown, Turn
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from pathlib import Path

_TENFOLD = Shown([Turn(0, 0, 10)])
"""Time that runs ten times as fast."""
_STARTED = "1970-01-01T00:01:40Z"
"""100 s after 1970."""


def written(folder: Path, output: bytes) -> FileLog:
    """The log of a program that printed `output`."""
    reader, writer = os.pipe()
    os.write(writer, output)
    os.close(writer)
    path = folder / "pod" / "container.log"
    CriWriter(os.fdopen(reader, "rb"), path).join()
    return FileLog(path, lambda: False)


def test_a_programs_output_is_kept_line_by_line_with_its_time(tmp_path: Path) -> None:
    log = written(tmp_path, b'{"a": 1}\n\n two  words\n\xff\nlast')
    assert [line.text for line in log.lines()] == ['{"a": 1}', "", " two  words", "\N{REPLACEMENT CHARACTER}", "last"]
    assert all(line.time > 1_700_000_000 for line in log.lines())
    assert log.is_over()
    first = log.path.read_text().partition("\n")[0]
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z stdout F \{"a": 1\}', first)


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    text = "a\x0cb\x1cc\u2028d\re"
    assert [line.text for line in written(tmp_path, f"{text}\n".encode()).lines()] == [text]


def test_another_start_writes_on(tmp_path: Path) -> None:
    written(tmp_path, b"first\n")
    assert [line.text for line in written(tmp_path, b"second\n").lines()] == ["first", "second"]


def test_a_line_that_is_being_written_is_not_read_yet(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("2026-11-21T02:33:50.000000000Z stdout F whole\n2026-11-21T02:3")
    assert [line.text for line in FileLog(path, lambda: True).lines()] == ["whole"]


def test_a_log_that_was_never_written_is_empty(tmp_path: Path) -> None:
    log = FileLog(tmp_path / "none", lambda: True)
    assert (log.lines(), log.is_over()) == ([], False)


def simulated(now: float, *, shown: Shown = _TENFOLD, **status: object) -> Log | None:
    """The log at `now` seconds after 1970 of container c1 of a pod with that status."""
    pod = a_pod().container("busybox:1", "true")
    pod.container("busybox:1", "sh", "-c", "echo start; sleep 60; echo middle; sleep 30; echo end")
    pod.document["status"] = status
    return log_of(pod.document, "c1", lambda: now, lambda: shown)


@pytest.mark.parametrize(
    ("now", "lines", "over"),
    [
        (99.9, [], False),
        (100.0, [Line(100.0, "start")], False),
        (105.9, [Line(100.0, "start")], False),
        (106.0, [Line(100.0, "start"), Line(106.0, "middle")], False),
        (109.0, [Line(100.0, "start"), Line(106.0, "middle"), Line(109.0, "end")], True),
        (4100.0, [Line(100.0, "start"), Line(106.0, "middle"), Line(109.0, "end")], True),
    ],
)
def test_a_script_prints_as_its_time_passes(now: float, lines: list[Line], *, over: bool) -> None:
    log = simulated(now, startTime=_STARTED)
    assert log is not None
    assert (log.lines(), log.is_over()) == (lines, over)


def test_a_script_that_was_cut_off_prints_no_more() -> None:
    statuses = [
        {"name": "c0", "state": {"terminated": {"finishedAt": _STARTED}}},
        {"name": "c1", "state": {"terminated": {"finishedAt": "1970-01-01T00:01:47Z"}}},
    ]
    log = simulated(4100.0, startTime=_STARTED, containerStatuses=statuses)
    assert log is not None
    assert (log.lines(), log.is_over()) == ([Line(100.0, "start"), Line(106.0, "middle")], True)


def test_what_was_printed_in_skipped_time_has_the_moment_of_the_skip() -> None:
    log = simulated(102.5, shown=Shown([Turn(100, 100, 10), Turn(102, 185, 10)]), startTime=_STARTED)
    assert log is not None
    assert log.lines() == [Line(100.0, "start"), Line(102.0, "middle"), Line(102.5, "end")]
    assert log.is_over()


def test_no_container_or_no_start_is_no_log() -> None:
    assert simulated(105.0, phase="Pending") is None
    pod = a_pod().container("busybox:1", "true")
    pod.document["status"] = {"startTime": _STARTED}
    assert log_of(pod.document, "other", lambda: 105.0, lambda: _TENFOLD) is None


def test_device_counts_are_printed_by_the_pods_own_environment() -> None:
    pod = a_pod().container("jax:1", "python3", "-c", "print(jax.device_count())", chips=4)
    pod.document["spec"]["containers"][0]["env"] = [
        {"name": "TPU_WORKER_HOSTNAMES", "value": "a,b"},
        {"name": "MEGASCALE_NUM_SLICES", "value": "3"},
    ]
    pod.document["status"] = {"startTime": _STARTED}
    log = log_of(pod.document, "c0", lambda: 101.0, lambda: _TENFOLD)
    assert log is not None
    assert log.lines() == [Line(100.0, "24")]
