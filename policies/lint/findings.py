"""What is wrong with a file itself, before any rule over objects has a say; and every rule by its id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, Severity
from components.model.places import Place, Scope
from components.model.rule import About
from components.model.rules import ALL_RULES
from policies.objects.judging import TYPES
from policies.rules import OBJECT_RULES

if TYPE_CHECKING:
    from collections.abc import Mapping


def breach(rule: About, place: Place, says: str, remedy: str) -> Finding:
    """That a file breaks a rule."""
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
    return Place(scope=Scope.OBJECT, origin=origin, keys=keys)
