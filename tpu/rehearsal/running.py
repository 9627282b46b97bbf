"""Runs the command `rehearse` with a document, and reads what Kueue decided about each Workload, and when."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tpu.rehearsal.document import Rehearsal

FORMAT: Final = "tpu-rehearsal-output/1"
_END: Final = "end"

Event = Literal[
    "queued",
    "waiting",
    "reserved",
    "admitted",
    "started",
    "evicted",
    "released",
    "requeued",
    "deactivated",
    "finished",
    "running",
    "never",
]


class RehearsalError(Exception):
    """A rehearsal was refused or broke off; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something that happened to a Workload."""

    at: int
    """Seconds since the start; negative for what an open Workload brings along."""
    workload: str
    """`namespace/name`."""
    event: Event
    queue: str = ""
    """The ClusterQueue."""
    flavors: dict[str, dict[str, str]] | None = None
    """The flavor by pod set and resource."""
    usage: dict[str, dict[str, int]] | None = None
    """The quota that it holds by flavor and resource; CPU in thousandths."""
    reason: str = ""
    """Kueue's reason of an eviction or deactivation."""
    cause: str = ""
    """Why one Workload may evict another, such as `InCohortReclamation`."""
    by: str = ""
    """The Workload for which this one was evicted."""
    until: int | None = None
    """When the backoff ends after which it is requeued."""
    ran: int | None = None
    """Seconds that the pods of an evicted Workload ran since they started."""
    lost: int | None = None
    """Seconds of work that must be done again."""
    words: str = ""
    """Kueue's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A whole rehearsal."""

    kueue: str
    """The release of Kueue that decided."""
    until: int
    remarks: tuple[str, ...]
    """The parts of the input that were not modelled."""
    decisions: tuple[Decision, ...]
    """In the order in which they were made."""

    def of(self, workload: str) -> list[Decision]:
        """The course of one Workload."""
        return [each for each in self.decisions if each.workload == workload]


def read(lines: Iterable[str]) -> Outcome:
    """The outcome in the lines that the command wrote.

    Raises:
        RehearsalError: the lines are of another format, or their end is missing.
    """
    header: dict[str, Any] | None = None
    decisions: list[Decision] = []
    for line in lines:
        document: dict[str, Any] = json.loads(line)
        if header is None:
            header = _checked(document)
        elif document["event"] == _END:
            return Outcome(
                kueue=header["kueue"],
                until=header["until"],
                remarks=tuple(header["remarks"]),
                decisions=tuple(decisions),
            )
        else:
            decisions.append(Decision(**document))
    raise RehearsalError("the output of the rehearsal has no end: the command was interrupted")


def _checked(header: dict[str, Any]) -> dict[str, Any]:
    if header.get("format") != FORMAT:
        raise RehearsalError(f"the output has the format {header.get('format')!r}; this program reads {FORMAT!r}")
    return header


_PREFIX: Final = "rehearse: "


def rehearse(rehearsal: Rehearsal, command: Path) -> Outcome:
    """Kueue's decisions; `command` is the built `rehearse`.

    Raises:
        RehearsalError: the document was refused, or the command broke off; the text is the command's own.
    """
    return read(run(rehearsal.text(), command).splitlines())


def run(document: str, command: Path) -> str:
    """The answer of the command about a document.

    Raises:
        RehearsalError: as above.
    """
    done = subprocess.run([command], input=document, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RehearsalError(done.stderr.strip().removeprefix(_PREFIX))
    return done.stdout
