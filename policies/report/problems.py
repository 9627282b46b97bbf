"""Problems that must be fixed, and advice of policies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.findings import counted
from policies.names import DECIDED, rule_of
from policies.objects.judging import TYPES
from policies.objects.ledger_rules import LEDGER_RULES
from policies.report.blocks import Block, Bullets, Folded, Group, Line, Span, Table, Tone, Verbatim, plain
from policies.rules import OBJECT_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from policies.report.events import Preview, Violation

_WHY: Final = {rule.id: rule.why for rule in (TYPES, *OBJECT_RULES, *LEDGER_RULES)}
"""By rule, what happens where it is broken; policies of others have none here."""
_SEVERITIES: Final = ("critical", "high", "medium", "low", "")
_WARNING: Final = ": warning: "
"""How the program marks what does not stop it."""


def to_fix(preview: Preview) -> Iterator[Block]:
    """Everything that stops the update, with what would be right."""
    blocks = [*_errors(preview), *_broken(preview)]
    if blocks:
        yield Group("What must be fixed", tuple(blocks), Tone.BAD, is_wide=True, is_needed=True)


def _errors(preview: Preview) -> Iterator[Block]:
    """The words of the program, a provider or the engine, each problem for itself; warnings folded."""
    parts = [part.strip("\n") for error in preview.errors for part in error.split("\n\n")]
    warnings = [part for part in parts if _WARNING in part.split("\n")[0]]
    yield from _messages([part for part in parts if part and part not in warnings])
    if warnings:
        yield Folded(f"{counted(len(warnings), 'warning')} beside", tuple(_messages(warnings)))


def _messages(found: Sequence[str]) -> Iterator[Block]:
    if found:
        yield Verbatim("\n\n".join(found))


def _broken(preview: Preview) -> Iterator[Block]:
    found = _sorted(preview.broken)
    if not found:
        return
    yield Bullets(tuple(_finding(each) for each in found))
    reasons = {each.policy: _WHY[rule_of(each.policy)] for each in found if rule_of(each.policy) in _WHY}
    if reasons:
        why = tuple(plain("", policy, f": {why}") for policy, why in sorted(reasons.items()))
        yield Folded("Why these rules are there", (Bullets(why),))


def _finding(each: Violation) -> Line:
    severity = f" ({each.severity})" if each.severity else ""
    return (Span(each.policy, Tone.NAME), *plain(f"{severity} {_detail(each)}"))


def _detail(each: Violation) -> str:
    """The fault here, and what would be right; the policy's own sentence where it says nothing else."""
    head, _, rest = each.text.partition("\n")
    return " ".join((rest or head).split())


def _sorted(found: Sequence[Violation]) -> list[Violation]:
    rank = {severity: place for place, severity in enumerate(_SEVERITIES)}
    return sorted(found, key=lambda each: (rank.get(each.severity, len(rank)), each.policy, each.urn, each.text))


def advice(preview: Preview) -> Iterator[Block]:
    """The words of policies that stop nothing: advice, what they put right, what they could not decide."""
    rest = [each for each in preview.violations if each.level != "mandatory"]
    found = _sorted([each for each in rest if each.policy != DECIDED])
    blocks: list[Block] = []
    if found:
        rows = [(plain(each.severity), plain("", each.policy), plain(_detail(each))) for each in found]
        blocks.append(Table(("Severity", "Policy", "What it says"), tuple(rows)))
    if preview.remedied:
        counts = sorted(Counter(policy for policy, _ in preview.remedied).items())
        lines = tuple(plain("", policy, f" put right {count} of them by itself") for policy, count in counts)
        blocks.append(Bullets(tuple(lines)))
    blocks += [_undecided(each) for each in rest if each.policy == DECIDED]
    if blocks:
        yield Group("What policies advise", tuple(blocks), is_wide=True)


def _undecided(each: Violation) -> Folded:
    """The undecided rules: after a sentence of how many, a line for each reason."""
    _, _, rest = each.text.partition("\n")
    reasons = rest.split("\n")[1:]
    lines = tuple(plain(reason.removeprefix("- ")) for reason in reasons)
    title = f"Rules that could not be decided for everything, for {counted(len(reasons), 'reason')}"
    return Folded(title, (Bullets(lines),) if lines else ())
