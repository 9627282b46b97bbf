"""The lines that are shown while tools are built."""

from __future__ import annotations

import io
from itertools import count

import pytest

from simulator.toolchain.progress import PLAIN_SECONDS, Progress, duration


class Terminal(io.StringIO):
    """Doubles a terminal: it keeps what is written and says that it is one."""

    def isatty(self) -> bool:
        return True


def test_without_a_terminal_passing_lines_are_printed_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, moments = io.StringIO(), count(100.0, PLAIN_SECONDS / 2)
    monkeypatch.setattr("time.monotonic", lambda: next(moments))
    progress = Progress(stream)
    for compiled in range(6):
        progress.passing(f"{compiled} of 6")
    progress.lasting("built")
    shown = stream.getvalue().splitlines()
    assert shown[0] == "0 of 6"
    assert shown[-1] == "built"
    assert 3 <= len(shown) < 6


def test_a_terminal_has_one_passing_line_which_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    progress = Progress(stream := Terminal())
    progress.passing("1 of 2 packages")
    progress.passing("2 of 2 packages")
    progress.lasting("etcd: built in 4 s")
    assert stream.getvalue() == "\r\x1b[K1 of 2 pack\r\x1b[K2 of 2 pack\r\x1b[Ketcd: built in 4 s\n"


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (366, "6 min 06 s")])
def test_durations_are_for_readers(seconds: float, text: str) -> None:
    assert duration(seconds) == text
