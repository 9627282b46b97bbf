"""What is shown while tools are built, with the clock in the test's hand."""

from __future__ import annotations

import io

import pytest

from toolchain.progress import BuildState, Phase, PlainProgress, TerminalProgress, duration, progress_on, summary
from toolchain.tools import find_tool

ETCD, KWOK = find_tool("etcd").version, find_tool("kwok").version


class Terminal(io.StringIO):
    """Doubles a terminal of 60 columns: it keeps what is written and says that it is one."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def states() -> list[BuildState]:
    return [BuildState([find_tool("etcd")]), BuildState([find_tool("kwok")])]


def test_plain_lines_at_the_start_now_and_then_and_at_the_end(states: list[BuildState]) -> None:
    stream = io.StringIO()
    display = PlainProgress(stream)
    etcd, kwok = states

    def at(now: float) -> list[str]:
        display.show(states, now)
        lines = stream.getvalue().splitlines()
        stream.seek(stream.truncate(0))
        return lines

    assert at(0.0) == []
    etcd.phase, etcd.started = Phase.DOWNLOADING, 1.0
    assert at(1.0) == [f"etcd {ETCD}: looking at modules, 0 s; 0 of 2 built"]
    etcd.downloaded = 12
    assert at(15.9) == []
    assert at(16.0) == [f"etcd {ETCD}: downloading modules (12 so far), 15 s; 0 of 2 built"]
    etcd.phase, etcd.packages, etcd.compiled, etcd.began = Phase.COMPILING, 150, 70, 11.0
    kwok.packages = 480
    etcd.is_counted = kwok.is_counted = True
    kwok.phase, kwok.started, kwok.holder = Phase.WAITING, 20.0, "process 7"
    assert at(20.0) == [
        f"kwok {KWOK}: waiting for process 7, which is building it, 0 s; 0 of 2 built, about 1 min left"
    ]
    assert at(31.0) == [f"etcd {ETCD}: 70 of 150 packages compiled, 30 s; 0 of 2 built, about 3 min left"]
    etcd.compiled = 150
    etcd.phase, etcd.ended = Phase.BUILT, 40.0
    kwok.phase, kwok.ended = Phase.FAILED, 100.0
    assert at(100.0) == [
        f"etcd {ETCD}: built in 39 s; 1 of 2 built",
        f"kwok {KWOK}: failed in 1 min 20 s; 1 of 2 built",
    ]
    assert at(200.0) == []


def test_a_build_that_was_never_seen_running_still_gets_its_last_line(states: list[BuildState]) -> None:
    stream = io.StringIO()
    states[0].phase, states[0].started, states[0].ended = Phase.BUILT, 0.0, 2.0
    PlainProgress(stream).show(states, 2.0)
    assert stream.getvalue() == f"etcd {ETCD}: built in 2 s; 1 of 2 built\n"


def test_a_terminal_is_redrawn_in_place(states: list[BuildState], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    display = progress_on(stream)
    assert isinstance(display, TerminalProgress)
    etcd, kwok = states
    for state in states:
        state.phase, state.packages, state.compiled, state.began = Phase.COMPILING, 1200, 1200, 1.0
        state.is_counted = True
    kwok.compiled = 3
    display.show(states, 10.0)
    etcd.phase, etcd.ended = Phase.BUILT, 11.0
    display.show(states, 12.0)
    kwok.phase, kwok.ended = Phase.BUILT, 13.0
    display.show(states, 13.0)
    assert stream.getvalue() == (
        "\x1b[0Jbuilding tools: 0 of 2 built, less than a minute left\n"
        f"  etcd {ETCD}: linking, 10 s\n"
        f"  kwok {KWOK}: 3 of 1200 packages compiled, 10 s\n"
        f"\x1b[3F\x1b[0Jetcd {ETCD} built in 11 s\n"
        "building tools: 1 of 2 built, less than a minute left\n"
        f"  kwok {KWOK}: 3 of 1200 packages compiled, 12 s\n"
        f"\x1b[2F\x1b[0Jkwok {KWOK} built in 13 s\n"
    )


def test_a_line_never_wraps_because_the_redraw_counts_lines(
    states: list[BuildState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    states[0].phase, states[0].holder = Phase.WAITING, "process 123456789"
    TerminalProgress(stream).show(states, 1.0)
    assert all(len(line) < 30 for line in stream.getvalue().replace("\x1b[0J", "").splitlines())


def test_what_is_no_terminal_gets_plain_lines() -> None:
    assert isinstance(progress_on(io.StringIO()), PlainProgress)


def test_what_is_left_is_told_once_there_is_a_pace_and_not_while_linking(states: list[BuildState]) -> None:
    stream = io.StringIO()
    state = states[0]
    state.phase, state.packages, state.began, state.is_counted = Phase.COMPILING, 1000, 100.0, True
    told: list[str] = []
    for compiled, now in ((49, 130.0), (50, 160.0), (500, 460.0), (1000, 700.0)):
        state.compiled = compiled
        PlainProgress(stream).show([state], now)
        told.append(stream.getvalue().splitlines()[-1].rpartition("; ")[2])
    assert told == ["0 of 1 built", "0 of 1 built, about 19 min left", "0 of 1 built, about 6 min left", "0 of 1 built"]
    state.compiled = 500
    PlainProgress(stream).show(states, 460.0)
    assert stream.getvalue().endswith("; 0 of 2 built\n"), "the other build is not counted yet"


def test_the_end_tells_the_processor_time_of_each_module_and_of_all() -> None:
    states = [BuildState([find_tool(name)]) for name in ("pulumi", "etcd", "actionlint")]
    for state, seconds in zip(states, (400.2, 800.0, 20.4), strict=True):
        state.processor_seconds = seconds
    assert summary(states) == "processor time: pulumi 400 s, control-plane 800 s, actionlint 20 s, together 1221 s"
    assert summary(states[1:2]) == "processor time: control-plane 800 s"


def test_a_build_that_is_counted_and_waits_for_its_turn_has_no_last_line_yet(states: list[BuildState]) -> None:
    stream = io.StringIO()
    display = PlainProgress(stream)
    states[0].phase = Phase.DOWNLOADING
    display.show(states, 1.0)
    states[0].phase = Phase.QUEUED
    display.show(states, 2.0)
    assert stream.getvalue().splitlines() == [f"etcd {ETCD}: looking at modules, 1 s; 0 of 2 built"]


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (366, "6 min 06 s")])
def test_durations_are_for_readers(seconds: float, text: str) -> None:
    assert duration(seconds) == text
