"""How much processor time and memory a week takes, and that time grows little faster than the number of Workloads."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from rehearsal.decisions import read
from tests.rehearsal.weeks import WEEK, week

if TYPE_CHECKING:
    from pathlib import Path

    from rehearsal.document import Rehearsal

SECONDS = 60
MEBIBYTES = 500
GROWTH = 3.0
"""How much more time per Workload the longer trace may take: more Workloads wait at once in it."""


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
    short, _, _ = measured(week(500, seconds=WEEK // 4), command, tmp_path)
    assert seconds / 2000 < GROWTH * short / 500
