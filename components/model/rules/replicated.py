"""Rules about the replicated jobs of a JobSet: their names, and the order in which they start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import failures
from components.model.findings import Finding, counted, unlisted
from components.model.plan.workloads import DependencyPlan, JobSetPlan
from components.model.rule import Family, rule
from components.model.rules.failure import WEBHOOK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.plan import Plan

FAMILY: Final = Family.TOPOLOGY


def _jobsets(plan: Plan) -> Iterator[JobSetPlan]:
    yield from (work for work in plan.tpu_runs if isinstance(work, JobSetPlan))


@rule(
    summary="the replicated jobs of a JobSet have different names, and none that of its slices",
    why="The list is keyed by name, and the API server refuses a key twice.",
    source=WEBHOOK,
)
def _replicated_job_names_differ(plan: Plan) -> Iterator[Finding]:
    for work in _jobsets(plan):
        taken = {names.REPLICATED_JOB}
        for each in work.replicated_jobs:
            if each.name in taken:
                whose = "the slices are" if each.name == names.REPLICATED_JOB else "another replicated job is"
                yield Finding(
                    place=each.place.at("name"), says=f"{whose} named {each.name}.", remedy="Choose another name."
                )
            taken.add(each.name)


def _waits(work: JobSetPlan) -> Mapping[str, tuple[DependencyPlan, ...]]:
    """The dependencies of each replicated job."""
    return {names.REPLICATED_JOB: work.depends_on, **{each.name: each.depends_on for each in work.replicated_jobs}}


@rule(
    summary="replicated jobs wait for others of their JobSet, and not in a circle",
    why="The webhook refuses an unknown name; in a circle each would wait for ever.",
    source=WEBHOOK,
)
def _dependencies_lead_to_a_start(plan: Plan) -> Iterator[Finding]:
    for work in _jobsets(plan):
        waits = _waits(work)
        for name, others in waits.items():
            for each in others:
                if each.name not in waits:
                    known = [other for other in work.job_names if other != name]
                    yield unlisted(each.place.at("name"), "replicated job", each.name, known, "Replicated jobs")
                elif name in _awaited(each.name, waits):
                    says = f"{each.name} waits for {name}, and {name} for {each.name}, so neither starts."
                    yield Finding(
                        place=each.place.at("name"),
                        says=f"{name} waits for itself." if each.name == name else says,
                        remedy="Remove one of the dependencies.",
                    )


def _awaited(name: str, waits: Mapping[str, Sequence[DependencyPlan]]) -> set[str]:
    """A replicated job, and all that it waits for, directly or not."""
    found, left = {name}, [name]
    while left:
        for each in waits.get(left.pop(), ()):
            if each.name not in found:
                found.add(each.name)
                left.append(each.name)
    return found


@rule(
    summary=f"a replicated job waits for at most {failures.DEPENDENCIES} others, for each once",
    why="The API server refuses a longer list, and a name twice.",
    source="CustomResourceDefinition of JobSet 0.12.0",
)
def _dependencies_are_few(plan: Plan) -> Iterator[Finding]:
    for work in _jobsets(plan):
        for others in _waits(work).values():
            taken: set[str] = set()
            for index, each in enumerate(others):
                if each.name in taken:
                    says = f"it waits for {each.name} already."
                elif index == failures.DEPENDENCIES:
                    says = f"it waits for {counted(len(others), 'replicated job')}; JobSet takes {index}."
                else:
                    taken.add(each.name)
                    continue
                yield Finding(place=each.place.at("name"), says=says, remedy="Remove it.")
