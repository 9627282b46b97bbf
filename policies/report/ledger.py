"""Chips and quota before and after, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from components.model.facts import gke, kinds, tpu
from components.model.findings import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import QueueFlavorPlan, QueuePlan
    from policies.report.sides import Side, Sides

_Value = TypeVar("_Value")
UNKNOWN: Final = "unknown"
"""The text for a figure that is unknown."""
_NO_CHIPS: Final = "none"
_NO_QUOTA: Final = "none"


class Change(Struct, frozen=True, kw_only=True):
    """One figure before and after; None for a side where it is unknown."""

    what: tuple[str, ...]
    """In columns."""
    name: str
    """In a word or two."""
    before: str | None
    after: str | None
    rises: bool | None = None
    """Whether there is more of it afterwards; None for neither more nor less, and for what cannot be compared."""


class _Chips(Struct, frozen=True):
    chips: int
    slices: int
    is_certain: bool
    """Whether the catalogue has the shape of every pool."""

    def __str__(self) -> str:
        if not self.is_certain:
            return "unknown: no such shape"
        return f"{self.chips} ({counted(self.slices, 'slice')})" if self.chips else _NO_CHIPS


def chips(sides: Sides) -> list[Change]:
    """TPU chips, each pool at its largest, by generation and capacity type."""
    before, after = _chips_of(sides.before), _chips_of(sides.after)
    none = _Chips(chips=0, slices=0, is_certain=True)
    return [
        Change(
            what=key,
            name=" ".join(key),
            before=_told(before, key, none),
            after=_told(after, key, none),
            rises=_rises(before, after, key, lambda found: found.chips),
        )
        for key in _keys(before, after)
    ]


def _keys(*sides: Mapping[tuple[str, ...], object] | None) -> list[tuple[str, ...]]:
    return sorted({key for side in sides if side is not None for key in side})


def _chips_of(side: Side | None) -> dict[tuple[str, ...], _Chips] | None:
    if side is None:
        return None
    found: dict[tuple[str, ...], _Chips] = {}
    for pool in side.plan.slice_pools:
        key = (generation(pool), pool.capacity)
        sum_ = found.get(key, _Chips(chips=0, slices=0, is_certain=True))
        found[key] = _Chips(
            chips=sum_.chips + pool.chips,
            slices=sum_.slices + pool.slices,
            is_certain=sum_.is_certain and bool(pool.labels),
        )
    return found


def generation(pool: SlicePoolPlan) -> str:
    """Id of the TPU generation of a pool; its machine type where there is none."""
    is_known = tpu.is_tpu_machine(pool.machine_type)
    return tpu.generation_of(pool.machine_type).id if is_known else pool.machine_type


def quota(sides: Sides) -> list[Change]:
    """The quota of ClusterQueues for each resource of each flavor, with the namespaces that they serve."""
    before, after = _quota_of(sides.before), _quota_of(sides.after)
    return [
        Change(
            what=(key[0], _teams(sides, key[0]), *key[1:]),
            name=" ".join(key[:2] if key[2] == gke.RESOURCE_TPU else key),
            before=_told(before, key, _NO_QUOTA),
            after=_told(after, key, _NO_QUOTA),
            rises=_rises(before, after, key, lambda found: found.milli),
        )
        for key in _keys(before, after)
    ]


class _Quota(Struct, frozen=True):
    milli: int
    text: str

    def __str__(self) -> str:
        return self.text


def _quota_of(side: Side | None) -> dict[tuple[str, ...], _Quota] | None:
    if side is None:
        return None
    found: dict[tuple[str, ...], _Quota] = {}
    for queue in side.plan.queues:
        for share in queue.flavors:
            amount = f"{share.chips}{_limits(queue, share)}"
            found[queue.name, share.name, gke.RESOURCE_TPU] = _Quota(share.chips * 1000, amount)
        for share in queue.resources:
            for resource, amount in share.quotas.items():
                found[queue.name, share.name, resource] = _Quota(amount.milli, str(amount))
    return found


def _limits(queue: QueuePlan, share: QueueFlavorPlan) -> str:
    """The limits of borrowing and lending, where there is somebody to borrow from."""
    if queue.cohort is None:
        return ""
    borrow = "borrows any" if share.borrow is None else f"borrows {share.borrow}"
    lend = "" if share.lend is None else f", lends {share.lend}"
    return f" ({borrow}{lend})"


def _teams(sides: Sides, queue: str) -> str:
    """The namespaces from which work comes to a queue, on either side."""
    plans = [side.plan for side in (sides.before, sides.after) if side is not None]
    return ", ".join(sorted({name for plan in plans for name in _namespaces(plan, queue)}))


def _namespaces(plan: Plan, queue: str) -> Iterator[str]:
    for each in plan.queues:
        if each.name == queue:
            yield from (local.namespace for local in each.local_queues)


def _told(found: Mapping[tuple[str, ...], object] | None, key: tuple[str, ...], none: object) -> str | None:
    return None if found is None else str(found.get(key, none))


def _rises(
    before: Mapping[tuple[str, ...], _Value] | None,
    after: Mapping[tuple[str, ...], _Value] | None,
    key: tuple[str, ...],
    number: Callable[[_Value], int],
) -> bool | None:
    if before is None or after is None:
        return None
    one, other = (number(side[key]) if key in side else 0 for side in (before, after))
    return None if one == other else other > one


def unread(side: Side | None) -> list[str]:
    """What chips and quota leave out, because a value of it cannot be read."""
    if side is None:
        return []
    wanted = (kinds.NODE_POOL, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR, kinds.LOCAL_QUEUE, kinds.CLUSTER)
    return [side.unread[kind] for kind in wanted if kind in side.unread]
