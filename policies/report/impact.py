"""Endings: clusters, data, slices and the queues that hold them, and the work in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from components.model.facts import kinds
from components.model.findings import counted
from components.model.running import Running, State
from policies.report.causes import CAUSES, Diff, Ending, endings_of, fate
from policies.report.figures import borrows
from policies.report.ledger import generation
from policies.report.running import NOT_GIVEN, declared

if TYPE_CHECKING:
    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan
    from policies.objects.world import Object
    from policies.report.events import Preview, Step
    from policies.report.sides import Side, Sides

_HOLDS_DATA: Final = (kinds.FILESTORE, kinds.LUSTRE, kinds.DISK, kinds.BUCKET, kinds.VOLUME, kinds.CLAIM)


class LostSlices(Struct, frozen=True, kw_only=True):
    """Slices that end in the same way and hit the same."""

    pools: tuple[str, ...]
    shape: str
    """Generation, capacity and topology."""
    slices: int
    chips: int
    fate: str
    """The fate of the pools, as a clause."""
    queues: tuple[str, ...]
    """ClusterQueues that hold quota of it, or may borrow it."""


class Kept(Struct, frozen=True, kw_only=True):
    """A thing that is not work, and ends with what is in it."""

    what: str
    fate: str


class Impact(Struct, frozen=True, kw_only=True):
    """Everything that ends, the worst first; empty where nothing does."""

    clusters: tuple[Kept, ...] = ()
    """Whole clusters: everything in them ends."""
    data: tuple[Kept, ...] = ()
    """The holders of data."""
    slices: tuple[LostSlices, ...] = ()
    work: tuple[Ending, ...] = ()
    """The endings of jobs and other work, declared or not, by name."""
    seen: int = 0
    """How many pieces of work the cluster has."""
    not_asked: str = ""
    """Why the work of others is not known, as a clause; empty where it is."""

    @property
    def ended(self) -> tuple[Ending, ...]:
        """Work that certainly ends."""
        return tuple(each for each in self.work if each.fate.value.is_end and each.is_certain)

    @property
    def threatened(self) -> tuple[Ending, ...]:
        """Work that may end, as the cloud or a controller chooses, or if it runs."""
        return tuple(each for each in self.work if each.fate.value.is_end and not each.is_certain)

    @property
    def hindered(self) -> tuple[Ending, ...]:
        """Work that does not end, but waits for ever or is left to itself."""
        return tuple(each for each in self.work if not each.fate.value.is_end)

    @property
    def is_harmless(self) -> bool:
        """Whether nothing that runs, and nothing that is kept, is lost for certain."""
        return not (self.clusters or self.data or self.slices or self.ended)


def impact_of(preview: Preview, sides: Sides, running: Running | None = None) -> Impact:
    """The endings by a preview; nothing can be said where the platform before is not known.

    Args:
        preview: what the engine reported.
        sides: the platform before and after.
        running: the work in the cluster; None where nobody asked.
    """
    if sides.before is None:
        return Impact()
    asked = _asked(sides.before, running)
    of_stack = {(work.kind, work.namespace, work.name): work for work in declared(sides.before).values()}
    there = tuple(of_stack.values()) if asked.not_asked else asked.work
    diff = Diff(preview=preview, before=sides.before, after=sides.after, work=there)
    causes = [cause for find in CAUSES for cause in find(diff)]
    owned = [(work, (work.kind, work.namespace, work.name) in of_stack) for work in there]
    return Impact(
        clusters=tuple(_kept(*found) for found in diff.going(kinds.CLUSTER)),
        data=tuple(_kept(*found) for found in diff.going(*_HOLDS_DATA)),
        slices=tuple(_lost(preview, sides)),
        work=tuple(sorted(endings_of(owned, causes), key=_order)),
        seen=len([work for work in there if work.state is not State.FINISHED]),
        not_asked=asked.not_asked,
    )


def _asked(before: Side, running: Running | None) -> Running:
    """The work that is known; a cluster that this stack has yet to make has none."""
    if running is not None and not running.not_asked:
        return running
    if not before.named:
        return Running()
    return NOT_GIVEN if running is None else running


def _order(each: Ending) -> tuple[bool, bool, str]:
    return not each.is_certain, not each.fate.value.is_end, each.work.title


def _kept(step: Step, one: Object) -> Kept:
    if not one.name:
        return Kept(what=step.name, fate=fate(step))
    where = f"{one.namespace}/" if one.namespace else ""
    return Kept(what=f"{one.kind.name} {where}{one.name}", fate=fate(step))


def _lost(preview: Preview, sides: Sides) -> list[LostSlices]:
    if sides.before is None:
        return []
    lookup = _Lookup(sides.before.plan)
    after = {} if sides.after is None else {pool.place.origin: pool for pool in sides.after.plan.slice_pools}
    alike: dict[tuple[object, ...], LostSlices] = {}
    for pool in sorted(sides.before.plan.slice_pools, key=lambda each: each.name):
        step = preview.steps.get(pool.place.origin)
        left = _left(step, pool, after.get(pool.place.origin))
        if step is not None and left < pool.slices:
            hit = _hit(lookup, pool, left, fate(step) if step.ends else f"shrinks to {counted(left, 'slice')}")
            key = (hit.shape, hit.fate, hit.queues)
            alike[key] = _together(alike[key], hit) if key in alike else hit
    return sorted(alike.values(), key=lambda each: each.pools)


def _left(step: Step | None, before: SlicePoolPlan, after: SlicePoolPlan | None) -> int:
    """Slices of a pool that live on."""
    if step is None:
        return before.slices
    if step.ends:
        return 0
    return before.slices if after is None else min(before.slices, after.slices)


def _together(one: LostSlices, other: LostSlices) -> LostSlices:
    return replace(
        one,
        pools=(*one.pools, *other.pools),
        slices=one.slices + other.slices,
        chips=one.chips + other.chips,
    )


def _hit(lookup: _Lookup, pool: SlicePoolPlan, left: int, clause: str) -> LostSlices:
    lost = pool.slices - left
    flavors = lookup.flavors.get(pool.name, ())
    return LostSlices(
        pools=(pool.name,),
        shape=f"{generation(pool)} {pool.capacity} {pool.topology}",
        slices=lost,
        chips=pool.chips // pool.slices * lost,
        fate=clause,
        queues=tuple(sorted({name for flavor in flavors for name in lookup.queues.get(flavor, ())})),
    )


class _Lookup:
    """Which flavors a pool has, and which queues hold them."""

    def __init__(self, plan: Plan) -> None:
        self.flavors: dict[str, list[str]] = {}
        """Flavors by pool."""
        self.queues: dict[str, list[str]] = {}
        """ClusterQueues by flavor."""
        for flavor in plan.flavors:
            for pool in flavor.pools:
                self.flavors.setdefault(pool, []).append(flavor.name)
        for queue in plan.queues:
            for share in (each for each in queue.flavors if each.chips or borrows(queue, each)):
                self.queues.setdefault(share.name, []).append(queue.name)
