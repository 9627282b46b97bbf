"""How much processor time and memory a week takes, and that time grows with the number of Workloads."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from tests.rehearsal.weeks import WEEK, week
from tpu.rehearsal.running import read

if TYPE_CHECKING:
    from pathlib import Path

    from tpu.rehearsal.document import Rehearsal

SECONDS = 60
MEBIBYTES = 500
STEADY = 0.7
"""The share of the chips that is wanted where queues do not grow with the length of the trace. Kueue looks at all that
wait again when a job ends, so a longer queue takes more time, in a cluster as in a rehearsal."""
GROWTH = 1.5
"""How much more time per Workload the longer trace may take."""


def measured(told: Rehearsal, command: Path, folder: Path) -> tuple[float, float, int]:
    """Processor seconds, mebibytes, and how many Workloads finished."""
    document, output = folder / "document", folder / "output"
    document.write_text(told.text())
    with output.open("w") as lines:
        process = subprocess.Popen([command, document], stdout=lines, env={**os.environ, "GOMAXPROCS": "1"})
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    outcome = read(output.read_text().splitlines())
    finished = sum(1 for each in outcome.decisions if each.event == "finished")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, finished


def test_a_week_of_two_thousand_workloads_on_a_thousand_chips(command: Path, tmp_path: Path) -> None:
    seconds, memory, finished = measured(week(2000), command, tmp_path)
    assert finished == 2000
    assert seconds < SECONDS
    assert memory < MEBIBYTES


def test_time_grows_with_the_number_of_workloads(command: Path, tmp_path: Path) -> None:
    short, _, _ = measured(week(2000, load=STEADY), command, tmp_path)
    long, _, finished = measured(week(8000, load=STEADY, seconds=4 * WEEK), command, tmp_path)
    assert finished == 8000
    assert long / 8000 < GROWTH * short / 2000
