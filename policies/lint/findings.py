"""Findings of a call: those about a file itself, the place where each is shown, and every rule by its id."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from components.model.findings import Finding, Severity
from components.model.places import Key, Place, Root
from components.model.rule import About
from components.model.rules import ALL_RULES
from components.model.rules.command import SECRET_RULE
from components.model.stack_file.report import Sighting, visible
from policies.objects.judging import TYPES
from policies.rules import OBJECT_RULES
from policies.rules.api import BASE64_RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from policies.lint.recognising import Source, Written
    from policies.objects.values import Value


def breach(rule: About, place: Place, says: str, remedy: str) -> Finding:
    """The finding that a file breaks a rule."""
    return rule.signed(Finding(place=place, says=says, remedy=remedy, is_about_key=True))


READABLE: Final = About(
    id="file-is-readable",
    summary="a file is YAML or JSON in UTF-8, of a reasonable size and depth",
    why="A file that cannot be read cannot be checked; it may contain any mistake.",
    source="components/model/stack_file/yaml_nodes.py",
)
WHOLE: Final = About(
    id="document-is-an-object",
    summary="a document that states kind or apiVersion states both, and a name",
    why="The API server does not know the object, or cannot keep it, and refuses it.",
    source="Kubernetes API conventions",
)
ONCE: Final = About(
    id="object-is-declared-once",
    summary="a file declares each object once",
    why="kubectl applies both, so the last one stays. Nobody can say which is meant.",
    source="policies/lint/worlds.py",
)
HOME: Final = About(
    id="queued-run-states-its-namespace",
    summary="a run whose queue is in one namespace states that namespace",
    why="A queue takes the runs of its own namespace. Applied without -n, the run is in another, and waits for ever.",
    source='Kueue documentation "Local Queue", read 2026-11',
    severity=Severity.WARNING,
)
FILE_RULES: Final = (READABLE, WHOLE, ONCE, HOME)
RULES: Final[Mapping[str, About]] = {each.id: each for each in (*FILE_RULES, TYPES, *ALL_RULES, *OBJECT_RULES)}
"""Every rule that lint may name, but the shape of stack files, whose findings speak for themselves."""


def place_in(origin: str, *keys: str | int) -> Place:
    """A place in a document."""
    return Place(root=Root.OBJECT, origin=origin, keys=keys)


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
    is_same = not keys or value_at(written.value, keys) == value_at(written.built, keys)
    return written.source if is_same else source


def value_at(body: Mapping[str, Value], keys: Iterable[Key]) -> Value:
    """The value at a path, of whatever type; None where there is none."""
    value: Value = dict(body)
    for key in keys:
        if isinstance(value, dict):
            value = value.get(str(key))
        elif isinstance(value, list) and isinstance(key, int):
            value = value[key] if key < len(value) else None
        else:
            return None
    return value


def order(each: Shown, rank: Mapping[str, int]) -> tuple[int, int, int, str, str, str]:
    """The key by which findings are sorted; `rank` is the place of each file."""
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
