"""What a record says already of each Workload, so that nothing is written twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from operations.trace.lines import (
    Admitted,
    Evicted,
    Finished,
    Gone,
    Line,
    OfWorkload,
    Paused,
    Ready,
    Reclaimed,
    Released,
    Reserved,
    Resumed,
    Seen,
    Unready,
)

_FLAGS: Final[dict[type[OfWorkload], tuple[str, bool]]] = {
    Admitted: ("is_admitted", True),
    Ready: ("is_ready", True),
    Unready: ("is_ready", False),
    Paused: ("is_paused", True),
    Resumed: ("is_paused", False),
    Finished: ("is_over", True),
    Gone: ("is_over", True),
}
"""By line: the field of `Known` that it sets."""


@dataclass(slots=True)
class Known:
    """The last state of one Workload."""

    reserved: int | None = None
    """When its quota was reserved; None while it has none."""
    evicted: int | None = None
    """When it was evicted last."""
    is_admitted: bool = False
    is_ready: bool = False
    is_paused: bool = False
    is_over: bool = False
    reclaimed: dict[str, int] = field(default_factory=dict[str, int])

    version: int = 0
    """The resourceVersion of the Workload from which the last line was written."""

    def take(self, line: OfWorkload) -> None:
        """Take in one line."""
        self.version = self.version if line.version is None else int(line.version)
        if type(line) in _FLAGS:
            name, value = _FLAGS[type(line)]
            setattr(self, name, value)
        elif isinstance(line, Reserved | Released):
            self.reserved, self.reclaimed = line.at if isinstance(line, Reserved) else None, {}
            self.is_admitted = self.is_ready = False
        elif isinstance(line, Evicted):
            self.evicted = line.at
        elif isinstance(line, Reclaimed):
            self.reclaimed = line.pods


class Knowledge:
    """The state of every Workload of a record, and where the recorder goes on."""

    def __init__(self) -> None:
        self.workloads: dict[str, Known] = {}
        """By uid."""
        self.version: str | None = None
        """The resourceVersion up to which the record has everything."""
        self.at = 0
        """The latest moment in the record."""

    def take(self, line: Line) -> None:
        """Take in one line."""
        self.at = max(self.at, line.at)
        if isinstance(line, Seen):
            self.version = line.version
        elif isinstance(line, OfWorkload):
            self.workloads.setdefault(line.uid, Known()).take(line)
