"""Stack files that Pulumi refuses before the program runs: its own words name no line, or another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from components.model.findings import Severity
from components.model.places import Scope
from components.model.stack_file.report import counts, entry
from policies.lint import files
from policies.lint.findings import READABLE
from policies.lint.linting import Options, lint

if TYPE_CHECKING:
    from components.model.findings import Finding


def refused(stack: str) -> str:
    """What lint says of the file of a stack that Pulumi cannot read; empty for every other file, and for none.

    The program says all else, because it also knows the values that come from elsewhere.
    """
    file = Path(f"Pulumi.{stack.rpartition('/')[2]}.yaml")
    if not file.is_file():
        return ""
    shown = [each for each in lint([files.read(str(file))], Options()).shown if _is_unreadable(each.finding)]
    if not shown:
        return ""
    texts = [entry(each.finding, each.sighting) for each in shown]
    return "\n\n".join([*texts, f"{counts([each.finding for each in shown])}; nothing was changed."])


def _is_unreadable(finding: Finding) -> bool:
    """Whether the text is not YAML, or not the mapping that Pulumi wants, as a whole."""
    if finding.rule == READABLE.id:
        return True
    keys, is_file = finding.place.keys, finding.place.scope is Scope.FILE
    is_whole = keys in ((), ("config",)) if is_file else not keys and not finding.is_about_key
    return is_whole and finding.severity is Severity.ERROR and finding.rule.startswith("stack-file")
