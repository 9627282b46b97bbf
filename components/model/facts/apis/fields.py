"""Kinds of an API as a tree of fields, and the text that they are kept in.

A kind stands at the margin. The lines below it that begin with a stroke are its versions, all others its fields, one
blank further in for each level; a line that begins with `=` is something that the field above it may say. Words behind
a name say more of it:

    ClusterQueue
     /v1beta1 deprecated
     /v1beta2
     metadata type=ObjectMeta
     spec
      cohort type=text in=v1beta1
      resourceGroups type=[] most=16
       coveredResources type=[]text
      stopPolicy type=text
       =None
       =Hold

A type that kinds refer to stands like a kind, without a version.

`type=`, what it holds: `text`, `int`, `number`, `bool`, `quantity`, `int-or-text`, or the name of a type; `[]` stands
before that for a list and `{}` for a mapping with keys of any name. A field without it is a mapping where fields stand
below it, and holds anything where none do. `required`; `most=`, the items that it may hold; `in=`, the only version
that has it; `since=` and `until=`, the first release with and the first without it; `deprecated`, or `deprecated=` and
the release from which on it is. Without `since` it is as old as the oldest release that was read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ANY: Final = ""
"""The type of a field that has fields of its own, or may hold anything."""
LIST: Final = "[]"
MAP: Final = "{}"
_VERSION: Final = "/"
_VALUE: Final = "="


class Life(Struct, frozen=True, kw_only=True):
    """In which releases something is there; releases as `0.18`, major and minor."""

    since: str | None = None
    """The first that has it; None where the oldest that is known has it."""
    until: str | None = None
    """The first that has it no more."""
    deprecated: str | None = None
    """The first that calls it deprecated; empty where the oldest that is known does."""

    def covers(self, release: str) -> bool:
        """Whether a release has it.

        >>> Life(since="0.9").covers("0.18"), Life(since="0.18").covers("0.9"), Life(until="0.18").covers("0.18")
        (True, False, False)
        """
        is_over = self.until is not None and parse_minor(self.until) <= parse_minor(release)
        return not is_over and not self.begins_after(release)

    def begins_after(self, release: str) -> bool:
        """Whether a release is too old for it."""
        return self.since is not None and parse_minor(release) < parse_minor(self.since)

    def is_deprecated_in(self, release: str) -> bool:
        """Whether a release calls it deprecated."""
        since = self.deprecated
        return since is not None and (not since or parse_minor(since) <= parse_minor(release))


LASTING: Final = Life()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of an object."""

    fields: Mapping[str, Field] = field(default_factory=dict[str, "Field"])
    """Of the mapping that it holds, or of each mapping in its list; empty where anything may be in it."""
    type_: str = ANY
    """What it holds, as `type=` says it."""
    values: Mapping[str, Life] = field(default_factory=dict[str, Life])
    """What it may say; empty for anything."""
    is_required: bool = False
    most: int | None = None
    """The most items that it may have; None for no limit."""
    life: Life = LASTING
    is_dated: bool = field(default=False, compare=False)
    """Whether it or something in it is not in every release, or has a set of values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a kind."""

    fields: Mapping[str, Field]
    """From the object down."""
    life: Life = LASTING


Kinds = dict[str, dict[str, Version]]
"""By kind and by version, such as `v1beta2`."""


def parse_minor(release: str) -> tuple[int, int]:
    """The major and minor number of a release such as `0.18` or `0.18.2`, comparable."""
    major, minor, *_ = release.split(".")
    return int(major), int(minor)


def minor(release: str) -> str:
    """The minor release of a release.

    >>> minor("0.19.2")
    '0.19'
    """
    return ".".join(map(str, parse_minor(release)))


class _Line(Struct, frozen=True):
    depth: int
    name: str
    words: Mapping[str, str]
    below: list[_Line] = []
    """The lines one deeper that follow it."""

    @property
    def life(self) -> Life:
        word = self.words.get
        return Life(since=word("since"), until=word("until"), deprecated=word("deprecated"))


def parse(text: str) -> Kinds:
    """The kinds that are written in `text`."""
    return {head.name: dict(_versions(head.below)) for head in _lines(text)}


def parse_one(text: str, name: str) -> dict[str, Version]:
    """The versions of one kind that is written in `text`; a type that is not a kind has one, without a name.

    Raises:
        KeyError: the text has no such kind.
    """
    found = re.search(rf"^{name}\n(?: .*\n)*", text, re.MULTILINE)
    if found is None:
        raise KeyError(name)
    return parse(found[0])[name]


def _lines(text: str) -> list[_Line]:
    """The lines without an indent, each with those below it."""
    below: list[list[_Line]] = [[]]
    for line in map(_line, filter(None, text.splitlines())):
        below[line.depth].append(line)
        below[line.depth + 1 :] = [line.below]
    return below[0]


def _line(text: str) -> _Line:
    name, *words = text.split()
    pairs = (word.partition("=") for word in words)
    return _Line(len(text) - len(text.lstrip()), name, {key: value for key, _, value in pairs})


def _versions(lines: list[_Line]) -> Iterator[tuple[str, Version]]:
    below = [line for line in lines if not line.name.startswith(_VERSION)]
    for line in lines:
        if line.name.startswith(_VERSION):
            name = line.name.removeprefix(_VERSION)
            yield name, Version(fields=_fields(below, name), life=line.life)
    if len(below) == len(lines):
        yield "", Version(fields=_fields(below, ""))


def _fields(lines: list[_Line], version: str) -> dict[str, Field]:
    """The fields of a version that have these lines, and under `=` what the field above them may say."""
    found: dict[str, Field] = {}
    for line in lines:
        if line.words.get("in", version) == version:
            below = _fields(line.below, version)
            life = line.life
            most = line.words.get("most")
            inner = {name: each for name, each in below.items() if not name.startswith(_VALUE)}
            found[line.name] = Field(
                fields=inner,
                values={name[1:]: each.life for name, each in below.items() if name.startswith(_VALUE)},
                type_=line.words.get("type", ANY),
                is_required="required" in line.words,
                most=None if most is None else int(most),
                life=life,
                is_dated=life != LASTING or len(inner) < len(below) or any(each.is_dated for each in inner.values()),
            )
    return found


def write(kinds: Kinds) -> str:
    """The text of kinds, a line of it for each field; `parse` reads it again."""
    return "".join(f"{line}\n" for kind, versions in kinds.items() for line in _written(kind, versions))


def _written(kind: str, versions: Mapping[str, Version]) -> Iterator[str]:
    yield kind
    for name, version in versions.items():
        if name:
            yield " ".join([f" {_VERSION}{name}", *_life_words(version.life)])
    yield from _written_fields({name: version.fields for name, version in versions.items()}, versions, 1)


def _written_fields(by_version: Mapping[str, Mapping[str, Field]], every: Iterable[str], depth: int) -> Iterator[str]:
    """The fields of several versions: those that are alike in all of them once."""
    for name in dict.fromkeys(name for fields in by_version.values() for name in fields):
        having = [(version, fields[name]) for version, fields in by_version.items() if name in fields]
        heads = {version: " ".join([f"{' ' * depth}{name}", *_words(each)]) for version, each in having}
        for head in dict.fromkeys(heads.values()):
            alike = {version: _below(each) for version, each in having if heads[version] == head}
            is_everywhere = len(alike) == len(list(every))
            for group in [alike] if is_everywhere else [{version: fields} for version, fields in alike.items()]:
                yield head if is_everywhere else f"{head} in={next(iter(group))}"
                yield from _written_fields(group, group, depth + 1)


def _below(each: Field) -> Mapping[str, Field]:
    """What is written below a field: what it may say, and its fields."""
    return {**{f"{_VALUE}{value}": Field(life=life) for value, life in each.values.items()}, **each.fields}


def _words(each: Field) -> Iterator[str]:
    if each.type_:
        yield f"type={each.type_}"
    if each.is_required:
        yield "required"
    if each.most is not None:
        yield f"most={each.most}"
    yield from _life_words(each.life)


def _life_words(life: Life) -> Iterator[str]:
    if life.since is not None:
        yield f"since={life.since}"
    if life.until is not None:
        yield f"until={life.until}"
    if life.deprecated is not None:
        yield f"deprecated={life.deprecated}" if life.deprecated else "deprecated"
