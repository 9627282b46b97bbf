"""The platform before and after, read out of resources as the policies read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.model.objects.rebuilding import rebuild
from policies.observe import observe, world_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.objects.kinds import Kind
    from components.model.plan import Plan
    from policies.observe import Observed
    from policies.report.events import Preview, State, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A platform as far as it can be read."""

    plan: Plan
    unread: Mapping[Kind, str]
    """For each kind of which an object could not be read, which value is missing."""
    named: Mapping[str, Observed]
    """What the resources are, by URN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Before and after; None for one of which nobody can say what all is in it."""

    before: Side | None
    after: Side | None


def sides_of(preview: Preview, state: Mapping[str, Step] | None) -> Sides:
    """Both sides of a preview.

    Args:
        preview: what the engine told.
        state: what there is, for a preview that was stopped before it told it; None where nobody exported it.
    """
    steps = preview.steps
    if preview.is_whole:
        return Sides(
            before=_side((urn, step.type, step.before) for urn, step in steps.items()),
            after=_side((urn, step.type, step.after) for urn, step in steps.items()),
        )
    before = None if state is None else _side((urn, step.type, step.before) for urn, step in state.items())
    return Sides(before=before, after=None)


def _side(resources: Iterable[tuple[str, str, State | None]]) -> Side:
    named: dict[str, Observed] = {}
    for urn, type_, state in sorted((each for each in resources if each[2] is not None), key=lambda each: each[0]):
        seen = None if state is None else observe(type_, urn, state.inputs, is_protected=state.is_protected)
        if seen is not None:
            named[urn] = seen
    rebuilt = rebuild(world_of(named.values()))
    return Side(
        plan=rebuilt.plan,
        unread={
            kind: f"{named[place.origin].object} {place} {reason}".replace("  ", " ")
            for kind, (place, reason) in rebuilt.unread.items()
        },
        named=named,
    )
