"""The contents of a report in the order of its sections; in brief also as text for a terminal.

In brief are the changes by kind, then the answers in a line each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.stack_file.report import visible
from policies.report import changes, problems, rehearsed, summary, tables, upgrades
from policies.report.blocks import Block, Bullets, Group, Line, Page, Table, Tone, listed, plain
from policies.report.figures import Figures, figures_of
from policies.report.impact import Impact, Kept, impact_of
from policies.report.sides import Sides, sides_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.plan import Plan
    from components.model.running import Running
    from policies.report.causes import Ending
    from policies.report.costs import Prices
    from policies.report.events import Preview, Step
    from policies.report.rehearsed import Rehearsed


_NAMELESS: Final = "a stack without a name"


class Report(Struct, frozen=True, kw_only=True):
    """Everything that a page is made of."""

    preview: Preview
    sides: Sides
    impact: Impact
    figures: Figures
    stack: str
    rehearsed: Rehearsed | None = None
    """The effect of the change on those who queue; None where nobody rehearsed it."""


def report_of(
    preview: Preview,
    state: Mapping[str, Step] | None,
    prices: Prices,
    stack: str = "",
    declared: Plan | None = None,
    rehearsed: Rehearsed | None = None,
    running: Running | None = None,
) -> Report:
    """Everything that the report says about a preview.

    Args:
        preview: what the engine reported.
        state: what there is; None where nobody exported it.
        prices: of one thing of each kind.
        stack: its name; taken from the preview where none is given.
        declared: what the stack file says, for a preview that stopped before it reported anything.
        rehearsed: what `tpu rehearse` says about the change.
        running: the work in the cluster; None where nobody asked.
    """
    sides = sides_of(preview, state, declared)
    names = [name for name in (stack, preview.stack, _NAMELESS) if name]
    figures = figures_of(sides, prices)
    return Report(
        preview=preview,
        sides=sides,
        impact=impact_of(preview, sides, running),
        figures=figures,
        stack=names[0],
        rehearsed=rehearsed,
    )


def page_of(report: Report) -> Page:
    """The page, with everything."""
    return Page(title=f"Preview of {report.stack}", blocks=tuple(_blocks(report)))


def _blocks(report: Report) -> Iterator[Block]:
    preview, sides = report.preview, report.sides
    yield summary.verdict(preview, report.figures, report.impact)
    yield from problems.to_fix(preview)
    yield from upgrades.blocks(preview, sides)
    yield from _deaths(report.impact)
    yield from tables.blocks(report.figures)
    yield from rehearsed.blocks(report.rehearsed)
    yield from changes.blocks(preview, sides)
    yield from problems.advice(preview)
    yield from changes.diff(preview)


def _deaths(impact: Impact) -> Iterator[Block]:
    if impact.is_harmless and not impact.work:
        return
    lost = [_ending(each, ": everything in it ends.") for each in impact.clusters]
    lost += [_ending(each, ": what it keeps is lost.") for each in impact.data]
    blocks: list[Block] = [Bullets(tuple(lost))] if lost else []
    if impact.slices:
        blocks.append(_slices(impact))
    if impact.work:
        blocks.append(_work(impact))
    yield Group("What ends", tuple(blocks), Tone.BAD, is_wide=True, is_needed=True)


def _ending(each: Kept, then: str) -> Line:
    return plain("", each.what, f" {each.fate}{then}")


def _slices(impact: Impact) -> Table:
    rows: list[tuple[Line, ...]] = []
    for each in impact.slices:
        shape = plain(f"{each.slices} x {each.shape}, {each.chips} chips")
        queues = _names(each.queues)
        rows.append((_names(each.pools), shape, plain(each.fate), queues))
    header = ("Pools", "Slices that end", "What happens to each", "Affected queues")
    return Table(header, tuple(rows))


def _work(impact: Impact) -> Table:
    """A row for each piece of work that something happens to, what certainly ends first."""
    rows: list[tuple[Line, ...]] = [_row(each) for each in impact.work]
    return Table(("Work", "Submitted by", "Queue", "Chips", "What happens to it"), tuple(rows))


def _row(each: Ending) -> tuple[Line, ...]:
    happens = each.fate.text if each.is_certain else f"perhaps {each.fate.text}"
    return (
        plain("", each.work.title),
        plain("this stack" if each.is_declared else "others"),
        _names([each.work.queue] if each.work.queue else []),
        plain(str(each.work.chips)),
        plain(f"{happens}, because {each.because}"),
    )


def _names(names: Sequence[str]) -> Line:
    return listed(names) if names else plain("none")


def brief(report: Report) -> str:
    """The text. The program's warnings come first, so that the answers are the last lines."""
    preview = report.preview
    warnings = [f"warning: {each}" for each in preview.warnings]
    changed = [_text(line) for line in changes.in_short(preview, report.sides)]
    found = summary.verdict(preview, report.figures, report.impact)
    answers = [found.title, *(_text(line) for line in found.lines)]
    return "\n\n".join(filter(None, ("\n\n".join(warnings), "\n".join(changed), "\n".join(answers))))


def _text(line: Line) -> str:
    return visible("".join(span.text for span in line))
