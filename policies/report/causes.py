"""The causes in a change that hit work, and what they come to: for each piece of work the gravest.

There is one function for each kind of cause, in the table `CAUSES`. What Kueue and JobSet do is from Kueue 0.19 and
JobSet 0.12, and `make test-endings` watches it: a lower quota, another cohort, a held queue or a removed LocalQueue
evicts no admitted work, and a controller that restarts evicts none either.

Which work is preempted, by work that waits and may claim more after a change, by new runs, or by who lost its nodes,
Kueue or the scheduler decides when it comes to it, so nothing of that is certain. Kueue evicts no admitted work because
of a lower quota: only work that waits, and that the queue's `preemption` lets have what others hold, evicts them.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import gke, kinds, versions
from components.model.findings import counted
from components.model.rules.cohort import roots
from components.model.running import State, Work
from policies.report.events import Op, Preview, Step
from policies.report.ledger import KEEP, quota_back
from policies.report.running import OWNING, declared
from policies.report.sides import Side, Sides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from components.model.facts.kinds import Kind
    from components.model.plan import Plan
    from components.model.plan.queues import QueuePlan
    from policies.objects.world import Object


_HAS_PODS: Final = (State.RUNS, State.UNKNOWN)
_IN_QUEUE: Final = (State.WAITS, State.RESERVES)
_LIVES: Final = (*_HAS_PODS, *_IN_QUEUE)


class _Fate(Struct, frozen=True):
    text: str
    states: tuple[State, ...]
    """To work in which states it can happen."""
    is_end: bool = True
    """Whether pods end, or work goes; else it only does not get on."""
    is_of_object: bool = False
    """Whether it happens to the object, whatever that does."""


class Fate(Enum):
    """The fates of work; the gravest first."""

    DELETED = _Fate("is deleted", _LIVES, is_of_object=True)
    AGAIN = _Fate(
        "is stopped and runs again from its beginning, even if it had finished",
        (*_LIVES, State.FINISHED),
        is_of_object=True,
    )
    NODES = _Fate("loses its nodes", _HAS_PODS)
    EVICTED = _Fate("is evicted and waits in its queue", _HAS_PODS)
    PREEMPTED = _Fate("is preempted", _HAS_PODS)
    RESTARTED = _Fate("gets new pods", _HAS_PODS)
    RESERVATION = _Fate("loses the quota that it holds, and waits in its queue", (State.RESERVES,))
    STRANDED = _Fate("waits for ever", _IN_QUEUE, is_end=False)
    UNTENDED = _Fate("goes on, and nobody restarts it", (*_LIVES,), is_end=False)
    DATA = _Fate("loses what it mounts", _HAS_PODS, is_end=False)

    @property
    def text(self) -> str:
        """The clause that follows the work's name."""
        return self.value.text


_GRAVITY: Final = tuple(Fate)


class Cause(Struct, frozen=True, kw_only=True):
    """Something in a change that hits work."""

    fate: Fate
    because: str
    """A clause, such as "the node pool v5e2 is deleted"."""
    hits: Callable[[Work], bool]
    is_certain: bool = True
    """Whether it hits all of them; else the cloud or a controller chooses."""


class Ending(Struct, frozen=True, kw_only=True):
    """The fate of one piece of work."""

    work: Work
    fate: Fate
    because: str
    is_certain: bool
    is_declared: bool
    """Whether the stack made it."""


def endings_of(work: Iterable[tuple[Work, bool]], causes: Iterable[Cause]) -> Iterator[Ending]:
    """The gravest ending of each piece of work, certain ones first; nothing for work that no cause hits.

    Args:
        work: each piece, and whether the stack declares it.
        causes: of the change.
    """
    every = tuple(causes)
    for each, is_declared in work:
        found = [ending for cause in every if (ending := _ending(each, cause, is_declared=is_declared)) is not None]
        if found:
            yield min(found, key=lambda one: (not (one.is_certain and one.fate.value.is_end), _GRAVITY.index(one.fate)))


def _ending(work: Work, cause: Cause, *, is_declared: bool) -> Ending | None:
    fate = cause.fate.value
    if work.state not in fate.states or not cause.hits(work):
        return None
    is_certain = cause.is_certain and (fate.is_of_object or work.state is not State.UNKNOWN)
    return Ending(work=work, fate=cause.fate, because=cause.because, is_certain=is_certain, is_declared=is_declared)


_QUOTA_SETTINGS: Final = (kinds.CLUSTER_QUEUE, kinds.COHORT, kinds.WORKLOAD_PRIORITY, kinds.LOCAL_QUEUE, kinds.RELEASE)
"""Kinds with settings that decide who gets which quota; a release has `fair_sharing`."""


class _Claim(Struct, frozen=True):
    """Work that asks for quota after the change."""

    title: str
    work: Work
    freed: int = 0
    """Chips that the run held which it takes the place of."""


def preempted(diff: Diff) -> Iterator[Cause]:
    """Work that others may displace after the change."""
    if diff.after is None:
        return
    contest = _Contest(diff, diff.after.plan)
    for claim in contest.unmet(list(_claims(diff, diff.after))):
        because = f"{claim.title} may claim its quota"
        yield Cause(
            fate=Fate.PREEMPTED,
            because=because,
            hits=lambda work, claim=claim: contest.may_take(claim, work),
            is_certain=False,
        )
    yield from _displaced(diff)


def _claims(diff: Diff, after: Side) -> Iterator[_Claim]:
    if _is_contest_new(diff):
        yield from (_Claim(work.title, work) for work in diff.work if work.state is State.WAITS and work.queue)
    for urn, work in declared(after).items():
        step = diff.preview.steps.get(urn)
        if step is not None and step.op in (Op.CREATE, Op.REPLACE) and work.queue:
            yield _Claim(f"the new run {work.namespace}/{work.name}", work, freed=_held(diff, urn))


def _held(diff: Diff, urn: str) -> int:
    """Chips of the quota that a declared run holds now."""
    seen = diff.before.named.get(urn)
    if seen is None:
        return 0
    key = (seen.object.kind.name, seen.object.namespace or gke.DEFAULT_NAMESPACE, seen.object.name)
    return sum(each.chips for each in diff.work if (each.kind, each.namespace, each.name) == key and each.flavors)


def _is_contest_new(diff: Diff) -> bool:
    """Whether the change decides anew who gets which quota, or frees some by ending a declared run."""
    steps = diff.preview.steps
    sides = [diff.before, *([] if diff.after is None else [diff.after])]
    return any(
        seen.object.kind in (*_QUOTA_SETTINGS, *OWNING)
        and (step := steps.get(urn)) is not None
        and step.op is not Op.SAME
        for side in sides
        for urn, seen in side.named.items()
    )


class _Contest:
    """Who may take quota from whom, by the queues as they are after the change."""

    def __init__(self, diff: Diff, plan: Plan) -> None:
        self._queues: Mapping[str, QueuePlan] = {queue.name: queue for queue in plan.queues}
        self._roots = roots(plan)
        self._has_new_priorities = any(
            (step := diff.preview.steps.get(urn)) is not None and step.op is not Op.SAME
            for urn, seen in diff.before.named.items()
            if seen.object.kind is kinds.WORKLOAD_PRIORITY
        )
        self._is_fair = plan.controllers.fair_sharing
        self._quota = {(queue.name, share.name): share.chips for queue in plan.queues for share in queue.flavors}
        self._used: Counter[tuple[str, str]] = Counter()
        for work in diff.work:
            for flavor in work.flavors if work.state is not State.WAITS else ():
                self._used[work.queue, flavor] += work.chips

    def unmet(self, claims: list[_Claim]) -> list[_Claim]:
        """The claims that quota can meet at all, but not all of them with what is free."""
        possible = [claim for claim in claims if any(claim.work.chips <= most for most, _ in self._room(claim))]
        wanted: Counter[str] = Counter()
        for claim in possible:
            wanted[self._root(claim.work.queue) or claim.work.queue] += claim.work.chips - claim.freed
        return [
            claim
            for claim in possible
            if max((free for _, free in self._room(claim)), default=0)
            < wanted[self._root(claim.work.queue) or claim.work.queue]
        ]

    def _room(self, claim: _Claim) -> Iterator[tuple[int, int]]:
        """For each flavor of a claim's queue, the most chips that it can have and those that it can have at once."""
        name = claim.work.queue
        queue = self._queues.get(name)
        for share in () if queue is None else queue.flavors:
            others = [each for each in self._queues if self._root(each) == self._root(name) is not None]
            near = {name, *others}
            every = sum(self._quota.get((each, share.name), 0) for each in near)
            used = sum(self._used[each, share.name] for each in near)
            most = every if share.borrow is None or not others else min(every, share.chips + share.borrow)
            own = self._used[name, share.name] - claim.freed
            yield most, min(every - used, most - own)

    def may_take(self, claim: _Claim, work: Work) -> bool:
        """Whether work that asks may have what this piece of work holds."""
        asking, other = claim.work, work.queue
        mine = self._queues.get(asking.queue)
        is_itself = (asking.namespace, asking.name) == (work.namespace, work.name)
        if mine is None or mine.stop is not None or not other or is_itself:
            return False
        contested = {share.name for share in mine.flavors}.intersection(work.flavors)
        if not contested:
            return False
        if other == mine.name:
            return self._allows(mine.within_cluster_queue, asking, work)
        if self._root(mine.name) is None or self._root(mine.name) != self._root(other):
            return False
        if not any(self._used[other, flavor] > self._quota.get((other, flavor), 0) for flavor in contested):
            return False
        if self._allows(mine.borrow_within_cohort, asking, work):
            return True
        is_own = self._is_fair or any(
            self._used[mine.name, flavor] + asking.chips <= self._quota.get((mine.name, flavor), 0)
            for flavor in contested
        )
        return is_own and self._allows(mine.reclaim_within_cohort, asking, work)

    def _allows(self, policy: str, asking: Work, work: Work) -> bool:
        """Whether a policy of preemption lets the one have what the other holds; of equals the newer one goes."""
        if policy in ("Never", "Any") or self._has_new_priorities:
            return policy != "Never"
        is_equal = policy == "LowerOrNewerEqualPriority" and work.priority == asking.priority
        return is_equal or work.priority < asking.priority

    def _root(self, name: str) -> str | None:
        queue = self._queues.get(name)
        cohort = None if queue is None else queue.cohort
        return None if cohort is None else self._roots.get(cohort, cohort)


def _displaced(diff: Diff) -> Iterator[Cause]:
    """The scheduler gives the nodes of less important pods to those that lost theirs."""
    lost = {pool.name for _, pool in diff.going(kinds.NODE_POOL)}
    for work in diff.work:
        others = _alike(diff, work, lost)
        if others:
            yield Cause(
                fate=Fate.PREEMPTED,
                because=f"{work.title} loses its nodes and is more important",
                hits=lambda each, others=others, work=work: (
                    each.priority < work.priority and not others.isdisjoint(each.pools)
                ),
                is_certain=False,
            )


def _alike(diff: Diff, work: Work, lost: set[str]) -> set[str]:
    """The pools that stay, of the flavors of the pools that work loses."""
    mine = lost.intersection(work.pools) if work.state in (State.RUNS, State.UNKNOWN) else set[str]()
    return {
        pool
        for flavor in diff.before.plan.flavors
        if not mine.isdisjoint(flavor.pools)
        for pool in flavor.pools
        if pool not in lost
    }


class Diff(Struct, frozen=True, kw_only=True):
    """A change of a platform that exists."""

    preview: Preview
    before: Side
    after: Side | None
    work: tuple[Work, ...]
    """In the cluster, or declared where the cluster was not asked."""

    def going(self, *wanted: Kind) -> Iterator[tuple[Step, Object]]:
        """The objects of these kinds that do not stay."""
        yield from self._stepped(lambda step: step.ends, wanted)

    def updated(self, *wanted: Kind) -> Iterator[tuple[Step, Object]]:
        """The objects of these kinds that change in place."""
        yield from self._stepped(lambda step: step.op is Op.UPDATE, wanted)

    def _stepped(self, meant: Callable[[Step], bool], wanted: tuple[Kind, ...]) -> Iterator[tuple[Step, Object]]:
        for urn, seen in self.before.named.items():
            step = self.preview.steps.get(urn)
            if step is not None and meant(step) and seen.object.kind in wanted:
                yield step, seen.object


def fate(step: Step) -> str:
    """The fate of a resource that does not stay, and for which property.

    The clause follows the resource's name.
    """
    if step.op is Op.DELETE:
        return "is deleted"
    paths = sorted(step.forcing)
    if not paths:
        return "is replaced"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"is replaced, for a change of {paths[0]}{more}"


def _clusters(diff: Diff) -> Iterator[Cause]:
    for step, cluster in diff.going(kinds.CLUSTER):
        yield Cause(fate=Fate.DELETED, because=f"the cluster {cluster.name} {fate(step)}", hits=lambda _: True)


def _namespaces(diff: Diff) -> Iterator[Cause]:
    for step, namespace in diff.going(kinds.NAMESPACE):
        because = f"the namespace {namespace.name} {fate(step)}"
        yield Cause(fate=Fate.DELETED, because=because, hits=lambda work, name=namespace.name: work.namespace == name)


def _objects(diff: Diff) -> Iterator[Cause]:
    """Declared work that goes, and declared runs that another run replaces."""
    for step, one in diff.going(*OWNING):
        is_same = _same(one)
        meant = Fate.DELETED if step.op is Op.DELETE else Fate.AGAIN
        yield Cause(fate=meant, because=f"it {fate(step)}", hits=is_same)
    for step, one in diff.updated(kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.LEADER_WORKER_SET):
        if any(path.startswith(("spec.template", "spec.leaderWorkerTemplate")) for path in step.changed):
            yield Cause(fate=Fate.RESTARTED, because="its pods are declared differently", hits=_same(one))


def _same(one: Object) -> Callable[[Work], bool]:
    key = (one.kind.name, one.namespace or gke.DEFAULT_NAMESPACE, one.name)
    return lambda work: (work.kind, work.namespace, work.name) == key


def _pools(diff: Diff) -> Iterator[Cause]:
    """Node pools that go, lose nodes or get other nodes."""
    for step, pool in diff.going(kinds.NODE_POOL):
        yield _of_pool(pool.name, fate(step))
    sizes = _sizes(diff.after)
    for urn, (name, before, word) in _sizes(diff.before).items():
        left = sizes.get(urn, (name, before, word))[1]
        step = diff.preview.steps.get(urn)
        if step is not None and step.op is Op.UPDATE and left < before:
            yield _of_pool(name, f"shrinks to {counted(left, word)}", is_certain=left == 0)
    for step, pool in diff.updated(kinds.NODE_POOL):
        if settings := sorted(_of_new_nodes(step)):
            yield _of_pool(pool.name, f"gets new nodes, for a change of {settings[0]}")
        elif any(each.startswith("nodeLocations") for each in step.changed):
            yield _of_pool(pool.name, "leaves a zone, or comes to another", is_certain=False)


def _of_pool(name: str, clause: str, *, is_certain: bool = True) -> Cause:
    return Cause(
        fate=Fate.NODES,
        because=f"the node pool {name} {clause}",
        hits=lambda work: name in work.pools,
        is_certain=is_certain,
    )


def _sizes(side: Side | None) -> dict[str, tuple[str, int, str]]:
    """By URN of a node pool: its name, how much there can be of it, and what that is counted in."""
    if side is None:
        return {}
    slices = {pool.place.origin: (pool.name, pool.slices, "slice") for pool in side.plan.slice_pools}
    nodes = {pool.place.origin: (pool.name, pool.nodes, "node") for pool in side.plan.node_pools}
    return {**slices, **nodes}


def _of_new_nodes(step: Step) -> Iterator[str]:
    """The settings that change and that no live node can get."""
    if step.before is None or step.after is None:
        return
    before, after = step.before.inputs, step.after.inputs
    if before.get("version") != after.get("version"):
        yield "version"
    old: Mapping[str, object] = before.get("nodeConfig", {})
    new: Mapping[str, object] = after.get("nodeConfig", {})
    for key in {*old, *new}.difference(gke.NODE_CONFIG_OF_LIVE_NODES):
        if old.get(key) != new.get(key):
            yield f"nodeConfig.{key}"


def _stopped_queues(diff: Diff) -> Iterator[Cause]:
    """Queues that are drained or held from now on."""
    queues = {} if diff.after is None else {queue.name: queue for queue in diff.after.plan.queues}
    for before in diff.before.plan.queues:
        after = queues.get(before.name)
        if after is not None and after.stop is not None and after.stop != before.stop:
            yield from _stopped(after)


def _stopped(queue: QueuePlan) -> Iterator[Cause]:
    def is_there(work: Work) -> bool:
        return work.queue == queue.name

    if queue.stop == "drain":
        yield Cause(fate=Fate.EVICTED, because=f"the queue {queue.name} drains", hits=is_there)
    yield Cause(fate=Fate.RESERVATION, because=f"the queue {queue.name} is stopped", hits=is_there)


def _removed_queues(diff: Diff) -> Iterator[Cause]:
    """Work that waits in a queue that goes is never admitted; what is admitted keeps its quota."""
    for step, queue in diff.going(kinds.LOCAL_QUEUE):
        if step.op is Op.DELETE:
            key = (queue.namespace, queue.name)
            because = f"its LocalQueue {queue.name} is deleted"
            yield from _without_queue(because, lambda work, key=key: (work.namespace, work.local_queue) == key)
    for step, queue in diff.going(kinds.CLUSTER_QUEUE):
        if step.op is Op.DELETE:
            because = f"its ClusterQueue {queue.name} is deleted"
            yield from _without_queue(because, lambda work, name=queue.name: work.queue == name)


def _without_queue(because: str, hits: Callable[[Work], bool]) -> Iterator[Cause]:
    yield Cause(fate=Fate.RESERVATION, because=because, hits=hits)
    yield Cause(fate=Fate.STRANDED, because=because, hits=hits)


def _controllers(diff: Diff) -> Iterator[Cause]:
    """Releases that go; one that is upgraded or configured anew ends nothing."""
    for step, release in diff.going(kinds.RELEASE):
        if step.op is not Op.DELETE:
            continue
        because = f"the release {release.name} is deleted"
        if release.name == versions.KUEUE.name:
            yield Cause(fate=Fate.STRANDED, because=because, hits=lambda work: bool(work.local_queue))
        if release.name == versions.JOBSET.name:
            yield Cause(fate=Fate.UNTENDED, because=because, hits=lambda work: work.kind == kinds.JOBSET.name)


def _priorities(diff: Diff) -> Iterator[Cause]:
    """Pods keep the priority that they have; Kubernetes makes no new ones of a class that is gone."""
    for step, one in diff.going(kinds.PRIORITY_CLASS):
        if step.op is Op.DELETE:
            because = f"the PriorityClass {one.name} is deleted, without which it gets no new pods"
            yield Cause(
                fate=Fate.UNTENDED, because=because, hits=lambda work, name=one.name: work.priority_class == name
            )


def _storage(diff: Diff) -> Iterator[Cause]:
    for step, claim in diff.going(kinds.CLAIM):
        key = (claim.namespace, claim.name)
        yield Cause(
            fate=Fate.DATA,
            because=f"the claim {claim.name} {fate(step)}",
            hits=lambda work, key=key: any((work.namespace, each) == key for each in work.claims),
        )


def _pods_ready(diff: Diff) -> Iterator[Cause]:
    """Kueue evicts what is not ready within a time, once its configuration says so."""
    change = quota_back(Sides(before=diff.before, after=diff.after))
    if change is not None and change.after not in (KEEP, None):
        yield Cause(
            fate=Fate.EVICTED,
            because=f"Kueue lets work whose pods are not ready {change.after}",
            hits=lambda work: bool(work.local_queue) and not work.is_ready,
            is_certain=False,
        )


def _checks(diff: Diff) -> Iterator[Cause]:
    """A check that a flavor gets must pass for admitted work too."""
    queues = {} if diff.after is None else {queue.name: queue for queue in diff.after.plan.queues}
    for before in diff.before.plan.queues:
        old = {share.name: set(share.admission_checks) for share in before.shares}
        shares = queues[before.name].shares if before.name in queues else ()
        new = {share.name: share.admission_checks for share in shares}
        for flavor, checks in new.items():
            if added := sorted(set(checks) - old.get(flavor, set(checks))):
                yield Cause(
                    fate=Fate.EVICTED,
                    because=f"its flavor {flavor} gets the admission check {added[0]}",
                    hits=lambda work, queue=before.name, flavor=flavor: work.queue == queue and flavor in work.flavors,
                    is_certain=False,
                )


CAUSES: Final[tuple[Callable[[Diff], Iterator[Cause]], ...]] = (
    _clusters,
    _namespaces,
    _objects,
    _pools,
    _stopped_queues,
    _removed_queues,
    _controllers,
    _priorities,
    _storage,
    _pods_ready,
    _checks,
    preempted,
)
