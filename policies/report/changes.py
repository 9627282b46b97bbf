"""The resources that change, and how: their properties by path, and line by line, as `diff` shows them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts.engine import UNKNOWN_TEXT
from components.model.findings import counted, listing
from components.model.stack_file.report import visible
from policies.observed import is_internal
from policies.report.blocks import Block, Folded, Group, Line, Paragraph, Table, Verbatim, listed, plain
from policies.report.events import Op, Preview, State, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from policies.report.sides import Sides


_WIDTH: Final = 200
"""Characters of a value that are shown; a longer one is counted."""
_LINES: Final = 3000
"""Lines of changed properties on a page."""
_LATER: Final = "(not known yet, or secret)"


def differing(steps: Sequence[Step], left_out: Callable[[int], Line]) -> Iterator[Block]:
    """The changed properties: whole resources as long as there is room; `left_out` says how many are not shown."""
    lines, told = list[str](), 0
    for step in steps:
        more = diff_of(step)
        if len(lines) + len(more) > _LINES:
            break
        lines += more
        told += 1
    if lines:
        yield Verbatim("\n".join(lines), "diff")
    if told < len(steps):
        yield Paragraph(left_out(len(steps) - told))


def diff_of(step: Step) -> list[str]:
    """The changes of one resource, under a line that names it; the line alone where nothing is to be seen."""
    before, after = _leaves(step.before), _leaves(step.after)
    lines = [f"@@ {step.op.value} {visible(step.type)} {visible(step.name)} @@"]
    for path in sorted({*before, *after}):
        if before.get(path) == after.get(path):
            continue
        mark = " (replaces)" if any(path.startswith(each) for each in step.forcing) and step.op is Op.REPLACE else ""
        lines += [f"- {path}: {before[path]}"] if path in before else []
        lines += [f"+ {path}: {after[path]}{mark}"] if path in after else []
    return lines


def _leaves(state: State | None) -> dict[str, str]:
    return {} if state is None else dict(_walked("", state.inputs))


def _walked(path: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  any property
    if isinstance(value, dict) and value:
        inside = cast("Mapping[str, Any]", value)
        for key in sorted(inside):
            if not is_internal(key):
                yield from _walked(f"{path}.{visible(key)}" if path else visible(key), inside[key])
    elif isinstance(value, list) and value:
        for index, each in enumerate(cast("list[Any]", value)):
            yield from _walked(f"{path}[{index}]", each)
    else:
        yield path, _shown(value)


def _shown(value: Any) -> str:  # noqa: ANN401  any property
    if value == UNKNOWN_TEXT:
        return _LATER
    text = visible(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}... ({len(text)} characters)"


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
    """The changes by kind; what exists already also by name, with the properties that change."""
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
    return plain(step.op.value), name, listed(paths, _PATHS)


_PATHS: Final = 4
"""Properties that a row names; the diff has them all."""
_NAMED: Final = 60
"""Resources of one operation that a terminal shows by name."""


def _kind(step: Step, sides: Sides) -> str:
    """The kind of a resource, as people call it."""
    for side in (sides.after, sides.before):
        if side is not None and step.urn in side.named:
            return side.named[step.urn].object.kind.name
    return step.type.rpartition(":")[2]


def diff(preview: Preview) -> Iterator[Block]:
    """The changed properties, folded: whole resources as long as there is room."""
    found = _changing(preview)
    if found:
        yield Folded("Changed properties", tuple(differing(found, _left_out)))


def _left_out(rest: int) -> Line:
    return plain(f"{rest} resources are left out here; `pulumi preview --diff` shows them.")
