"""Findings with the lines where they are shown, in the order of the files, without secrets."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from components.model.secret_forms import RULE as SECRET_RULE
from components.model.stack_file.report import Sighting, visible
from policies.rules.api_values import BASE64_RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from components.model.findings import Finding
    from components.model.places import Key
    from policies.lint.recognising import Source, Written

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
    at = source if source.written is None else _nearest_written(source, source.written, keys)
    span = at.text.span((*at.path, *keys), is_about_key=finding.is_about_key)
    path = str(dataclasses.replace(finding.place, keys=keys, aliases=()))
    label = visible(source.label)[:LONGEST]
    sighting = Sighting(
        name=at.text.name,
        path=": ".join(each for each in (label, visible(path)[:LONGEST]) if each),
        span=span,
        line=at.text.line(span),
    )
    return Shown(tamed(finding), sighting, label)


def _nearest_written(source: Source, written: Written, keys: Sequence[Key]) -> Source:
    """The file that a kustomization takes in, unless the kustomization made another value of the one there."""
    is_same = not keys or _at(written.value, keys) == _at(written.built, keys)
    return written.source if is_same else source


def _at(value: object, keys: Sequence[Key]) -> object:
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def order(each: Shown, rank: Mapping[str, int]) -> tuple[int, int, int, str, str, str]:
    """What findings are sorted by; `rank` is the place of each file."""
    sighting, span = each.sighting, each.sighting.span
    line, column = (0, 0) if span is None else (span.line, span.start)
    return rank.get(sighting.name, len(rank)), line, column, sighting.path, each.finding.rule, each.finding.says


def once(shown: Iterable[Shown]) -> Iterable[Shown]:
    """The findings without repetitions, as two overlays of one base have them."""
    return {(each.finding.rule, each.finding.says, each.sighting): each for each in shown}.values()


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
