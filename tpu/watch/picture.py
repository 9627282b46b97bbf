"""The timeline as a page with pictures: chips by job and by team, from the same entries as the text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from components.kubeapi.jobs import label, owner_label
from components.model.facts import gke
from components.pod_sets import accelerators_of
from tpu.pictures.axis import Axis
from tpu.pictures.gantt import Bar
from tpu.pictures.page import Section, page
from tpu.pictures.sketch import Sketch
from tpu.watch.entries import LOSSES, Entry
from tpu.watch.requests import unit_of
from tpu.watch.timeline import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpu.watch.record import Record


_EVICTING: Final = ("Evicted", "Preempted")
"""Beginnings of entries that say that Kueue took a job's quota, and with it what the job did."""
_ENDING: Final = ("finished:", "failed:")
_PLACED: Final = " placed on "
_MILLI: Final = 1000


@dataclass(slots=True)
class _Course:
    """A job as far as the entries have been read."""

    since: int
    requested: int
    """Chips and GPUs that it takes without a Workload, once it is placed; 0 for a job that Kueue manages."""
    chips: int = 0
    is_placed: bool = False
    is_over: bool = False

    def until(self, at: int) -> Bar | None:
        """What it did until a moment; None where that is nothing."""
        part = "used" if self.is_placed else "reserved" if self.chips else "waiting"
        return None if self.is_over or at <= self.since else Bar(self.since, at, part, self.chips)

    def take(self, entry: Entry, at: int) -> None:
        """Go on with an entry."""
        self.since = max(self.since, at)
        self.chips = max(0, self.chips + entry.chips)
        if entry.text.startswith(LOSSES):
            self.is_placed = False
            self.chips -= min(self.chips, self.requested)
        elif _PLACED in entry.text:
            self.is_placed = True
            self.chips = max(self.chips, self.requested)
        elif entry.chips < 0 and not self.chips:
            self.is_placed, self.is_over = False, not entry.text.startswith(_EVICTING)
        self.is_over = self.is_over or entry.text.startswith(_ENDING)


def timeline_page(record: Record, now: float) -> str:
    """The page of a record; `now` in seconds since the epoch."""
    found = entries_of(record)
    unit = unit_of(record)
    sketch, axis = Sketch("chips" if unit is None else unit), _axis(record, found, now)
    for job, bar in _bars(record, found, axis.end):
        namespace, _, name = job.rpartition("/")
        sketch.add(job, namespace if name and namespace else gke.DEFAULT_NAMESPACE, bar)
    sections = sketch.sections(axis) if found else [Section("nothing happened yet")]
    return page("What happened to the workloads", sections)


def _axis(record: Record, found: list[Entry], now: float) -> Axis:
    """From the first entry to the last, or to now while a job is not over."""
    moments = [_shown(record, entry.time) for entry in found]
    is_over = all(any(each.text.startswith(_ENDING) for each in found if each.job == job) for job in _jobs(record))
    end = [] if is_over and moments else [_shown(record, now)]
    return Axis(min(moments, default=0), max([*moments, *end], default=1), is_relative=True)


def _jobs(record: Record) -> dict[str, int]:
    """The jobs, with the chips and GPUs of those that Kueue does not manage."""
    managed = {owner_label(workload): 0 for workload in record.workloads}
    return {label(job): accelerators_of(job) for job in record.jobs} | managed


def _bars(record: Record, found: list[Entry], end: int) -> Iterator[tuple[str, Bar]]:
    """What each job did, one job after another, each in the order of time."""
    for job, requested in _jobs(record).items():
        bars = list[Bar]()
        entries = [entry for entry in found if entry.job == job]
        course = _Course(_shown(record, entries[0].time) if entries else end, requested)
        for entry in entries:
            at = _shown(record, entry.time)
            bar = course.until(at)
            bars += [] if bar is None else [bar]
            if entry.text.startswith(LOSSES) or (entry.text.startswith(_EVICTING) and entry.chips < 0):
                bars = _lost(bars)
            course.take(entry, at)
        last = course.until(end)
        bars += [] if last is None else [last]
        yield from ((job, bar) for bar in bars)


def _lost(bars: list[Bar]) -> list[Bar]:
    """Bars whose last admission was evicted: what ran in it is lost."""
    found = list(bars)
    for index in range(len(found) - 1, -1, -1):
        if found[index].part == "waiting":
            break
        if found[index].part == "used":
            found[index] = replace(found[index], part="lost")
    return found


def _shown(record: Record, real: float) -> int:
    return round(record.shown.at(real) * _MILLI)
