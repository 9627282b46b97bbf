"""Changed properties of resources: their paths, and line by line, as `diff` shows them."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts.engine import UNKNOWN_TEXT
from components.model.stack_file.report import visible
from policies.observed import is_internal
from policies.report.blocks import Paragraph, Verbatim, plain
from policies.report.events import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from policies.report.blocks import Block, Line
    from policies.report.events import State, Step
    from policies.report.limits import Limits

_WIDTH: Final = 200
"""Characters of a value that are shown; a longer one is counted."""
_LATER: Final = "(not known yet, or secret)"


def paths_of(paths: Sequence[str], most: int, limits: Limits) -> Line:
    """The first properties by their paths, and how many more there are."""
    if not paths:
        return ()
    shown = [part for path in paths[:most] for part in (", ", limits.shown(path))]
    return plain("", *shown[1:], f" and {len(paths) - most} more" if len(paths) > most else "")


def diffs_of(steps: Iterable[Step], most: int) -> Sequence[list[str]]:
    """The changed properties of one resource after the other, until there are more than `most` lines of them."""
    found, lines = list[list[str]](), 0
    for step in steps:
        found.append(diff_of(step))
        lines += len(found[-1])
        if lines > most:
            break
    return found


def blocks(
    diffs: Sequence[Sequence[str]], count: int, limits: Limits, left_out: Callable[[int], Line]
) -> Iterator[Block]:
    """The changed properties: whole resources as long as there is room.

    Args:
        diffs: those of the first resources, at least as many lines as the limits allow.
        count: how many resources there are.
        limits: how much of it is shown.
        left_out: says how many resources are not shown.
    """
    totals = itertools.accumulate(len(each) for each in diffs)
    told = sum(1 for _ in itertools.takewhile(lambda total: total <= limits.diff, totals))
    lines = [line for each in diffs[:told] for line in each]
    if lines:
        yield Verbatim("\n".join(lines), "diff")
    if told < count:
        yield Paragraph(left_out(count - told))


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
