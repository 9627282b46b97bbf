"""Findings as a user reads them: file, line and column, the line with a caret, what would be right, the rule.

Where the values did not come from the file that lies beside the program (another file was named, or an environment
added to it), the path alone is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, Scope, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from components.model.findings import Key, Place
    from components.model.stack_text import Span, StackText

_CONFIG: Final = "config"


class Report:
    """Renders findings against one stack file."""

    def __init__(self, *, platform_key: str, text: StackText | None) -> None:
        """Takes the platform's key in the file, and the file's text if the values stand in it."""
        self._platform_key = platform_key
        self._text = text

    def render(self, findings: Iterable[Finding]) -> str:
        """All findings in the order of the file, and a last line that counts them."""
        ordered = sorted(findings, key=self._order)
        return "\n\n".join([*(self._one(finding) for finding in ordered), _summary(ordered)])

    def _path(self, place: Place) -> tuple[Key, ...]:
        return place.keys if place.scope is Scope.FILE else (_CONFIG, self._platform_key, *place.keys)

    def _span(self, finding: Finding) -> Span | None:
        if self._text is None:
            return None
        return self._text.span(self._path(finding.place), is_about_key=finding.is_about_key)

    def _order(self, finding: Finding) -> tuple[int, int, str, str]:
        span = self._span(finding)
        line, column = (0, 0) if span is None else (span.line, span.start)
        return line, column, str(finding.place), finding.says

    def _one(self, finding: Finding) -> str:
        span = self._span(finding)
        mark = "warning: " if finding.severity is Severity.WARNING else ""
        heading = ": ".join(part for part in (self._where(span), str(finding.place)) if part)
        lines = [f"{heading}: {mark}{finding.says}", *self._excerpt(span), f"  {finding.remedy}"]
        signature = f"  [{finding.rule}] {finding.source}".rstrip()
        return "\n".join([*lines, signature])

    def _where(self, span: Span | None) -> str:
        if self._text is None:
            return self._platform_key
        return self._text.name if span is None else f"{self._text.name}:{span.line + 1}:{span.start + 1}"

    def _excerpt(self, span: Span | None) -> list[str]:
        if self._text is None or span is None:
            return []
        number = str(span.line + 1)
        line = self._text.lines[span.line].rstrip() if span.line < len(self._text.lines) else ""
        caret = " " * span.start + "^" * (span.end - span.start)
        return [f"  {number} | {line}", f"  {' ' * len(number)} | {caret}"]


def _summary(findings: Sequence[Finding]) -> str:
    counts = [
        f"{count} {severity.value}{'' if count == 1 else 's'}"
        for severity in Severity
        if (count := sum(finding.severity is severity for finding in findings))
    ]
    is_stopped = any(finding.severity is Severity.ERROR for finding in findings)
    return f"{' and '.join(counts)}; nothing was changed." if is_stopped else f"{' and '.join(counts)}."
