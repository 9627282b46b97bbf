"""What is wrong with a file itself, before any rule over objects has a say; and every rule by its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from components.model.findings import Finding, Severity
from components.model.places import Place, Scope
from components.model.rules import ALL_RULES
from policies.objects.judging import TYPE_RULE, TYPE_SOURCE, TYPE_SUMMARY, TYPE_WHY
from policies.rules import OBJECT_RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a rule is, whichever part of the project has it."""

    id: str
    summary: str
    why: str
    source: str

    def breach(self, place: Place, says: str, remedy: str) -> Finding:
        """That a file breaks it."""
        return Finding(
            place=place,
            says=says,
            remedy=remedy,
            severity=Severity.ERROR,
            is_about_key=True,
            rule=self.id,
            source=self.source,
        )


READABLE: Final = About(
    id="file-is-readable",
    summary="a file is YAML or JSON in UTF-8, of a reasonable size and depth",
    why="A file that cannot be read cannot be checked; it may contain any mistake.",
    source="components/model/stack_file/yaml_nodes.py",
)
WHOLE: Final = About(
    id="document-is-an-object",
    summary="a document that states kind or apiVersion states both",
    why="The API server does not know what it is, and refuses it.",
    source="Kubernetes API conventions",
)
ONCE: Final = About(
    id="object-is-declared-once",
    summary="the files of one call declare each object once",
    why="Only one of the two will exist, and nobody can say which; its quota or chips would be counted twice.",
    source="policies/lint/recognising.py",
)
FILE_RULES: Final = (READABLE, WHOLE, ONCE)
_TYPES: Final = About(id=TYPE_RULE, summary=TYPE_SUMMARY, why=TYPE_WHY, source=TYPE_SOURCE)
RULES: Final = {
    each.id: About(id=each.id, summary=each.summary, why=each.why, source=each.source)
    for each in (*FILE_RULES, _TYPES, *ALL_RULES, *OBJECT_RULES)
}
"""Every rule that lint may name, but the shape of stack files, whose findings speak for themselves."""


def place_in(origin: str, *keys: str | int) -> Place:
    """A place in a document."""
    return Place(scope=Scope.OBJECT, origin=origin, keys=keys)
