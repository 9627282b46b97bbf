"""Logs of scripts that are not run and of programs that are."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from operations.watch.shown import Shown, Turn
from simulator.pods.logs import CriWriter, FileLog, Line, Log, ScriptLog, rfc3339
from simulator.pods.script import Script, Step
from simulator.pods.simulated import log_of
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from pathlib import Path

_SCRIPT = Script((Step(output="start"), Step(60.0), Step(output="middle"), Step(30.0), Step(output="end")))

_TENFOLD = Shown([Turn(0, 0, 10)])
"""Time that runs ten times as fast."""


def script_log(now: float, *, ended: float | None = None) -> ScriptLog:
    """The log at `now` of a script that began at 1000 s, ten times as fast as life."""
    return ScriptLog(_SCRIPT, 1000.0, ended, lambda: now, lambda: _TENFOLD)


@pytest.mark.parametrize(
    ("now", "lines", "over"),
    [
        (999.9, [], False),
        (1000.0, [Line(1000.0, "start")], False),
        (1005.9, [Line(1000.0, "start")], False),
        (1006.0, [Line(1000.0, "start"), Line(1006.0, "middle")], False),
        (1009.0, [Line(1000.0, "start"), Line(1006.0, "middle"), Line(1009.0, "end")], True),
        (5000.0, [Line(1000.0, "start"), Line(1006.0, "middle"), Line(1009.0, "end")], True),
    ],
)
def test_a_script_prints_as_its_time_passes(now: float, lines: list[Line], *, over: bool) -> None:
    log = script_log(now)
    assert (log.lines(), log.is_over()) == (lines, over)


def test_a_script_that_was_cut_off_prints_no_more() -> None:
    log = script_log(5000.0, ended=1007.0)
    assert log.lines() == [Line(1000.0, "start"), Line(1006.0, "middle")]
    assert log.is_over()


def test_what_was_printed_in_skipped_time_has_the_moment_of_the_skip() -> None:
    shown = Shown([Turn(1000, 1000, 10), Turn(1002, 1085, 10)])
    log = ScriptLog(_SCRIPT, 1000.0, None, lambda: 1002.5, lambda: shown)
    assert log.lines() == [Line(1000.0, "start"), Line(1002.0, "middle"), Line(1002.5, "end")]
    assert log.is_over()


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


def test_times_are_told_as_a_kubelet_does() -> None:
    assert rfc3339(1_763_692_430.25) == "2025-11-21T02:33:50.250000000Z"


def simulated(now: float, **status: object) -> Log | None:
    """The log at `now` seconds after 1970 of container c1 of a pod with that status, at tenfold speed."""
    pod = a_pod().container("busybox:1", "true").container("busybox:1", "sh", "-c", "echo a; sleep 60; echo b")
    pod.document["status"] = status
    return log_of(pod.document, "c1", lambda: now, lambda: _TENFOLD)


def test_a_simulated_pod_prints_what_its_container_would() -> None:
    log = simulated(105.0, startTime="1970-01-01T00:01:40Z")
    assert log is not None
    assert (log.lines(), log.is_over()) == ([Line(100.0, "a")], False)
    log = simulated(106.0, startTime="1970-01-01T00:01:40Z")
    assert log is not None
    assert (log.lines(), log.is_over()) == ([Line(100.0, "a"), Line(106.0, "b")], True)


def test_a_simulated_pod_that_was_ended_printed_no_more() -> None:
    statuses = [
        {"name": "c0", "state": {"terminated": {"finishedAt": "1970-01-01T00:01:40Z"}}},
        {"name": "c1", "state": {"terminated": {"finishedAt": "1970-01-01T00:01:44Z"}}},
    ]
    log = simulated(1000.0, startTime="1970-01-01T00:01:40Z", containerStatuses=statuses)
    assert log is not None
    assert (log.lines(), log.is_over()) == ([Line(100.0, "a")], True)


def test_no_container_or_no_start_is_no_log() -> None:
    assert simulated(105.0, phase="Pending") is None
    pod = a_pod().container("busybox:1", "true")
    pod.document["status"] = {"startTime": "1970-01-01T00:01:40Z"}
    assert log_of(pod.document, "other", lambda: 105.0, lambda: _TENFOLD) is None


def test_device_counts_are_printed_by_the_pods_own_environment() -> None:
    pod = a_pod().container("jax:1", "python3", "-c", "print(jax.device_count())", chips=4)
    pod.document["spec"]["containers"][0]["env"] = [
        {"name": "TPU_WORKER_HOSTNAMES", "value": "a,b"},
        {"name": "MEGASCALE_NUM_SLICES", "value": "3"},
    ]
    pod.document["status"] = {"startTime": "1970-01-01T00:01:40Z"}
    log = log_of(pod.document, "c0", lambda: 101.0, lambda: _TENFOLD)
    assert log is not None
    assert log.lines() == [Line(100.0, "24")]
