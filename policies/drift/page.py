"""The drift as parts of a page, and as data that programs read as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.model.findings import counted
from policies.drift.differences import GONE, Difference
from policies.report.blocks import Block, Folded, Group, Line, Page, Table, Tone, Verdict, listed, plain
from policies.report.changes import differing
from policies.report.events import Op
from policies.report.markdown import markdown_within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_REMEDY: Final = (
    plain("To restore what is declared: ", "pulumi up --refresh", "."),
    plain("To keep what is there: declare it in the stack file, or in the program."),
)
_EVERYTHING: Final = "pulumi refresh --preview-only --diff"
_UNSAID: Final = "the provider does not say what"


def markdown_of(found: Sequence[Difference], stack: str) -> str:
    """The page in Markdown, as much of it as an issue on GitHub holds.

    Raises:
        TooLongError: even the first rows of each part are longer.
    """
    return markdown_within(page_of(found, stack), f"`{_EVERYTHING}` shows all.")


def page_of(found: Sequence[Difference], stack: str) -> Page:
    """The page about an environment, with everything."""
    drifted = [each for each in found if each.drifted]
    first = Verdict(Tone.WARNING if drifted else Tone.GOOD, verdict(drifted), _REMEDY if drifted else ())
    return Page(f"Drift of {stack}", (first, *_drift(drifted), *_expected(found)))


def verdict(drifted: Sequence[Difference]) -> str:
    """The verdict, in one sentence."""
    if not drifted:
        return "Nothing drifted."
    return f"{counted(len(drifted), 'resource')} {'is' if len(drifted) == 1 else 'are'} not as declared."


def _drift(drifted: Sequence[Difference]) -> Iterator[Block]:
    if not drifted:
        return
    rows = [(_name(each), plain(_fate(each)), _paths(each)) for each in drifted]
    yield Group("What drifted", (Table(("Resource", "What happened", "Properties"), tuple(rows)),), is_needed=True)
    changed = [each.step for each in drifted if each.step.op is Op.UPDATE]
    if changed:
        yield Folded("Declared (-) and found (+)", tuple(differing(changed, _left_out)))


def _fate(each: Difference) -> str:
    if each.step.op is Op.UPDATE:
        return "is not as declared"
    return "is gone; an update runs it again" if each.is_run else "is gone"


def _left_out(rest: int) -> Line:
    left_out = counted(rest, "resource")
    return plain(f"{left_out} left out here: ", _EVERYTHING, " shows all.")


def _expected(found: Sequence[Difference]) -> Iterator[Block]:
    rows = [
        (_name(each), plain("", path) if path else plain("gone"), plain(why))
        for each in found
        for path, why in each.expected.items()
    ]
    if not rows:
        return
    yield Folded(f"Expected: {counted(len(rows), 'change')}", (Table(("Resource", "Property", "Why"), tuple(rows)),))


def _name(each: Difference) -> Line:
    return plain(f"{each.step.type.rpartition(':')[2]} ", each.step.name)


_PATHS: Final = 6
"""Properties that a row names; the diff has them all."""


def _paths(each: Difference) -> Line:
    if each.drifted == (GONE,):
        return plain(_UNSAID) if each.step.op is Op.UPDATE else ()
    return listed(each.drifted, _PATHS)


def data_of(found: Sequence[Difference], stack: str) -> dict[str, Any]:
    """The drift, and what was expected to move, by resource.

    `op` is `update` or `delete`. The property paths are empty for a resource that is gone, or whose provider does not
    name the properties. An expected change without a `path` is that of the whole resource.
    """
    return {
        "stack": stack,
        "drifted": [
            {**_resource(each), "paths": [path for path in each.drifted if path != GONE]}
            for each in found
            if each.drifted
        ],
        "expected": [
            {**_resource(each), **({} if path == GONE else {"path": path}), "why": why}
            for each in found
            for path, why in each.expected.items()
        ],
    }


def _resource(each: Difference) -> dict[str, str]:
    return {"urn": each.step.urn, "type": each.step.type, "name": each.step.name, "op": each.step.op.value}
