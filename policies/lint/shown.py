"""Findings with the lines where they are shown, in the order of the files, without secrets."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from components.model.rules.command import SECRET_RULE
from components.model.stack_file.report import Sighting, visible
from policies.rules.api import BASE64_RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.findings import Finding
    from policies.lint.recognising import Source

_SECRETS: Final = frozenset({SECRET_RULE, BASE64_RULE})
"""Rules whose findings stand at a secret."""
LONGEST: Final = 1000
"""Characters of a message; values of strangers can be of any length."""


class Shown(Struct, frozen=True):
    """A finding and where it is shown."""

    finding: Finding
    sighting: Sighting
    label: str
    """Kind and name of the object; empty in a stack file."""


def show(finding: Finding, sources: Mapping[str, Source]) -> Shown:
    """The finding where its object stands."""
    source = sources.get(finding.place.origin)
    if source is None:
        return Shown(tamed(finding), Sighting(name="", path=visible(str(finding.place)), span=None), "")
    keys = finding.place.keys if source.message is None else source.message.back(finding.place.keys)
    span = source.text.span((*source.path, *keys), is_about_key=finding.is_about_key)
    path = str(dataclasses.replace(finding.place, keys=keys, aliases=()))
    label = visible(source.label)[:LONGEST]
    sighting = Sighting(
        name=source.text.name,
        path=": ".join(each for each in (label, visible(path)[:LONGEST]) if each),
        span=span,
        line=source.text.line(span),
    )
    return Shown(tamed(finding), sighting, label)


def order(each: Shown, rank: Mapping[str, int]) -> tuple[int, int, int, str, str, str]:
    """What findings are sorted by; `rank` is the place of each file."""
    sighting, span = each.sighting, each.sighting.span
    line, column = (0, 0) if span is None else (span.line, span.start)
    return rank.get(sighting.name, len(rank)), line, column, sighting.path, each.finding.rule, each.finding.says


def without_secrets(shown: Iterable[Shown]) -> Iterator[Shown]:
    """The findings, without lines on which one of them is a secret."""
    every = tuple(shown)
    secret = {_line(each) for each in every if each.finding.rule in _SECRETS}
    for each in every:
        is_shown = each.sighting.span is None or _line(each) not in secret
        yield each if is_shown else structs.replace(each, sighting=structs.replace(each.sighting, line=""))


def _line(each: Shown) -> tuple[str, int | None]:
    span = each.sighting.span
    return each.sighting.name, None if span is None else span.line


def tamed(finding: Finding) -> Finding:
    """The finding with words that a terminal may be shown; most are."""
    says, remedy = visible(finding.says)[:LONGEST], visible(finding.remedy)[:LONGEST]
    is_tame = says == finding.says and remedy == finding.remedy
    return finding if is_tame else structs.replace(finding, says=says, remedy=remedy)
