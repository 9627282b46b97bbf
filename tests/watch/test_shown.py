"""Real moments and those that a reader is shown, there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.kubeapi.jobs import seconds
from simulator.shown import REAL, Shown, Turn, shown_here, turns_in
from tests.watch.records import START, Story
from tpu.watch.tables import workload_table
from tpu.watch.timeline import story

if TYPE_CHECKING:
    from pathlib import Path

_SKIPPED = Shown([Turn(1000, 5000, 10), Turn(1010, 9000, 10), Turn(1020, 9100, 0), Turn(1050, 9100, 2)])
"""Ten times as fast as life from 5000 s on, then a skip from 5100 to 9000 s, then a rest, then twice as fast."""


@pytest.mark.parametrize(
    ("real", "shown"),
    [(990, 4990), (1000, 5000), (1009.9, 5099), (1010, 9000), (1019, 9090), (1030, 9100), (1050, 9100), (1060, 9120)],
)
def test_a_real_moment_is_shown_as_the_clock_had_it(real: float, shown: float) -> None:
    assert _SKIPPED.at(real) == pytest.approx(shown)
    assert REAL.at(real) == real


@pytest.mark.parametrize(
    ("shown", "real"),
    [(4990, 990), (5000, 1000), (5050, 1005), (5100, 1010), (7000, 1010), (9000, 1010), (9050, 1015), (9120, 1060)],
)
def test_the_real_moment_of_what_was_skipped_is_that_of_the_skip(shown: float, real: float) -> None:
    assert _SKIPPED.real(shown) == pytest.approx(real)
    assert REAL.real(shown) == shown


@pytest.mark.parametrize(
    ("since", "until", "pace"), [(900, 901, 1), (1012, 1013, 10), (1025, 1040, 0), (1025, 1055, 2), (1000, 1060, 10)]
)
def test_the_greatest_pace_of_a_time_is_known(since: float, until: float, pace: float) -> None:
    assert _SKIPPED.pace(since, until) == pace
    assert REAL.pace(since, until) == 1


def test_turns_are_read_from_the_file_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "clock.jsonl"
    monkeypatch.setenv("WATCH_CLOCK", str(path))
    assert shown_here() == Shown([])
    path.write_text("[1000.5, 5000.0, 10.0]\n[1010, 9000, 10]\n[1020, 91")
    assert shown_here().turns == [Turn(1000.5, 5000, 10), Turn(1010, 9000, 10)]
    monkeypatch.delenv("WATCH_CLOCK")
    assert shown_here() is REAL
    assert turns_in(tmp_path / "none") == []


def _an_hour_in_five_seconds() -> Story:
    told = Story()
    told.queued(0, "train", 8)
    told.admitted(1, "train")
    told.finished(5, "train")
    return told


def test_the_timeline_and_ages_are_in_simulated_time() -> None:
    start = START.timestamp()
    shown = Shown([Turn(start - 1, start + 500, 10), Turn(start + 4, start + 4150, 10)])
    record = _an_hour_in_five_seconds().record(shown=shown)
    lines = list(story(record, start + 6, is_settled=True))
    assert [line.split()[0] for line in lines[1:4]] == ["+0s", "+10s", "+3650s"]
    assert (
        lines[4] == "times are simulated; each may be up to 10 s off, because the API server keeps whole real seconds"
    )
    assert next(line for line in workload_table(record, start + 6) if "jobset-train" in line).endswith("   61m")


def test_without_a_simulator_nothing_is_said_of_time() -> None:
    lines = list(story(_an_hour_in_five_seconds().record(), START.timestamp() + 6, is_settled=True))
    assert [line.split()[0] for line in lines[1:4]] == ["+0s", "+1s", "+5s"]
    assert not any("simulated" in line for line in lines)
    assert seconds("1970-01-01T00:00:01Z") == 1
