"""What drifted, as parts of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import counted
from policies.drift.motion import GONE
from policies.report import diffs
from policies.report.blocks import Folded, Group, Page, Table, Tone, Verdict, plain
from policies.report.events import Op
from policies.report.fitting import fullest
from policies.report.limits import left_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from policies.drift.motion import Motion
    from policies.report.blocks import Block, Line
    from policies.report.limits import Limits

_REMEDY: Final = (
    plain("To restore what is declared: ", "pulumi up --refresh", "."),
    plain("To keep what is there: declare it in the stack file, or in the program."),
)
_UNSAID: Final = "the provider does not say what"


def markdown_of(found: Sequence[Motion], stack: str) -> str:
    """The fullest page in Markdown that a comment or an issue on GitHub holds.

    Raises:
        TooLongError: there is none.
    """
    return fullest(lambda limits: page_of(found, stack, limits))


def page_of(found: Sequence[Motion], stack: str, limits: Limits) -> Page:
    """The page about an environment, within limits."""
    drifted = [each for each in found if each.drifted]
    blocks = [_verdict(drifted), *_drift(drifted, limits), *_expected(found, limits)]
    return Page(f"Drift of {limits.shown(stack)}", tuple(blocks))


def verdict(drifted: Sequence[Motion]) -> str:
    """The verdict, in one sentence."""
    if not drifted:
        return "Nothing drifted."
    return f"{counted(len(drifted), 'resource')} {'is' if len(drifted) == 1 else 'are'} not as declared."


def _verdict(drifted: Sequence[Motion]) -> Verdict:
    return Verdict(Tone.WARNING if drifted else Tone.GOOD, verdict(drifted), _REMEDY if drifted else ())


def _drift(drifted: Sequence[Motion], limits: Limits) -> Iterator[Block]:
    if not drifted:
        return
    rows = [(_name(each, limits), plain(_fate(each)), _paths(each, limits)) for each in limits.kept(drifted)]
    more = left_out(_kind(each) for each in drifted[limits.rows :])
    rows += [(plain(more), (), ())] if more else []
    yield Group("What drifted", (Table(("Resource", "What happened", "Properties"), tuple(rows)),))
    changed = [each for each in drifted if each.step.op is Op.UPDATE]
    if changed:
        yield Folded("Declared (-) and found (+)", tuple(_diff(changed, limits)))


def _fate(each: Motion) -> str:
    if each.step.op is Op.UPDATE:
        return "is not as declared"
    return "is gone; an update runs it again" if each.is_run else "is gone"


def _diff(changed: Sequence[Motion], limits: Limits) -> Iterator[Block]:
    of_each = diffs.diffs_of((each.step for each in changed), limits.diff)
    return diffs.blocks(of_each, len(changed), limits, _left_out)


def _left_out(rest: int) -> Line:
    left_out = counted(rest, "resource")
    return plain(f"{left_out} left out here: ", "pulumi refresh --preview-only --diff", " shows all.")


def _expected(found: Sequence[Motion], limits: Limits) -> Iterator[Block]:
    rows = [
        (_name(each, limits), plain("", limits.shown(path)) if path else plain("gone"), plain(why))
        for each in found
        for path, why in each.expected.items()
    ]
    if not rows:
        return
    left = len(rows) - len(limits.kept(rows))
    kept = [*limits.kept(rows), *([(plain(f"and {left} more"), (), ())] if left else [])]
    yield Folded(f"Expected: {counted(len(rows), 'change')}", (Table(("Resource", "Property", "Why"), tuple(kept)),))


def _name(each: Motion, limits: Limits) -> Line:
    return plain(f"{_kind(each)} ", limits.shown(each.step.name))


def _kind(each: Motion) -> str:
    return each.step.type.rpartition(":")[2]


_PATHS: Final = 6
"""Properties that a row names; the diff has them all."""


def _paths(each: Motion, limits: Limits) -> Line:
    if each.drifted == (GONE,):
        return plain(_UNSAID) if each.step.op is Op.UPDATE else ()
    return diffs.paths_of(each.drifted, _PATHS, limits)
