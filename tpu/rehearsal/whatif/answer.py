"""The answer to a question as text for people, and as data for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from components.model.findings import counted, listing
from tpu.rehearsal.times import spoken
from tpu.rehearsal.whatif.asking import Case, Evicted, Question, Variant, full_name
from tpu.rehearsal.whatif.run_times import is_running
from tpu.watch.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator


_AT_ONCE: Final = 5
"""Seconds; Kueue looks at a queue again within one."""
_LONGEST: Final = 4
"""How many of Kueue's reasons are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answers for the job as it is, and of its variants."""

    question: Question
    asked: Variant
    others: tuple[Variant, ...]

    def lines(self) -> Iterator[str]:
        """The answer: its first line, what the job waits for and evicts, the variants, and what it is based on."""
        yield self.sentence()
        cases = self.asked.cases
        for each, certain in _evicted(self.asked):
            work = f"loses up to {spoken(each.lost)} of work" if each.lost else "loses no work"
            chips = f" on {counted(each.chips, 'chip')}" if each.chips else ""
            verb = "evicts" if certain else "may evict"
            yield f"  {verb} {each.name} of {each.team} (queue {each.queue}): it {work}{chips}"
        for at, why in dict.fromkeys(each for case in cases for each in case.evictions):
            yield f"  is evicted itself after {spoken(at)}: {why}"
        if self._waits:
            yield from ("", "while it waits, Kueue says:", *(f"  {each}" for each in self._waits[:_LONGEST]))
        if self.others:
            yield from ("", *self._table())
        yield from ("", "based on:", *(f"  {each}" for each in self.basis()))

    def sentence(self) -> str:
        """The answer in one line."""
        of, when = self.asked, _when(self.asked, self.question.horizon)
        if _earliest(of) is None:
            why = listing([*self.question.job.never] or list(self._waits[-1:]) or ["Kueue gives no reason"])
            return f"{when}: {why}"
        evicted = _evicted(of)
        verb = "evicts" if all(certain for _, certain in evicted) else "may evict"
        least = min(case.chips for case in of.cases if case.admitted is not None)
        some = f" with {least} of {of.chips} chips" if least < of.chips else ""
        evicts = f", {verb} {counted(len(evicted), 'job')}" if evicted else ""
        return f"admitted {when}, in flavor {_flavors(of)}{some}{evicts}"

    def basis(self) -> list[str]:
        """The grounds of the answer, in sentences."""
        question = self.question
        running = [full_name(each) for each in question.platform.workloads if is_running(each)]
        known = sum(question.runs[each].longest is not None for each in running)
        ends = [f"The latest end is known of {known} of {counted(len(running), 'running job')}."]
        is_range = any(each.shortest != each.longest for each in question.runs.values())
        guess = "At the earliest each job ends as soon as it may, or now; at the latest as late as it may, or never."
        own = (
            "The job itself runs on until the end of the rehearsal; --runtime says how long it takes."
            if question.runtime is None
            else f"The job itself runs for {spoken(question.runtime)}."
        )
        return [
            *question.platform.basis,
            *(ends if running else []),
            *([guess] if is_range else []),
            own,
            f"The rehearsal ends after {spoken(question.horizon)}, and nobody else submits a job.",
            *self.asked.cases[0].remarks,
        ]

    def data(self) -> dict[str, Any]:
        """The same for programs; times are seconds after the submission, None for none before the end."""
        job = self.question.job
        return {
            "answer": self.sentence(),
            "job": {"kind": job.kind.name, "namespace": job.namespace, "name": job.name, "queue": job.queue},
            "asked": _data(self.asked),
            "waits": list(self._waits),
            "never": list(job.never),
            "variants": [_data(each) for each in self.others],
            "basis": self.basis(),
        }

    @property
    def _waits(self) -> tuple[str, ...]:
        """Kueue's words in the rehearsal in which the job waits longer."""
        return self.asked.cases[-1].words or self.asked.cases[0].words

    def _table(self) -> Iterator[str]:
        rows = [
            (
                each.priority_class or f"({each.priority})",
                str(each.slices),
                str(each.chips),
                _when(each, self.question.horizon),
                _flavors(each),
                listing([_cell(one, certain=certain) for one, certain in _evicted(each)]),
            )
            for each in (self.asked, *self.others)
        ]
        yield from table(("PRIORITY", "SLICES", "CHIPS", "ADMITTED", "FLAVOR", "EVICTS (WORK LOST)"), rows)


def _earliest(of: Variant) -> int | None:
    return min((each.admitted for each in of.cases if each.admitted is not None), default=None)


def _when(of: Variant, horizon: int) -> str:
    """When a variant is admitted, as part of a sentence."""
    admitted = [each.admitted for each in of.cases if each.admitted is not None]
    if not admitted:
        return "never" if all(each.is_never for each in of.cases) else f"not within {spoken(horizon)}"
    first, last = min(admitted), max(admitted)
    if len(admitted) < len(of.cases):
        is_never = any(each.is_never for each in of.cases)
        return f"{_after(first)} at the earliest, perhaps {'never' if is_never else f'not within {spoken(horizon)}'}"
    if _after(first) == _after(last):
        return _after(first)
    return f"at once, or up to {spoken(last)} later" if first <= _AT_ONCE else f"{_after(first)} to {spoken(last)}"


def _after(seconds: int) -> str:
    return "at once" if seconds <= _AT_ONCE else f"in {spoken(seconds)}"


def _flavors(of: Variant) -> str:
    found = dict.fromkeys(flavor for each in of.cases for flavor in each.flavors)
    return listing([*found], "or") if found else "-"


def _cell(each: Evicted, *, certain: bool) -> str:
    lost = f" ({spoken(each.lost)})" if each.lost else ""
    return f"{'' if certain else 'perhaps '}{each.team}/{each.name}{lost}"


def _evicted(of: Variant) -> list[tuple[Evicted, bool]]:
    """The evictions with the most work that is lost, and whether it does so in both rehearsals."""
    found: dict[tuple[str, str], Evicted] = {}
    for each in (one for case in of.cases for one in case.evicted):
        before = found.get((each.team, each.name))
        found[each.team, each.name] = each if before is None or each.lost > before.lost else before
    names = [{(one.team, one.name) for one in case.evicted} for case in of.cases]
    return [(each, all(key in some for some in names)) for key, each in found.items()]


def _data(of: Variant) -> dict[str, Any]:
    return {
        "priorityClass": of.priority_class,
        "priority": of.priority,
        "slices": of.slices,
        "chips": of.chips,
        **{name: _case(case) for name, case in zip(("shortest", "longest"), of.cases, strict=True)},
    }


def _case(case: Case) -> dict[str, Any]:
    """The outcome with the shortest, or with the longest, run times of the others."""
    return {
        "admitted": case.admitted,
        "never": case.is_never,
        "flavors": list(case.flavors),
        "chips": case.chips,
        "evicts": [asdict(each) for each in case.evicted],
        "evicted": [{"after": at, "why": why} for at, why in case.evictions],
    }
