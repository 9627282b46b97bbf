"""The answers in a line each: what changes, what ends, chips, quota, cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import counted, listing
from policies.report import costs, ledger
from policies.report.blocks import LISTED, Line, Span, Tone, Verdict, listed, plain, tone_of
from policies.report.events import Op, Preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from policies.report.causes import Ending
    from policies.report.figures import Figures
    from policies.report.impact import Impact
    from policies.report.ledger import Change

_WORDS: Final = {Op.REPLACE: "replaced", Op.DELETE: "deleted", Op.CREATE: "created", Op.UPDATE: "updated"}


def verdict(preview: Preview, figures: Figures, impact: Impact) -> Verdict:
    """Whether it passes, and the answers."""
    tone, title = judged(preview, impact)
    lines = [
        *_resources(preview, figures),
        _ends(preview, figures, impact),
        _chips(figures),
        _quota(figures),
        _cost(figures),
    ]
    return Verdict(tone, title, tuple(lines))


def judged(preview: Preview, impact: Impact) -> tuple[Tone, str]:
    """Whether it passes, and the sentence that says so."""
    if not preview.passes:
        return Tone.BAD, f"Does not pass: {_failure(preview)}."
    if not preview.of(*_WORDS):
        return Tone.GOOD, "Passes: nothing changes."
    if impact.is_harmless and impact.work:
        return Tone.WARNING, "Passes, but may end or hinder work."
    if impact.is_harmless:
        return Tone.GOOD, "Passes."
    return Tone.WARNING, "Passes, but ends slices, workloads or data."


def _failure(preview: Preview) -> str:
    if preview.errors:
        return "the preview failed before policies could check it"
    if not preview.broken:
        return "the engine says that it failed, but not why"
    policies, times = len({each.policy for each in preview.broken}), len(preview.broken)
    are = "policy is" if policies == 1 else "policies are"
    return f"{policies} mandatory {are} broken{'' if times == policies else f', {times} times in all'}"


def _resources(preview: Preview, figures: Figures) -> Iterator[Line]:
    counts = [f"{len(preview.of(op))} {word}" for op, word in _WORDS.items() if preview.of(op)]
    same = len(preview.of(Op.SAME))
    if not preview.is_whole:
        is_declared = figures.sides.after is not None and figures.sides.after.is_declared
        declared = "; what follows is what the stack file says" if is_declared else ""
        yield _line("Resources", plain(f"unknown, because the preview stopped before them{declared}."))
    elif counts:
        yield _line("Resources", plain(f"{', '.join(counts)}; {same} stay as they are."))


def _line(what: str, line: Line) -> Line:
    return (Span(f"{what}: ", Tone.STRONG), *line)


def _ends(preview: Preview, figures: Figures, impact: Impact) -> Line:
    if not preview.is_whole:
        return _line("Ends", plain("nothing, as long as it does not pass; what it would end is unknown."))
    if figures.sides.before is None:
        return _line("Ends", plain("unknown."))
    if not preview.of(*_WORDS):
        return _line("Ends", plain("nothing, because nothing changes."))
    others = f"; jobs that others submitted were not looked for: {impact.not_asked}" if impact.not_asked else ""
    parts = list(_ending(impact))
    nothing = "no slice, no declared workload and no stored data" if others else _nothing(impact)
    return _line("Ends", (*(_joined(parts) if parts else plain(nothing)), Span(f"{others}.")))


def _nothing(impact: Impact) -> str:
    """The clause that is said only where the cluster was asked, or is not there yet."""
    asked = f": the cluster was asked, and none of its {counted(impact.seen, 'workload')} ends" if impact.seen else ""
    return f"nothing{asked}"


def _ending(impact: Impact) -> Iterator[Line]:
    """The certain endings, and then the possible ones."""
    ours, theirs = _by_owner(impact.ended)
    if impact.clusters:
        yield plain(counted(len(impact.clusters), "cluster"))
    if impact.slices:
        yield _slices(impact)
    if ours:
        yield _named("declared workload", ours)
    if theirs:
        yield _named("workload", theirs, " of others")
    if impact.data:
        yield _named("resource", [each.what for each in impact.data], " with data")
    for title, found in (("may end", impact.threatened), ("does not get on", impact.hindered)):
        if found:
            yield (*plain(f"{title}: "), *listed([each.work.title for each in found]))


def _by_owner(endings: Sequence[Ending]) -> tuple[list[str], list[str]]:
    ours = [each.work.title for each in endings if each.is_declared]
    return ours, [each.work.title for each in endings if not each.is_declared]


def _slices(impact: Impact) -> Line:
    slices, chips = (
        sum(numbers) for numbers in zip(*((each.slices, each.chips) for each in impact.slices), strict=True)
    )
    pools = sorted(pool for each in impact.slices for pool in each.pools)
    return (*plain(f"{counted(slices, 'slice')} ({chips} chips) of "), *listed(pools))


def _named(word: str, names: Sequence[str], of: str = "") -> Line:
    """How many there are, and the first of them."""
    return (*plain(f"{counted(len(names), word)}{of}: "), *listed(names))


def _joined(parts: Iterable[Line]) -> Iterator[Span]:
    for index, part in enumerate(parts):
        if index:
            yield Span("; ")
        yield from part


def _chips(figures: Figures) -> Line:
    """Every figure: there are few."""
    return _line("Chips", _moves(figures.chips) if figures.chips else plain(_none(figures)))


def _quota(figures: Figures) -> Line:
    """The figures that move; all of them where only one side is known."""
    moved = [each for each in figures.quota if each.before != each.after]
    otherwise = "no change." if figures.quota else _none(figures)
    return _line("Quota", _moves(moved) if moved else plain(otherwise))


def _none(figures: Figures) -> str:
    return "unknown." if figures.is_unknown else "none."


def _moves(found: Sequence[Change]) -> Line:
    parts = [_move(each) for each in found[:LISTED]]
    more = [plain(f"and {len(found) - LISTED} more")] if len(found) > LISTED else []
    return (*_joined([*parts, *more]), Span("."))


def _move(each: Change) -> Line:
    figure = _figure(each) if each.before != each.after else plain(f"{each.before or ledger.UNKNOWN}, as before")
    return (*plain("", each.name, " "), *figure)


def _figure(each: Change) -> Line:
    return Span(f"{each.before or ledger.UNKNOWN} → "), Span(each.after or ledger.UNKNOWN, tone_of(each.rises))


def _cost(figures: Figures) -> Line:
    hour, month = figures.always
    rest = _unpriced(figures.before, figures.after)
    if hour.before is None and hour.after is None:
        return _line("Cost", plain("unknown."))
    if hour.rises is None and hour.before == hour.after:
        return _line("Cost", plain(f"{hour.before} an hour, {month.before} a month, as before{rest}."))
    if hour.rises is None and hour.before is not None and hour.after is not None:
        before = f"; before: {hour.before} an hour, which cannot be compared with it"
        return _line("Cost", plain(f"{hour.after} an hour, {month.after} a month{rest}{before}."))
    return _line("Cost", (*_figure(hour), Span(" an hour; "), *_figure(month), Span(f" a month{rest}.")))


def _unpriced(before: costs.Cost | None, after: costs.Cost | None) -> str:
    """The items without a price, before or after."""
    names = sorted({each.what for cost in (before, after) if cost is not None for each in cost.unknown})
    if not names:
        return ""
    shown = [*names[:LISTED], *([f"{len(names) - LISTED} more"] if len(names) > LISTED else [])]
    return f"; {listing(shown)} {'has' if len(names) == 1 else 'have'} no price here"
