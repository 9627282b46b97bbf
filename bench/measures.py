"""Timing of whole commands, and the processor time and memory of their processes."""

from __future__ import annotations

import gc
import os
import resource
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LOOPS: Final = 5_000_000
"""Additions that measure the speed of a machine: a fraction of a second, and far above the resolution of a clock."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two commands timed in turn, A B A B ..., in seconds."""

    ours: Sequence[float]
    bare: Sequence[float]

    @property
    def ratio(self) -> float:
        """Median of the ratios pair by pair, which a change of the machine's speed between pairs does not move."""
        return statistics.median(a / b for a, b in zip(self.ours, self.bare, strict=True))

    def __str__(self) -> str:
        """The ratio and both medians."""
        ours, bare = statistics.median(self.ours), statistics.median(self.bare)
        return f"{self.ratio:.2f}x of bare ({ours:.2f} s against {bare:.2f} s, median of {len(self.ours)} pairs)"


def in_turn(ours: Callable[[], object], bare: Callable[[], object], *, pairs: int) -> Pairs:
    """Both timed `pairs` times in turn, after one run of each that is not counted."""
    ours()
    bare()
    times = [(seconds(ours), seconds(bare)) for _ in range(pairs)]
    return Pairs([pair[0] for pair in times], [pair[1] for pair in times])


def in_rounds(*actions: Callable[[], object], times: int) -> list[list[float]]:
    """Seconds of each in every round, A B C A B C ..., after one run of each that is not counted.

    Compare the times round by round: between rounds, the speed of a virtual machine changes by more than such a
    difference.
    """
    for action in actions:
        action()
    return [[seconds(action) for action in actions] for _ in range(times)]


def best_cpu_seconds(action: Callable[[], object], *, times: int) -> float:
    """The least time of this process that `action` takes, whatever else the machine does meanwhile."""
    return min(cpu_seconds(action) for _ in range(times))


def machine_seconds() -> float:
    """CPU seconds of a loop of `LOOPS` additions, by which runs on different machines can be compared."""
    return best_cpu_seconds(_loop, times=2)


def _loop() -> None:
    sum_ = 0
    for number in range(LOOPS):
        sum_ += number


def cpu_seconds(action: Callable[[], object]) -> float:
    """The time of this process that `action` takes."""
    gc.collect()  # without the time before
    start = time.process_time()
    action()
    return time.process_time() - start


def cpu_of_children() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment() -> dict[str, str]:
    """This process's variables, except that commands store compiled modules, as is the default."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def seconds(action: Callable[[], object]) -> float:
    """How long `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def memory_mib(pids: Iterable[int]) -> float:
    """Memory of the processes together in MiB, each page counted once over those that share it (Linux PSS)."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024
