"""The report in brief, as text for a terminal: what changes by kind, then the answers in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.stack_file.report import visible
from policies.report import changes
from policies.report.summary import verdict

if TYPE_CHECKING:
    from policies.report.blocks import Line
    from policies.report.contents import Report


def brief(report: Report) -> str:
    """The text. The program's warnings come first, so that the answers are the last lines."""
    preview = report.preview
    warnings = [f"warning: {each}" for each in preview.warnings]
    changed = [_text(line) for line in changes.in_short(preview, report.sides)]
    found = verdict(preview, report.figures, report.impact)
    answers = [found.title, *(_text(line) for line in found.lines)]
    return "\n\n".join(filter(None, ("\n\n".join(warnings), "\n".join(changed), "\n".join(answers))))


def _text(line: Line) -> str:
    return visible("".join(span.text for span in line))
