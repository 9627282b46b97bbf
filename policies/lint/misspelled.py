"""Findings that a misspelled key explains: with `restartpolicy` corrected, restartPolicy is no longer missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.findings import nearest
from policies.rules.api import UNKNOWN_FIELD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.findings import Finding
    from policies.objects.world import Object

_Parent = tuple[str, tuple[str | int, ...]]
"""The origin of an object, and the keys that lead to a mapping in it."""


def without_consequences(found: Iterable[Finding], objects: Mapping[str, Object]) -> list[Finding]:
    """The findings without those about a key that is not stated, because an unknown key beside it was meant as it.

    `objects` are by their origin.
    """
    every = list(found)
    unknown = dict[_Parent, list[str]]()
    for each in every:
        if each.rule == UNKNOWN_FIELD and each.is_about_key:
            unknown.setdefault(_parent(each), []).append(str(each.place.keys[-1]))
    return [each for each in every if not _is_explained(each, unknown, objects)] if unknown else every


def _parent(finding: Finding) -> _Parent:
    return finding.place.origin, finding.place.keys[:-1]


def _is_explained(finding: Finding, unknown: Mapping[_Parent, list[str]], objects: Mapping[str, Object]) -> bool:
    keys, each = finding.place.keys, objects.get(finding.place.origin)
    if not keys or each is None or finding.rule == UNKNOWN_FIELD or each.has(*keys):
        return False
    return any(nearest(word, [str(keys[-1])]) for word in unknown.get(_parent(finding), ()))
