"""Timing of commands in turn, and the processor time and memory of processes."""

from __future__ import annotations

import os
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

    def __str__(self) -> str:
        """The median of the ratios pair by pair, which a change of the machine's speed between pairs does not move."""
        ratio = statistics.median(a / b for a, b in zip(self.ours, self.bare, strict=True))
        ours, bare = statistics.median(self.ours), statistics.median(self.bare)
        return f"{ratio:.2f}x of bare ({ours:.2f} s against {bare:.2f} s, median of {len(self.ours)} pairs)"


def in_turn(ours: Callable[[], object], bare: Callable[[], object], *, pairs: int) -> Pairs:
    """Both timed `pairs` times in turn, after one run of each that is not counted."""
    ours()
    bare()
    times = [(seconds(ours), seconds(bare)) for _ in range(pairs)]
    return Pairs([pair[0] for pair in times], [pair[1] for pair in times])


def machine_seconds() -> float:
    """Processor seconds of a loop of `LOOPS` additions, by which runs on different machines can be compared."""
    return min(cpu_seconds(lambda: sum(range(LOOPS))) for _ in range(2))


def cpu_seconds(action: Callable[[], object]) -> float:
    """The processor time of this process that `action` takes."""
    start = time.process_time()
    action()
    return time.process_time() - start


def seconds(action: Callable[[], object]) -> float:
    """How long `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def environment() -> dict[str, str]:
    """This process's variables, except that commands store compiled modules, as is the default."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def memory_mib(pids: Iterable[int]) -> float:
    """Memory of the processes together in MiB, each page counted once over those that share it (Linux PSS)."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024
