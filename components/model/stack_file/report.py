"""Findings as a user reads them: file, line and column, the line with a caret, what would be right, the rule.

Where the values did not come from the file that lies beside the program (another file was named, or an environment
added to it), the path alone is shown.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.findings import Finding, Severity, counted, listing
from components.model.places import Key, Place, Root
from components.model.rules.command import SECRET_RULE
from components.model.secret_forms import masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from components.model.stack_file.text import StackText
    from components.model.stack_file.yaml_nodes import Span

_CONFIG: Final = "config"
_WIDTH: Final = 160
"""Columns of a line that are shown; a longer one is cut around its caret."""
_BEFORE: Final = 60
"""Columns that are left before the caret then."""


class Sighting(Struct, frozen=True, kw_only=True):
    """Where a finding is shown."""

    name: str
    """Name of the file, or of its substitute."""
    path: str
    """The path of the place, as users write it; may be empty."""
    span: Span | None
    """None where it has no position in a file."""
    line: str = ""
    """The line of the file in which the stretch is; empty where it is not to be shown."""

    @property
    def where(self) -> str:
        """The file, with line and column where they are known, both counted from 1."""
        return self.name if self.span is None else f"{self.name}:{self.span.line + 1}:{self.span.start + 1}"


def entry(finding: Finding, sighting: Sighting) -> str:
    """One finding in full: where it is and what is wrong, the line, what would be right, the rule.

    Logs are read by more people than files are: a line with a secret in it is not shown.
    """
    mark = "" if finding.severity is Severity.ERROR else f"{finding.severity.value}: "
    heading = ": ".join(part for part in (sighting.where, sighting.path) if part)
    excerpt = [] if finding.rule == SECRET_RULE else _excerpt(sighting)
    lines = [f"{heading}: {mark}{finding.says}", *excerpt, f"  {finding.remedy}"]
    return "\n".join([*lines, f"  [{finding.rule}] {finding.source}".rstrip()])


def counts(findings: Sequence[Finding]) -> str:
    """How many findings of each severity there are; empty for none.

    >>> counts([])
    ''
    """
    numbers = {each: sum(finding.severity is each for finding in findings) for each in Severity}
    return listing([counted(number, each.noun) for each, number in numbers.items() if number]) if findings else ""


def visible(text: str) -> str:
    r"""The text in one line and without characters that a terminal would obey instead of show.

    >>> print(visible("a\x1b[31m"))
    a\x1b[31m
    """
    return text if text.isprintable() else "".join(_visible(each) for each in text)


def _visible(character: str) -> str:
    is_obeyed = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return ascii(character)[1:-1] if is_obeyed else character


def _excerpt(sighting: Sighting) -> list[str]:
    if sighting.span is None or not sighting.line:
        return []
    number, span = str(sighting.span.line + 1), sighting.span
    line = "".join("?" if each != "\t" and len(_visible(each)) > 1 else each for each in masked(sighting.line).rstrip())
    begin = max(0, span.start - _BEFORE) if len(line) > _WIDTH else 0
    shown, end = line[begin : begin + _WIDTH], min(span.end - begin, _WIDTH)
    start = span.start - begin
    indent = "".join("\t" if each == "\t" else " " for each in shown[:start].ljust(start))
    return [f"  {number} | {shown}", f"  {' ' * len(number)} | {indent}{'^' * (end - start)}"]


class Report:
    """Renders findings against one stack file."""

    def __init__(self, *, platform_key: str, text: StackText | None) -> None:
        """Takes the platform's key in the file, and the file's text if the values stand in it."""
        self._platform_key = platform_key
        self._text = text

    def render(self, findings: Iterable[Finding]) -> str:
        """All findings in the order of the file, and a last line that counts them."""
        ordered = sorted(findings, key=self.order)
        return "\n\n".join([*(entry(finding, self.sighting(finding)) for finding in ordered), _summary(ordered)])

    def sighting(self, finding: Finding) -> Sighting:
        """Where a finding is shown."""
        path, text = str(finding.place), self._text
        if text is None:
            return Sighting(name=self._platform_key, path=path, span=None)
        span = text.span(self._path(finding.place), is_about_key=finding.is_about_key)
        return Sighting(name=text.name, path=path, span=span, line=text.line(span))

    def order(self, finding: Finding) -> tuple[int, int, str, str]:
        """The sort key of findings."""
        span = self.sighting(finding).span
        line, column = (0, 0) if span is None else (span.line, span.start)
        return line, column, str(finding.place), finding.says

    def _path(self, place: Place) -> tuple[Key, ...]:
        return place.keys if place.root is Root.FILE else (_CONFIG, self._platform_key, *place.keys)


def _summary(findings: Sequence[Finding]) -> str:
    is_stopped = any(finding.severity is Severity.ERROR for finding in findings)
    return f"{counts(findings)}; nothing was changed." if is_stopped else f"{counts(findings)}."
