"""Changed properties of resources: their paths, and line by line, as `diff` shows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts.engine import UNKNOWN_TEXT
from components.model.stack_file.report import visible
from policies.observed import is_internal
from policies.report.blocks import Paragraph, Verbatim, plain
from policies.report.events import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from policies.report.blocks import Block, Line
    from policies.report.events import State, Step

_WIDTH: Final = 200
"""Characters of a value that are shown; a longer one is counted."""
_LINES: Final = 3000
"""Lines of changed properties on a page."""
_LATER: Final = "(not known yet, or secret)"


def paths_of(paths: Sequence[str], most: int) -> Line:
    """The first properties by their paths, and how many more there are."""
    if not paths:
        return ()
    shown = [part for path in paths[:most] for part in (", ", path)]
    return plain("", *shown[1:], f" and {len(paths) - most} more" if len(paths) > most else "")


def blocks(steps: Sequence[Step], left_out: Callable[[int], Line]) -> Iterator[Block]:
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
    """What changes of one resource, under a line that names it; the line alone where nothing is to be seen."""
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
