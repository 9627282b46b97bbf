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
    from policies.report.blocks import Block, Line
    from policies.report.events import Preview, Step
    from policies.report.figures import Figures
    from policies.report.impact import Ending, Impact
    from policies.report.limits import Limits
    from policies.report.prices import Prices
    from policies.report.rehearsed import Rehearsed
    from policies.report.sides import Sides

_NAMELESS: Final = "a stack without a name"
_ANEW: Final = ": it is stopped and runs again from its beginning, even if it had finished"


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
) -> Report:
    """Everything that the report says about a preview.

    Args:
        preview: what the engine reported.
        state: what there is; None where nobody exported it.
        prices: of one thing of each kind.
        stack: its name; taken from the preview where none is given.
        declared: what the stack file says, for a preview that stopped before it reported anything.
        rehearsed: what `tpu rehearse` says about the change.
    """
    sides = sides_of(preview, state, declared)
    names = [name for name in (stack, preview.stack, _NAMELESS) if name]
    figures = figures_of(sides, prices)
    return Report(
        preview=preview,
        sides=sides,
        impact=impact_of(preview, sides),
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
    if impact.is_harmless:
        return
    blocks: list[Block] = [Paragraph(_ending(each, limits, ": everything in it ends.")) for each in impact.clusters]
    blocks += [Paragraph(_ending(each, limits, ": what it keeps is lost.")) for each in limits.kept(impact.data)]
    blocks += _more(impact.data, limits)
    if impact.slices:
        blocks.append(_slices(impact, limits))
    if impact.runs:
        blocks.append(_runs(impact, limits))
    yield Group("What ends", tuple(blocks), Tone.BAD, is_wide=True)


def _more(endings: tuple[Ending, ...], limits: Limits) -> list[Block]:
    more = left_out(each.what.split(" ")[0] for each in endings[limits.rows :])
    return [Paragraph(plain(more))] if more else []


def _ending(each: Ending, limits: Limits, then: str) -> Line:
    return plain("", limits.shown(each.what), f" {limits.shown(each.fate)}{then}")


def _slices(impact: Impact, limits: Limits) -> Table:
    rows: list[tuple[Line, ...]] = []
    for each in limits.kept(impact.slices):
        shape = plain(f"{each.slices} x {each.shape}, {each.chips} chips")
        hit = (_names(each.queues, limits), _names(each.workloads, limits))
        rows.append((_names(each.pools, limits), shape, plain(limits.shown(each.fate)), *hit))
    more = left_out("kinds of slices" for _ in impact.slices[limits.rows :])
    if more:
        rows.append((plain(more), (), (), (), ()))
    header = ("Pools", "Slices that end", "What happens to each", "Affected queues", "Workloads that may run there")
    return Table(header, tuple(rows))


def _runs(impact: Impact, limits: Limits) -> Table:
    """Declared workloads that end, those with one fate together."""
    of_fate: dict[str, list[str]] = {}
    for each in impact.runs:
        of_fate.setdefault(each.fate, []).append(each.what)
    rows = [
        (_names(names, limits), plain(f"{limits.shown(each)}{'' if each.startswith('is deleted') else _ANEW}"))
        for each, names in limits.kept(list(of_fate.items()))
    ]
    more = left_out("kinds of ends" for _ in list(of_fate)[limits.rows :])
    if more:
        rows.append((plain(more), ()))
    return Table(("Declared workloads that end", "What happens to each"), tuple(rows))


def _names(names: Sequence[str], limits: Limits) -> Line:
    return summary.listed(names, limits) if names else plain("none")
