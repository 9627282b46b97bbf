"""The drift as parts of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import counted
from policies.drift.differences import GONE
from policies.report.blocks import Folded, Group, Page, Table, Tone, Verdict, plain
from policies.report.changes import differing, paths_of
from policies.report.events import Op
from policies.report.markdown import markdown_within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from policies.drift.differences import Difference
    from policies.report.blocks import Block, Line

_REMEDY: Final = (
    plain("To restore what is declared: ", "pulumi up --refresh", "."),
    plain("To keep what is there: declare it in the stack file, or in the program."),
)
_EVERYTHING: Final = "pulumi refresh --preview-only --diff"
_UNSAID: Final = "the provider does not say what"


def markdown_of(found: Sequence[Difference], stack: str) -> str:
    """The page in Markdown, as much of it as an issue on GitHub holds.

    Raises:
        TooLongError: even the first rows of each part are longer.
    """
    return markdown_within(page_of(found, stack), f"`{_EVERYTHING}` shows all.")


def page_of(found: Sequence[Difference], stack: str) -> Page:
    """The page about an environment, with everything."""
    drifted = [each for each in found if each.drifted]
    blocks = [_verdict(drifted), *_drift(drifted), *_expected(found)]
    return Page(f"Drift of {stack}", tuple(blocks))


def verdict(drifted: Sequence[Difference]) -> str:
    """The verdict, in one sentence."""
    if not drifted:
        return "Nothing drifted."
    return f"{counted(len(drifted), 'resource')} {'is' if len(drifted) == 1 else 'are'} not as declared."


def _verdict(drifted: Sequence[Difference]) -> Verdict:
    return Verdict(Tone.WARNING if drifted else Tone.GOOD, verdict(drifted), _REMEDY if drifted else ())


def _drift(drifted: Sequence[Difference]) -> Iterator[Block]:
    if not drifted:
        return
    rows = [(_name(each), plain(_fate(each)), _paths(each)) for each in drifted]
    yield Group("What drifted", (Table(("Resource", "What happened", "Properties"), tuple(rows)),), is_needed=True)
    changed = [each for each in drifted if each.step.op is Op.UPDATE]
    if changed:
        yield Folded("Declared (-) and found (+)", tuple(_diff(changed)))


def _fate(each: Difference) -> str:
    if each.step.op is Op.UPDATE:
        return "is not as declared"
    return "is gone; an update runs it again" if each.is_run else "is gone"


def _diff(changed: Sequence[Difference]) -> Iterator[Block]:
    return differing([each.step for each in changed], _left_out)


def _left_out(rest: int) -> Line:
    left_out = counted(rest, "resource")
    return plain(f"{left_out} left out here: ", _EVERYTHING, " shows all.")


def _expected(found: Sequence[Difference]) -> Iterator[Block]:
    rows = [
        (_name(each), plain("", path) if path else plain("gone"), plain(why))
        for each in found
        for path, why in each.expected.items()
    ]
    if not rows:
        return
    yield Folded(f"Expected: {counted(len(rows), 'change')}", (Table(("Resource", "Property", "Why"), tuple(rows)),))


def _name(each: Difference) -> Line:
    return plain(f"{_kind(each)} ", each.step.name)


def _kind(each: Difference) -> str:
    return each.step.type.rpartition(":")[2]


_PATHS: Final = 6
"""Properties that a row names; the diff has them all."""


def _paths(each: Difference) -> Line:
    if each.drifted == (GONE,):
        return plain(_UNSAID) if each.step.op is Op.UPDATE else ()
    return paths_of(each.drifted, _PATHS)
