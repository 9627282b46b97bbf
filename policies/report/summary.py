"""The answers in a line each: what changes, what ends, chips, quota, cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import counted
from policies.report import costs, ledger
from policies.report.blocks import Span, Tone, Verdict, plain
from policies.report.events import Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from policies.report.blocks import Line
    from policies.report.events import Preview
    from policies.report.impact import Impact
    from policies.report.ledger import Change
    from policies.report.limits import Limits
    from policies.report.prices import Prices
    from policies.report.sides import Sides

_WORDS: Final = {Op.REPLACE: "replaced", Op.DELETE: "deleted", Op.CREATE: "created", Op.UPDATE: "updated"}
_LISTED: Final = 6
"""Things that a line names; there is a table for the rest."""


def verdict(preview: Preview, sides: Sides, impact: Impact, prices: Prices, limits: Limits) -> Verdict:
    """Whether it passes, and the answers."""
    tone, title = _judged(preview, impact)
    lines = [
        *_resources(preview),
        _ends(preview, sides, impact, limits),
        _moves("Chips", ledger.chips(sides), sides, limits),
        _moves("Quota", ledger.quota(sides), sides, limits),
        _cost(sides, prices),
    ]
    return Verdict(tone, title, tuple(lines))


def _judged(preview: Preview, impact: Impact) -> tuple[Tone, str]:
    if not preview.passes:
        return Tone.BAD, f"Does not pass: {_failure(preview)}."
    if not preview.of(*_WORDS):
        return Tone.GOOD, "Passes: nothing changes."
    return (Tone.GOOD, "Passes.") if impact.is_harmless else (Tone.WARNING, "Passes, but ends what is there.")


def _failure(preview: Preview) -> str:
    if preview.errors:
        return "the preview failed before it could be judged"
    if not preview.broken:
        return "the engine says that it failed, but not why"
    policies, times = len({each.policy for each in preview.broken}), len(preview.broken)
    are = "policy is" if policies == 1 else "policies are"
    return f"{policies} mandatory {are} broken{'' if times == policies else f', {times} times in all'}"


def _resources(preview: Preview) -> Iterator[Line]:
    counts = [f"{len(preview.of(op))} {word}" for op, word in _WORDS.items() if preview.of(op)]
    same = len(preview.of(Op.SAME))
    if not preview.is_whole:
        yield _told("Resources", plain("unknown, because the preview did not get as far."))
    elif counts:
        yield _told("Resources", plain(f"{', '.join(counts)}; {same} stay as they are."))


def _told(what: str, line: Line) -> Line:
    return (Span(f"{what}: ", Tone.STRONG), *line)


def _ends(preview: Preview, sides: Sides, impact: Impact, limits: Limits) -> Line:
    if not preview.is_whole or sides.before is None:
        return _told("Ends", plain("unknown."))
    if impact.is_harmless:
        return _told("Ends", plain("no slice, no declared workload and nothing that keeps data."))
    parts = [
        *([plain(counted(len(impact.clusters), "cluster"))] if impact.clusters else []),
        *([plain(f"{counted(_slices(impact), 'slice')} of {_chips(impact)} chips")] if impact.slices else []),
        *([_named("declared workload", [each.what for each in impact.runs], limits)] if impact.runs else []),
        *([_named("place", [each.what for each in impact.data], limits, " of data")] if impact.data else []),
    ]
    return _told("Ends", (*_joined(parts), Span(".")))


def _slices(impact: Impact) -> int:
    return sum(each.slices for each in impact.slices)


def _chips(impact: Impact) -> int:
    return sum(each.chips for each in impact.slices)


def _named(word: str, names: Sequence[str], limits: Limits, of: str = "") -> Line:
    """How many there are, and the first of them."""
    return (*plain(f"{counted(len(names), word)}{of}: "), *listed(names, limits))


def listed(names: Sequence[str], limits: Limits) -> Line:
    """Names as one line, as many as there is room for."""
    most = min(_LISTED, limits.rows)
    shown = [part for name in names[:most] for part in (", ", limits.shown(name))]
    return plain("", *shown[1:], f" and {len(names) - most} more" if len(names) > most else "")


def _joined(parts: Iterable[Line]) -> Iterator[Span]:
    for index, part in enumerate(parts):
        if index:
            yield Span("; ")
        yield from part


def _moves(what: str, found: Sequence[Change], sides: Sides, limits: Limits) -> Line:
    """The figures that move; all of them where only one side is known."""
    moved = [each for each in found if each.before != each.after]
    if sides.before is None and sides.after is None:
        return _told(what, plain("unknown."))
    if not moved:
        return _told(what, plain("no change." if found else "none."))
    most = min(_LISTED, limits.rows)
    parts = [_move(each, limits) for each in moved[:most]]
    more = [plain(f"and {len(moved) - most} more")] if len(moved) > most else []
    return _told(what, (*_joined([*parts, *more]), Span(".")))


def _move(each: Change, limits: Limits) -> Line:
    return (*plain("", limits.shown(each.name), " "), *_figure(each))


def _figure(each: Change) -> Line:
    tone = Tone.PLAIN if each.rises is None else Tone.MORE if each.rises else Tone.LESS
    return Span(f"{each.before or ledger.UNKNOWN} → "), Span(each.after or ledger.UNKNOWN, tone)


def _cost(sides: Sides, prices: Prices) -> Line:
    before, after = (costs.cost_of_side(side, prices) for side in (sides.before, sides.after))
    hour, month = costs.hours_and_months(before, after, prices)
    if hour.before == hour.after:
        told = "unknown." if hour.before is None else f"{hour.before} an hour, {month.before} a month, as before."
        return _told("Cost", plain(told))
    return _told("Cost", (*_figure(hour), Span(" an hour; "), *_figure(month), Span(" a month.")))
