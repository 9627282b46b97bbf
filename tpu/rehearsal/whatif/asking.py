"""The rehearsals of one question: of each variant of the job one with the shortest run times and one with the longest.

The run times of the others are seldom known. When they decide, the two rehearsals differ, and the answer is a range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, section
from components.kubeapi.jobs import admitted_by, owner_name
from components.model.facts import gke
from components.pod_sets import chips_of
from tpu.rehearsal.document import Entry, Rehearsal
from tpu.rehearsal.open_workloads import open_entries
from tpu.rehearsal.running import Decision, Outcome, RehearsalError, rehearse
from tpu.rehearsal.whatif.pod_sets import slices_of, workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tpu.rehearsal.whatif.manifest import Job
    from tpu.rehearsal.whatif.platform_state import PlatformState
    from tpu.rehearsal.whatif.run_times import Runs

_SUBMITTED: Final = 1
"""When the job is created: after all that is open."""
_EACH: Final = 4
"""Up to how many slices each smaller number of them is tried."""
_NUMBERED: Final = re.compile(r"workloads\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evicted:
    """A Workload that the job evicts."""

    name: str
    """The name of its job."""
    team: str
    """Its namespace."""
    queue: str
    chips: int
    lost: int
    """Seconds of work that it must do again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The course of the job in one rehearsal. Times are seconds since its submission."""

    admitted: int | None
    """None where it is not admitted before the end of the rehearsal."""
    is_never: bool
    """Whether nothing will happen any more that could admit it."""
    flavors: tuple[str, ...]
    """Those of its chips first."""
    chips: int
    """How many are admitted; fewer than the job asks for where it allows that."""
    evicted: tuple[Evicted, ...]
    words: tuple[str, ...]
    """Kueue's words while it waits."""
    evictions: tuple[tuple[int, str], ...]
    """When it is evicted itself, and why."""
    remarks: tuple[str, ...]
    """The parts that the rehearsal does not model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The job with a priority and a number of slices, and what happens to it."""

    priority_class: str | None
    priority: int
    slices: int
    chips: int
    cases: tuple[Case, Case]
    """With the shortest run times of the others, and with the longest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A job and everything that decides about it."""

    job: Job
    platform: PlatformState
    runs: Mapping[str, Runs]
    """The run times of the open Workloads, by namespace and name."""
    runtime: int | None
    """The run time of the job, in seconds; None for one that does not end."""
    horizon: int
    """Seconds that are rehearsed."""
    checks: Mapping[str, int]
    """Seconds until an admission check is ready, for each that does not provision nodes."""
    command: Path
    """The built `rehearse`."""

    def asked(self) -> Variant:
        """The job as it is.

        Raises:
            RehearsalError: the platform or a Workload has what a rehearsal does not model.
        """
        return self._variant(self.job.priority_class, self.job.priority, slices_of(self.job.pods))

    def others(self) -> Iterator[Variant]:
        """The job with each WorkloadPriorityClass, highest first, and with fewer slices.

        Raises:
            RehearsalError: as above.
        """
        classes = {each["metadata"]["name"]: int(each["value"]) for each in self.platform.of("WorkloadPriorityClass")}
        ranked: list[tuple[str | None, int]] = sorted(classes.items(), key=lambda each: -each[1])
        own = (self.job.priority_class, self.job.priority)
        whole = slices_of(self.job.pods)
        halved = [whole >> by for by in range(whole.bit_length())]
        fewer = halved if whole > _EACH else range(whole, 0, -1)
        for name, value in dict.fromkeys((own, *ranked) if own[0] is None else ranked):
            for slices in fewer:
                if (name, slices) != (own[0], whole):
                    yield self._variant(name, value, slices)

    def _variant(self, priority_class: str | None, priority: int, slices: int) -> Variant:
        asked = workload(self.job.document, self.job.pods, priority=priority, slices=slices)
        shortest = self._case(asked, {name: each.shortest for name, each in self.runs.items()})
        is_certain = all(each.shortest == each.longest for each in self.runs.values())
        longest = shortest if is_certain else self._case(asked, {n: each.longest for n, each in self.runs.items()})
        return Variant(
            priority_class=priority_class,
            priority=priority,
            slices=slices,
            chips=chips_of(asked),
            cases=(shortest, longest),
        )

    def _case(self, asked: Document, runs: Mapping[str, int | None]) -> Case:
        platform = self.platform
        others = open_entries(platform.workloads, platform.now, lambda each: runs[full_name(each)])
        entries = (*others, Entry(workload=asked, at=_SUBMITTED, runs=self.runtime))
        told = Rehearsal(
            until=self.horizon,
            objects=platform.objects,
            configuration=platform.configuration,
            checks=dict(self.checks),
            workloads=entries,
        )
        try:
            outcome = rehearse(told, self.command)
        except RehearsalError as error:
            raise RehearsalError(_named(str(error), entries)) from error
        return _case_of(outcome, full_name(asked), {full_name(each): each for each in platform.workloads})


def full_name(each: Document) -> str:
    """Namespace and name of a Workload, as decisions have it."""
    return f"{each['metadata']['namespace']}/{each['metadata']['name']}"


def _named(text: str, entries: tuple[Entry, ...]) -> str:
    """The words of the command, with the names of Workloads instead of their numbers."""
    return _NUMBERED.sub(lambda found: f"Workload {full_name(entries[int(found[1])].workload)}", text)


def _case_of(outcome: Outcome, own: str, others: Mapping[str, Document]) -> Case:
    mine = outcome.of(own)
    admitted = next((each for each in mine if each.event == "admitted"), None)
    until = outcome.until if admitted is None else admitted.at
    waited = [each for each in mine if each.event in ("waiting", "never") and each.at <= until]
    made = [each for each in outcome.decisions if each.event == "evicted" and each.by == own and each.at <= until]
    return Case(
        admitted=None if admitted is None else until - _SUBMITTED,
        is_never=any(each.event == "never" for each in waited),
        flavors=() if admitted is None else tuple(_flavors(admitted)),
        chips=0 if admitted is None else sum(each.get(gke.RESOURCE_TPU, 0) for each in (admitted.usage or {}).values()),
        evicted=tuple(_evicted(each, others) for each in made),
        words=tuple(dict.fromkeys(each.words for each in waited if each.words)),
        evictions=tuple((each.at - _SUBMITTED, each.words or each.reason) for each in mine if each.event == "evicted"),
        remarks=outcome.remarks,
    )


def _flavors(admitted: Decision) -> Iterator[str]:
    by_resource = [each for pods in (admitted.flavors or {}).values() for each in pods.items()]
    ordered = sorted(by_resource, key=lambda each: each[0] != gke.RESOURCE_TPU)
    yield from dict.fromkeys(flavor for _, flavor in ordered)


def _evicted(decision: Decision, others: Mapping[str, Document]) -> Evicted:
    each = others[decision.workload]
    return Evicted(
        name=owner_name(each),
        team=str(each["metadata"]["namespace"]),
        queue=admitted_by(each) or str(section(each, "spec").get("queueName")),
        chips=chips_of(each),
        lost=decision.lost or 0,
    )
