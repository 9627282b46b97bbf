"""The page of a preview: what a reviewer asks first comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from policies.report import changes, problems, rehearsed, summary, tables, upgrades
from policies.report.blocks import Group, Page, Paragraph, Table, Tone, plain
from policies.report.figures import figures_of
from policies.report.impact import impact_of
from policies.report.limits import LEVELS, left_out
from policies.report.sides import sides_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.plan import Plan
    from components.model.running import Running
    from policies.report.blocks import Block, Line
    from policies.report.endings import Ending
    from policies.report.events import Preview, Step
    from policies.report.figures import Figures
    from policies.report.impact import Impact, Kept
    from policies.report.limits import Limits
    from policies.report.prices import Prices
    from policies.report.rehearsed import Rehearsed
    from policies.report.sides import Sides

_NAMELESS: Final = "a stack without a name"


class Report(Struct, frozen=True, kw_only=True):
    """Everything that a page is made of."""

    preview: Preview
    sides: Sides
    impact: Impact
    figures: Figures
    diffs: Sequence[Sequence[str]]
    """The changed properties of the first resources, as many as the fullest page shows."""
    stack: str
    rehearsed: Rehearsed | None = None
    """What the change does to those who queue; None where nobody rehearsed it."""


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
        diffs=changes.diffs_of(preview, LEVELS[0].diff),
        stack=names[0],
        rehearsed=rehearsed,
    )


def page_of(report: Report, limits: Limits) -> Page:
    """The page, with as much of everything as the limits allow."""
    return Page(title=f"Preview of {limits.shown(report.stack)}", blocks=tuple(_blocks(report, limits)))


def _blocks(report: Report, limits: Limits) -> Iterator[Block]:
    preview, sides = report.preview, report.sides
    yield summary.verdict(preview, report.figures, report.impact, limits)
    yield from problems.to_fix(preview, limits)
    yield from upgrades.blocks(preview, sides)
    yield from _deaths(report.impact, limits)
    yield from tables.blocks(report.figures, limits)
    yield from rehearsed.blocks(report.rehearsed, limits)
    yield from changes.blocks(preview, sides, limits)
    yield from problems.advice(preview, limits)
    yield from changes.diff(preview, report.diffs, limits)


def _deaths(impact: Impact, limits: Limits) -> Iterator[Block]:
    if impact.is_harmless and not impact.work:
        return
    blocks: list[Block] = [Paragraph(_ending(each, limits, ": everything in it ends.")) for each in impact.clusters]
    blocks += [Paragraph(_ending(each, limits, ": what it keeps is lost.")) for each in limits.kept(impact.data)]
    blocks += _more(impact.data, limits)
    if impact.slices:
        blocks.append(_slices(impact, limits))
    if impact.work:
        blocks.append(_work(impact, limits))
    yield Group("What ends", tuple(blocks), Tone.BAD, is_wide=True)


def _more(endings: tuple[Kept, ...], limits: Limits) -> list[Block]:
    more = left_out(each.what.split(" ")[0] for each in endings[limits.rows :])
    return [Paragraph(plain(more))] if more else []


def _ending(each: Kept, limits: Limits, then: str) -> Line:
    return plain("", limits.shown(each.what), f" {limits.shown(each.fate)}{then}")


def _slices(impact: Impact, limits: Limits) -> Table:
    rows: list[tuple[Line, ...]] = []
    for each in limits.kept(impact.slices):
        shape = plain(f"{each.slices} x {each.shape}, {each.chips} chips")
        queues = _names(each.queues, limits)
        rows.append((_names(each.pools, limits), shape, plain(limits.shown(each.fate)), queues))
    more = left_out("kinds of slices" for _ in impact.slices[limits.rows :])
    if more:
        rows.append((plain(more), (), (), ()))
    header = ("Pools", "Slices that end", "What happens to each", "Affected queues")
    return Table(header, tuple(rows))


def _work(impact: Impact, limits: Limits) -> Table:
    """A row for each piece of work that something happens to, what certainly ends first."""
    rows: list[tuple[Line, ...]] = [_row(each, limits) for each in limits.kept(impact.work)]
    more = left_out(each.work.kind for each in impact.work[limits.rows :])
    if more:
        rows.append((plain(more), (), (), (), ()))
    return Table(("Work", "Submitted by", "Queue", "Chips", "What happens to it"), tuple(rows))


def _row(each: Ending, limits: Limits) -> tuple[Line, ...]:
    happens = each.fate.text if each.is_certain else f"perhaps {each.fate.text}"
    return (
        plain("", limits.shown(each.work.title)),
        plain("this stack" if each.is_declared else "others"),
        _names([each.work.queue] if each.work.queue else [], limits),
        plain(str(each.work.chips)),
        plain(f"{happens}, because {limits.shown(each.because)}"),
    )


def _names(names: Sequence[str], limits: Limits) -> Line:
    return summary.listed(names, limits) if names else plain("none")
