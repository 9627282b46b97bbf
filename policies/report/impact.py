"""What dies: slices that are replaced, deleted or made smaller, and the queues and declared workloads that they hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from components.model.facts import kinds
from components.model.findings import counted
from policies.report.competition import borrows
from policies.report.events import Op
from policies.report.ledger import generation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.workloads import TpuRunPlan
    from policies.report.events import Preview, Step
    from policies.report.sides import Sides

_ENDING: Final = (Op.REPLACE, Op.DELETE)
_HOLDS_DATA: Final = (kinds.FILESTORE, kinds.LUSTRE, kinds.DISK, kinds.BUCKET, kinds.VOLUME, kinds.CLAIM)
_RUNS: Final = (kinds.JOBSET, kinds.JOB, kinds.RAY_JOB)


class LostSlices(Struct, frozen=True, kw_only=True):
    """Slices that end in the same way and hit the same."""

    pools: tuple[str, ...]
    shape: str
    """Generation, capacity and topology."""
    slices: int
    chips: int
    fate: str
    """What becomes of the pools, as a clause."""
    queues: tuple[str, ...]
    """ClusterQueues that hold quota of it, or may borrow it."""
    workloads: tuple[str, ...]
    """Declared workloads that may run on it, as `namespace/name`."""


class Ending(Struct, frozen=True, kw_only=True):
    """Something else that ends with what is in it."""

    what: str
    fate: str


class Impact(Struct, frozen=True, kw_only=True):
    """What dies, the worst first; empty where nothing does."""

    clusters: tuple[Ending, ...]
    """Whole clusters: everything in them ends."""
    data: tuple[Ending, ...]
    """What holds data."""
    slices: tuple[LostSlices, ...]
    runs: tuple[Ending, ...]
    """Declared workloads that are ended, whatever becomes of their slices."""

    @property
    def others(self) -> tuple[str, ...]:
        """Declared workloads that stay, but may run on slices that end."""
        ended = {each.what.partition(" ")[2] for each in self.runs}
        return tuple(sorted({name for each in self.slices for name in each.workloads} - ended))

    @property
    def is_harmless(self) -> bool:
        """Whether nothing that runs, and nothing that is kept, is lost."""
        return not (self.clusters or self.data or self.slices or self.runs)


def impact_of(preview: Preview, sides: Sides) -> Impact:
    """What a preview would end; nothing can be said where the platform before is not known."""
    if sides.before is None:
        return Impact(clusters=(), data=(), slices=(), runs=())
    kind_of = {urn: seen.object.kind for urn, seen in sides.before.named.items()}
    ending = {step.urn: step for step in preview.of(*_ENDING) if step.urn in kind_of}

    def endings(*wanted: kinds.Kind) -> tuple[Ending, ...]:
        return tuple(_ending(step, sides) for urn, step in ending.items() if kind_of[urn] in wanted)

    return Impact(
        clusters=endings(kinds.CLUSTER),
        data=endings(*_HOLDS_DATA),
        slices=tuple(_lost(preview, sides)),
        runs=endings(*_RUNS),
    )


def _ending(step: Step, sides: Sides) -> Ending:
    seen = None if sides.before is None else sides.before.named[step.urn].object
    if seen is None or not seen.name:
        return Ending(what=step.name, fate=fate(step))
    where = f"{seen.namespace}/" if seen.namespace else ""
    return Ending(what=f"{seen.kind.name} {where}{seen.name}", fate=fate(step))


def fate(step: Step) -> str:
    """What becomes of a resource that does not stay, and for which property.

    The clause follows the resource's name.
    """
    if step.op is Op.DELETE:
        return "is deleted"
    paths = sorted(step.forcing)
    if not paths:
        return "is replaced"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"is replaced, for a change of {paths[0]}{more}"


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
            hit = _hit(lookup, pool, left, fate(step) if step.op in _ENDING else f"shrinks to {counted(left, 'slice')}")
            key = (hit.shape, hit.fate, hit.queues, hit.workloads)
            alike[key] = _together(alike[key], hit) if key in alike else hit
    return sorted(alike.values(), key=lambda each: each.pools)


def _left(step: Step | None, before: SlicePoolPlan, after: SlicePoolPlan | None) -> int:
    """Slices of a pool that live on."""
    if step is None:
        return before.slices
    if step.op in _ENDING:
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
        workloads=tuple(sorted({*lookup.held(flavors), *lookup.selecting(pool)})),
    )


class _Lookup:
    """Who holds a flavor, and what may run on its slices."""

    def __init__(self, plan: Plan) -> None:
        self.flavors: dict[str, list[str]] = {}
        """Flavors by pool."""
        self.queues: dict[str, list[str]] = {}
        """ClusterQueues by flavor."""
        self._runs: dict[str, list[str]] = {}
        self._alone: list[TpuRunPlan] = []
        """Runs of no flavor, which select their nodes themselves."""
        for flavor in plan.flavors:
            for pool in flavor.pools:
                self.flavors.setdefault(pool, []).append(flavor.name)
        for queue in plan.queues:
            for share in (each for each in queue.flavors if each.chips or borrows(queue, each)):
                self.queues.setdefault(share.name, []).append(queue.name)
        for run in plan.tpu_runs:
            self._take(run)

    def _take(self, run: TpuRunPlan) -> None:
        for flavor in run.flavors:
            self._runs.setdefault(flavor, []).append(_called(run))
        if not run.flavors and run.node_selector:
            self._alone.append(run)

    def held(self, flavors: Iterable[str]) -> Iterator[str]:
        """Runs whose queue has one of the flavors."""
        for flavor in flavors:
            yield from self._runs.get(flavor, ())

    def selecting(self, pool: SlicePoolPlan) -> Iterator[str]:
        """Runs of no flavor whose own selector fits the pool."""
        return (_called(run) for run in self._alone if run.node_selector.items() <= pool.labels.items())


def _called(run: TpuRunPlan) -> str:
    return f"{run.namespace}/{run.name}"
