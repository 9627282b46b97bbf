"""The end of a verdict, which a terminal shows first: the findings by rule, what to do next, and a line that counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Severity, counted, listing
from components.model.stack_file.report import counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from policies.lint.linting import Linted, Shown

_FEW: Final = 10
"""Findings that one reads without a summary."""
_SOME: Final = 3
"""Findings that one corrects without asking how to accept them."""
_ERRORS_ALONE: Final = "--severity error shows errors alone."
_ACCEPT: Final = "--ignore RULE:PATH leaves out what you accept. --write-baseline FILE accepts what is there today."
_LISTINGS: Final = {
    kinds.NODE_POOL.section: "gcloud container node-pools list --cluster CLUSTER --format=json > pools.json",
    kinds.CLUSTER.section: "gcloud container clusters list --format=json > clusters.json",
}
"""How to get what files seldom have, by the kind that is missing."""


def most_important_first(shown: Sequence[Shown]) -> list[Shown]:
    """Errors before warnings before advice; within each, the order of the files."""
    order = list(Severity)
    return sorted(shown, key=lambda each: order.index(each.finding.severity))


def by_rule(linted: Linted) -> list[str]:
    """Lines that count the findings of each rule; none for few findings."""
    if len(linted.shown) <= _FEW:
        return []
    order, times = list(Severity), Counter((each.severity, each.rule) for each in linted.findings)
    ranked = sorted(times.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1]))
    lines = [f"  {counted(number, severity.noun):>12}  {rule}" for (severity, rule), number in ranked]
    return ["By rule:", *lines]


def next_steps(linted: Linted) -> list[str]:
    """What to do next, in lines; none where everything was checked and little was found."""
    steps = list(_steps(linted))
    return [f"Next: {steps[0]}", *(f"      {each}" for each in steps[1:])] if steps else []


def _steps(linted: Linted) -> Iterator[str]:
    if linted.elsewhere:
        yield f"--together checks all folders as one platform, with the {listing(linted.elsewhere)} of other folders."
    lacking = {kind for each in linted.doubts for kind in each.lacks}
    missing = [kind for kind in _LISTINGS if kind in lacking and kind not in linted.elsewhere]
    if missing:
        commands = "; ".join(_LISTINGS[each] for each in missing)
        yield f"to check against {listing(missing)}, name the listing too: {commands}"
    if len(linted.shown) > _SOME:
        is_mixed = len({each.severity for each in linted.findings}) > 1
        yield f"{_ERRORS_ALONE} {_ACCEPT}" if is_mixed else _ACCEPT


def summary(linted: Linted) -> str:
    """The line that counts."""
    files = counted(linted.files, "file")
    if not (linted.objects or linted.skipped or linted.shown or linted.hidden):
        return f"nothing to check: no objects in {files}."
    found = counts(linted.findings) if linted.shown else "nothing else found" if linted.hidden else "nothing found"
    whole = counted(linted.objects + linted.skipped, "object")
    return f"{found}; {f'{linted.objects} of ' if linted.skipped else ''}{whole} checked in {files}."
