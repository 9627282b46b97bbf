"""The rule about Jobs that Kueue may start with fewer pods, whose webhook refuses a number that leaves no choice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, counted
from components.model.rule import Family
from policies.objects.judging import object_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from policies.objects.world import Object

_JOBS: Final = {kinds.JOB: (), kinds.CRON_JOB: ("spec", "jobTemplate")}
"""Where a kind describes its Job."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}")
"""What Go reads as a number."""


@object_rule(
    "min-parallelism-is-below-the-pods",
    summary="the number of pods with which Kueue may start a Job is at least 1, and less than the Job has",
    why="Kueue's webhook refuses the Job. It reads the annotation of Jobs alone: on another kind it has no effect.",
    source="Kueue 0.16.2 and 0.19.2, pkg/controller/jobs/job, job_webhook.go",
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    also_warns=True,
)
def _min_parallelism_is_below_the_pods(run: Object) -> Iterator[Finding]:
    start = _JOBS.get(run.kind, ())
    path = (*start, "metadata", "annotations", gke.ANNOTATION_MIN_PARALLELISM)
    stated = run.text(*path)
    if stated is None:
        return
    place = run.place.at(*path)
    if run.kind not in _JOBS:
        yield Finding(
            place=place,
            says=f"it has no effect on a {run.kind.name}.",
            remedy="Remove the annotation.",
            severity=Severity.WARNING,
            is_about_key=True,
        )
        return
    spec = (*start, "spec")
    parallelism = run.whole(*spec, "parallelism")
    parallelism = 1 if parallelism is None else parallelism
    completions = run.whole(*spec, "completions")
    yield from _judged(run, place, stated, parallelism if completions is None else min(parallelism, completions))


def _judged(run: Object, place: Place, stated: str, pods: int) -> Iterator[Finding]:
    """What is wrong with a number that is stated for a Job of as many pods at a time."""
    if _NUMBER.fullmatch(stated) is None:
        says = f"{stated} is not a whole number."
    elif int(stated) < 1:
        says = f"{stated} is less than one pod."
    elif int(stated) >= pods:
        says = f"{stated} is not less than the {counted(pods, 'pod')} that {run.name} runs at a time."
    else:
        return
    most = pods - 1
    remedy = f'Set "{most}"{" or less" if most > 1 else ""}.' if most > 0 else "Remove the annotation."
    yield Finding(place=place, says=says, remedy=remedy)


PARTIAL_ADMISSION_RULES: Final = (_min_parallelism_is_below_the_pods,)
