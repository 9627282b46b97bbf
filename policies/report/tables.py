"""The tables of chips, quota and cost, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.report import costs, ledger
from policies.report.blocks import Bullets, Folded, Group, Paragraph, Span, Table, Tone, listed, plain, tone_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from policies.report.blocks import Block, Line
    from policies.report.costs import Cost, Item
    from policies.report.figures import Competition, Figures
    from policies.report.ledger import Change

_BEFORE_AND_AFTER: Final = ("Before", "After")


def blocks(figures: Figures) -> Iterator[Block]:
    """A group for each of the three, and for storage where there is any."""
    yield Group("Chips", tuple(_chips(figures)))
    yield Group("Cost", tuple(_cost(figures)), is_needed=True)
    yield Group("Quota", tuple(_quota(figures)), is_wide=True)
    if figures.storage:
        yield Group("Storage", tuple(_storage(figures)), is_wide=True)


def _chips(figures: Figures) -> Iterator[Block]:
    if figures.chips:
        yield _table(("Generation", "Capacity"), figures.chips)
    else:
        yield Paragraph(plain(_nothing(figures, "There are no TPU slices, before or after.")))
    for missing in figures.unread:
        yield Paragraph((Span(f"Not counted {missing}; nor is what depends on it.", Tone.WARNING),))


def _nothing(figures: Figures, otherwise: str) -> str:
    return "Unknown, before and after." if figures.is_unknown else otherwise


def _storage(figures: Figures) -> Iterator[Block]:
    header = ("Kind", "Name")
    moved, kept = _parted(figures.storage)
    yield _table(header, moved) if moved else Paragraph(plain("No storage changes."))
    yield from _as_they_are(header, kept)


def _parted(found: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """The figures that move, and those that stay."""
    every = list(found)
    return [each for each in every if each.before != each.after], [each for each in every if each.before == each.after]


def _as_they_are(header: tuple[str, ...], kept: Sequence[Change]) -> Iterator[Block]:
    if kept:
        yield Folded(f"{len(kept)} that stay as they are", (_table(header, kept),))


def _quota(figures: Figures) -> Iterator[Block]:
    header = ("Queue", "Namespaces", "Flavor", "Resource")
    moved, kept = _parted(figures.quota)
    if moved:
        yield _table(header, moved)
    elif figures.quota:
        yield Paragraph(plain("No quota changes."))
    else:
        yield Paragraph(plain(_nothing(figures, "There are no queues with quota, before or after.")))
    if figures.quota_back is not None:
        before, after = (each or ledger.UNKNOWN for each in (figures.quota_back.before, figures.quota_back.after))
        yield Paragraph(plain(f"Workloads whose pods are not ready: {before} → {after}."))
    if figures.competitions:
        yield Bullets(tuple(map(_competes, figures.competitions)))
    yield from _as_they_are(header, kept)


def _competes(each: Competition) -> Line:
    """Who else wants what a new queue borrows, and who takes it back."""
    line = plain("", each.queue, " may borrow ", each.flavor, ".")
    for what, names in (("Others that may", each.rivals), ("Owners that may take it back", each.owners)):
        if names:
            line = (*line, *plain(f" {what}: "), *listed(names), *plain("."))
    return line


def _table(header: tuple[str, ...], found: Sequence[Change]) -> Table:
    rows = [_row(each) for each in found]
    width = len(header) + len(_BEFORE_AND_AFTER)
    return Table((*header, *_BEFORE_AND_AFTER), tuple(rows), right=(width - 2, width - 1))


def _row(each: Change) -> tuple[Line, ...]:
    names = (plain("", name) for name in each.what)
    return (*names, plain(each.before or ledger.UNKNOWN), (Span(each.after or ledger.UNKNOWN, tone_of(each.rises)),))


def _cost(figures: Figures) -> Iterator[Block]:
    always, most, prices = figures.always, figures.at_most, figures.prices
    found = always if _figures(always) == _figures(most) else (*always, *most)
    rows = [(plain(each.name), *_row(each)[1:]) for each in found]
    yield Table(("", *_BEFORE_AND_AFTER), tuple(rows), right=(1, 2))
    yield from _unpriced(figures.before, figures.after)
    source = (
        f"Prices of {prices.read.isoformat()} in {prices.currency}, a month is {costs.HOURS} hours; "
        "without disks, networks and traffic."
    )
    yield Paragraph((Span(f"{source} {prices.source}.", Tone.DIM),))


def _figures(changes: Iterable[Change]) -> list[tuple[str | None, str | None]]:
    return [(each.before, each.after) for each in changes]


def _unpriced(before: Cost | None, after: Cost | None) -> Iterator[Block]:
    """The items without a price, before or after."""
    sides = [{each.what: each for each in cost.unknown} for cost in (before, after) if cost is not None]
    names = sorted({name for side in sides for name in side})
    if not names:
        return
    shown = [f"{name} ({_number(name, sides)})" for name in names]
    yield Paragraph((Span("No price is known for: ", Tone.WARNING), *plain(f"{', '.join(shown)}.")))


def _number(name: str, sides: Sequence[Mapping[str, Item]]) -> str:
    """How many there are before and after, or on the one side that is known."""
    counts = list(dict.fromkeys(_range(side.get(name)) for side in sides))
    return counts[0] if len(counts) == 1 else f"{counts[0]} before, {counts[1]} after"


def _range(item: Item | None) -> str:
    if item is None:
        return "none"
    if item.most == 0:
        return "any number"
    number = f"{item.most:,}" if item.least == item.most else f"{item.least:,} to {item.most:,}"
    return f"{number} {item.unit}{'' if item.most == 1 or item.unit == 'GiB' else 's'}"
