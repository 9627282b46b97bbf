"""The display while tools are built: lines that are redrawn, or plain lines without a terminal.

A build writes what it does into its `BuildState`; a display reads all of them several times a second. Counts come from
Go: how many packages are to be compiled, and each package as it is compiled. The remaining minutes follow from them and
the pace of this machine so far.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolchain.tool import Tool

PLAIN_SECONDS: Final = 15.0
"""Least time between two plain lines about the same build."""
_PACE_SHARE: Final = 0.05
"""The part of the packages that shows the pace."""
_ERASE_TO_END: Final = "\x1b[0J"


class Phase(Enum):
    """How far a build is."""

    QUEUED = "queued"
    WAITING = "waiting"
    DOWNLOADING = "downloading"
    COMPILING = "compiling"
    BUILT = "built"
    FAILED = "failed"


_ENDED: Final = (Phase.BUILT, Phase.FAILED)
_RUNNING: Final = (Phase.WAITING, Phase.DOWNLOADING, Phase.COMPILING)


@dataclass
class BuildState:
    """The build of some tools of one module; written by its worker, read by the display."""

    tools: Sequence[Tool]
    phase: Phase = Phase.QUEUED
    holder: str = ""
    """Who builds it already, while waiting."""
    downloaded: int = 0
    compiled: int = 0
    packages: int = 0
    """How many were to be compiled."""
    is_counted: bool = False
    """Whether `packages` is known."""
    began: float = 0.0
    """When it began to compile."""
    started: float = 0.0
    """Seconds of the clock that the display is given."""
    ended: float = 0.0
    processor_seconds: float = 0.0
    """User and system time of all that Go did for it."""

    @property
    def label(self) -> str:
        """Name and version of a single tool, else the module and its number of tools."""
        if len(self.tools) == 1:
            return f"{self.tools[0].name} {self.tools[0].version}"
        return f"{self.name} ({len(self.tools)} tools)"

    @property
    def name(self) -> str:
        """The module."""
        return self.tools[0].module

    @property
    def doing(self) -> str:
        """Its present step, in words."""
        match self.phase:
            case Phase.WAITING:
                return f"waiting for {self.holder}, which is building it"
            case Phase.DOWNLOADING:
                return f"downloading modules ({self.downloaded} so far)" if self.downloaded else "looking at modules"
            case Phase.COMPILING if self.compiled < self.packages:
                return f"{self.compiled} of {self.packages} packages compiled"
            case Phase.COMPILING:
                return "linking"
            case _:
                return self.phase.value


class Progress(Protocol):
    """A display."""

    def show(self, states: Sequence[BuildState], now: float) -> None:
        """Bring the display up to date; `now` is on the clock of the states' times."""
        ...

    def end(self, states: Sequence[BuildState]) -> None:
        """Print how long everything took; every build ended well."""
        ...


def progress_on(stream: TextIO) -> Progress:
    """The display that suits `stream`."""
    return TerminalProgress(stream) if stream.isatty() else PlainProgress(stream)


def duration(seconds: float) -> str:
    """A time for a reader: `46 s`, `6 min 06 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def summary(states: Sequence[BuildState]) -> str:
    """The processor time of each build and of all: a measure that other work on the machine changes little."""
    took = [f"{state.name} {state.processor_seconds:.0f} s" for state in states]
    if len(states) > 1:
        took.append(f"together {sum(state.processor_seconds for state in states):.0f} s")
    return f"processor time: {', '.join(took)}"


def _overall(states: Sequence[BuildState], now: float) -> str:
    built = sum(len(state.tools) for state in states if state.phase is Phase.BUILT)
    text = f"{built} of {sum(len(state.tools) for state in states)} built"
    left = _seconds_left(states, now)
    return text if left is None else f"{text}, {_about(left)} left"


def _seconds_left(states: Sequence[BuildState], now: float) -> float | None:
    """By the pace so far; None until there is one and all is counted, and when nothing is left but linking."""
    if not all(state.is_counted for state in states):
        return None
    compiled = sum(state.compiled for state in states)
    left = sum(state.packages - state.compiled for state in states if state.phase not in _ENDED)
    if left <= 0 or compiled < (compiled + left) * _PACE_SHARE:
        return None
    return (now - min(state.began for state in states if state.compiled)) * left / compiled


def _about(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes else "less than a minute"


class PlainProgress:
    """Lines that stay: one at the start of a build, one now and then, one at its end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._told: dict[str, tuple[Phase, float]] = {}

    def show(self, states: Sequence[BuildState], now: float) -> None:
        """Print the lines that are due."""
        for state in states:
            phase, when = self._told.get(state.label, (Phase.QUEUED, now))
            due = state.phase in _RUNNING and now - when >= PLAIN_SECONDS
            starts = phase is Phase.QUEUED and state.phase in _RUNNING
            turns = state.phase is not phase and state.phase in (Phase.WAITING, *_ENDED)
            if starts or due or turns:
                self._told[state.label] = (state.phase, now)
                self._print(state, states, now)

    def _print(self, state: BuildState, states: Sequence[BuildState], now: float) -> None:
        if state.phase in _RUNNING:
            line = f"{state.label}: {state.doing}, {duration(now - state.started)}"
        else:
            line = f"{state.label}: {state.phase.value} in {duration(state.ended - state.started)}"
        print(f"{line}; {_overall(states, now)}", file=self._stream, flush=True)

    def end(self, states: Sequence[BuildState]) -> None:
        """Print the processor time."""
        print(summary(states), file=self._stream, flush=True)


class TerminalProgress:
    """Finished builds scroll away above a block that is drawn anew each time: the total, and a line for each build."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = 0
        self._finished: set[str] = set()

    def show(self, states: Sequence[BuildState], now: float) -> None:
        """Draw."""
        width = shutil.get_terminal_size().columns - 1
        fresh = [s for s in states if s.phase in _ENDED and s.label not in self._finished]
        self._finished |= {state.label for state in fresh}
        lines = [f"{s.label} {s.phase.value} in {duration(s.ended - s.started)}" for s in fresh]
        running = [state for state in states if state.phase in _RUNNING]
        block = [f"  {s.label}: {s.doing}, {duration(now - s.started)}" for s in running]
        if running:
            block.insert(0, f"building tools: {_overall(states, now)}")
        back = f"\x1b[{self._drawn}F" if self._drawn else ""
        text = "".join(f"{line[:width]}\n" for line in [*lines, *block])
        self._stream.write(f"{back}{_ERASE_TO_END}{text}")
        self._stream.flush()
        self._drawn = len(block)

    def end(self, states: Sequence[BuildState]) -> None:
        """Print the processor time below the last line."""
        print(summary(states), file=self._stream, flush=True)
