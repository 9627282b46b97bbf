"""The platform before and after, read out of resources as the policies read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from components.model.facts import checkpointing, kinds
from components.model.facts.engine import UNKNOWN_TEXTS
from policies.objects.rebuilding import rebuild
from policies.objects.values import UNKNOWN, Value
from policies.observed import Observed, Read, is_internal, observed, world_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from components.model.facts.kinds import Kind
    from components.model.plan import Plan
    from policies.report.events import Preview, State, Step


_CHECKPOINTS: Final = f"kubernetes:{checkpointing.API_VERSION}:{checkpointing.KIND}"
"""The type of an object that no rule knows."""


class Side(Struct, frozen=True, kw_only=True):
    """A platform as far as it can be read."""

    plan: Plan
    has_cluster: bool
    """Whether the cluster itself is part of it."""
    unread: Mapping[Kind, str]
    """For each kind with an object that could not be read, the missing value."""
    named: Mapping[str, Observed]
    """The resources as objects, by URN."""
    checkpoints: Mapping[str, str]
    """The memory of each host that is kept for checkpoints, by the bucket to which they are copied."""
    is_declared: bool = False
    """Whether it is only what a stack file says, because the preview was stopped before it reported resources."""


class Sides(Struct, frozen=True, kw_only=True):
    """Before and after; None for a side that is not known completely."""

    before: Side | None
    after: Side | None


def sides_of(preview: Preview, state: Mapping[str, Step] | None, declared: Plan | None = None) -> Sides:
    """Both sides of a preview.

    Args:
        preview: what the engine reported.
        state: what there is, for a preview that stopped before it reported the state; None if nobody exported it.
        declared: the platform of the stack file, for such a preview; None where nobody can read it.
    """
    steps = preview.steps
    if preview.is_whole:
        return Sides(
            before=_side((urn, step.type, step.before) for urn, step in steps.items()),
            after=_side((urn, step.type, step.after) for urn, step in steps.items()),
        )
    before = None if state is None else _side((urn, step.type, step.before) for urn, step in state.items())
    return Sides(before=before, after=None if declared is None else _declared(declared))


def _declared(plan: Plan) -> Side:
    kept = plan.cluster.checkpoints
    return Side(
        plan=plan,
        has_cluster=not plan.cluster.is_existing,
        unread={},
        named={},
        checkpoints={} if kept is None else {kept.bucket: kept.local},
        is_declared=True,
    )


def _side(resources: Iterable[tuple[str, str, State | None]]) -> Side:
    named: dict[str, Observed] = {}
    checkpoints: dict[str, str] = {}
    for urn, type_, state in sorted((each for each in resources if each[2] is not None), key=lambda each: each[0]):
        seen = None if state is None else observed(type_, urn, _reading(state), is_protected=state.is_protected)
        if seen is not None:
            named[urn] = seen
        if type_ == _CHECKPOINTS and state is not None:
            spec = state.inputs.get("spec", {})
            checkpoints[str(spec.get("cloudStorageBucketName"))] = str(spec.get("inMemoryVolumeSize"))
    rebuilt = rebuild(world_of(named.values()))
    return Side(
        plan=rebuilt.plan,
        has_cluster=any(seen.object.kind is kinds.CLUSTER for seen in named.values()),
        unread={
            kind: f"{named[place.origin].object} {place} {reason}".replace("  ", " ")
            for kind, (place, reason) in rebuilt.unread.items()
        },
        named=named,
        checkpoints=checkpoints,
    )


def _reading(state: State) -> Callable[[], Read]:
    return lambda: Read({key: _value(each) for key, each in state.inputs.items() if not is_internal(key)})


def _value(found: Any) -> Value:  # noqa: ANN401  any property
    """A property, as JSON has it, in the way that rules read it."""
    if isinstance(found, dict):
        inside = cast("dict[str, Any]", found)
        return {key: _value(each) for key, each in inside.items() if not is_internal(key)}
    if isinstance(found, list):
        return [_value(each) for each in cast("list[Any]", found)]
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return UNKNOWN if found in UNKNOWN_TEXTS else found
