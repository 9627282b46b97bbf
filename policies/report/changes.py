"""What happens to which resource, and the changed properties."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.findings import counted, listing
from policies.report import diffs as changed
from policies.report.blocks import Folded, Group, Table, plain
from policies.report.events import Op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.report.blocks import Block, Line
    from policies.report.events import Preview, Step
    from policies.report.sides import Sides

_ORDER: Final = (Op.REPLACE, Op.DELETE, Op.CREATE, Op.UPDATE)


def blocks(preview: Preview, sides: Sides) -> Iterator[Block]:
    """A row for every resource that changes, replaced ones first."""
    found = _changing(preview)
    if not found:
        return
    rows = [_row(step, sides) for step in found]
    table = Table(("What happens", "Resource", "Properties that change"), tuple(rows))
    yield Group("What changes", (table,), is_wide=True)


def in_short(preview: Preview, sides: Sides) -> Iterator[Line]:
    """What changes by kind; what exists already also by name, with the properties that change."""
    for op in _ORDER:
        steps = preview.of(op)
        real = [step for step in steps if not step.is_component]
        kinds = sorted(Counter(_noun(step, sides) for step in real).items())
        groups = [counted(len(steps) - len(real), "component")] if len(steps) > len(real) else []
        if steps:
            yield plain(f"{op.value}: {listing([*(f'{number} {kind}' for kind, number in kinds), *groups])}")
        named = [] if op is Op.CREATE else real
        for step in named[:_NAMED]:
            _, name, paths = _row(step, sides)
            yield (*plain("  "), *name, *(plain(": ") if paths else ()), *paths)
        if len(named) > _NAMED:
            yield plain(f"  and {len(named) - _NAMED:,} more")


def _noun(step: Step, sides: Sides) -> str:
    return "Provider" if step.type.startswith("pulumi:providers:") else _kind(step, sides)


def _changing(preview: Preview) -> list[Step]:
    """The steps that change something; what only groups others comes after what is really there."""
    return [step for op in _ORDER for step in sorted(preview.of(op), key=lambda each: each.is_component)]


def _row(step: Step, sides: Sides) -> tuple[Line, ...]:
    paths = sorted(step.changed) if step.op in (Op.UPDATE, Op.REPLACE) else []
    name = plain(f"{_kind(step, sides)} ", step.name)
    return plain(step.op.value), name, changed.paths_of(paths, _PATHS)


_PATHS: Final = 4
"""Properties that a row names; the diff has them all."""
_NAMED: Final = 60
"""Resources of one operation that a terminal shows by name."""


def _kind(step: Step, sides: Sides) -> str:
    """What people call the kind of a resource."""
    for side in (sides.after, sides.before):
        if side is not None and step.urn in side.named:
            return side.named[step.urn].object.kind.name
    return step.type.rpartition(":")[2]


def diff(preview: Preview) -> Iterator[Block]:
    """The changed properties, folded: whole resources as long as there is room."""
    found = _changing(preview)
    if found:
        yield Folded("Changed properties", tuple(changed.blocks(found, _left_out)))


def _left_out(rest: int) -> Line:
    return plain(f"{rest} resources are left out here; `pulumi preview --diff` shows them.")
