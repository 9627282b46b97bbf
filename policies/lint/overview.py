"""The end of a long verdict, which a terminal shows first: the findings by rule, and what to do next."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.findings import Severity, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from policies.lint.linting import Linted, Shown

_FEW: Final = 10
"""Findings that one reads without a summary."""

_NEXT: Final = (
    "Next: --severity error shows errors alone. --ignore RULE:PATH leaves out what you accept. "
    "--write-baseline FILE accepts what is there today."
)


def most_important_first(shown: Sequence[Shown]) -> list[Shown]:
    """Errors before warnings before advice; within each, the order of the files."""
    order = list(Severity)
    return sorted(shown, key=lambda each: order.index(each.finding.severity))


def by_rule(linted: Linted) -> list[str]:
    """A block that counts the findings of each rule and says what to do next; none for few findings."""
    if len(linted.shown) <= _FEW:
        return []
    order, times = list(Severity), Counter((each.severity, each.rule) for each in linted.findings)
    ranked = sorted(times.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1]))
    lines = [f"  {counted(number, severity.noun):>12}  {rule}" for (severity, rule), number in ranked]
    return ["\n".join(["By rule:", *lines, _NEXT])]
