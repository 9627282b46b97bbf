"""Stack files that are missing, or that Pulumi refuses before the program runs with words that name no line."""

from __future__ import annotations

from pathlib import Path

from components.model.findings import Finding, Severity
from components.model.places import Root
from components.model.stack_file.absent import FILES, absent
from components.model.stack_file.report import counts, entry
from policies.lint import files
from policies.lint.findings import READABLE
from policies.lint.linting import Options, lint


def refused(stack: str) -> str:
    """That a stack has no file, or what lint says of a file that Pulumi cannot read; empty for every other file.

    The program says all else, because it also knows the values that come from elsewhere.
    """
    file = Path(f"Pulumi.{stack.rpartition('/')[2]}.yaml")
    if not file.is_file():
        says, remedy = absent(file.name, [each.name for each in Path().glob(FILES)])
        return f"{says}, so nothing was started.\n  {remedy}"
    shown = [each for each in lint([files.read(str(file))], Options()).shown if _is_unreadable(each.finding)]
    if not shown:
        return ""
    texts = [entry(each.finding, each.sighting) for each in shown]
    return "\n\n".join([*texts, f"{counts([each.finding for each in shown])}; nothing was changed."])


def _is_unreadable(finding: Finding) -> bool:
    """Whether the text is not YAML, or not the mapping that Pulumi wants, as a whole."""
    if finding.rule == READABLE.id:
        return True
    keys, is_file = finding.place.keys, finding.place.root is Root.FILE
    is_whole = keys in ((), ("config",)) if is_file else not keys and not finding.is_about_key
    return is_whole and finding.severity is Severity.ERROR and finding.rule.startswith("stack-file")
