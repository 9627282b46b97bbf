"""Who may be preempted: by work that waits and may claim more after a change, by new runs, and by who lost its nodes.

Which work it is, Kueue or the scheduler decides when it comes to it, so nothing here is certain. Kueue evicts no
admitted work because of a lower quota: only work that waits, and that the queue's `preemption` lets have what others
hold, evicts them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import gke, kinds
from components.model.plan.workloads import TpuRunPlan
from components.model.rules.cohort import roots
from components.model.running import State
from policies.report.endings import Cause, Fate
from policies.report.events import Op
from policies.report.running import OWNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.plan import Plan
    from components.model.plan.queues import QueuePlan
    from components.model.running import Work
    from policies.report.causes import Diff

_RULES: Final = (kinds.CLUSTER_QUEUE, kinds.COHORT, kinds.WORKLOAD_PRIORITY, kinds.LOCAL_QUEUE, kinds.RELEASE)
"""What decides who gets which quota; a release has `fair_sharing`."""


class _Claim(Struct, frozen=True, kw_only=True):
    """Work that asks for quota after the change."""

    title: str
    key: tuple[str, str]
    """Namespace and name, which a preempted piece of work must not have."""
    queue: str
    chips: int
    priority: int
    freed: int = 0
    """Chips that the run held which it takes the place of."""


def preempted(diff: Diff) -> Iterator[Cause]:
    """Work that others may displace after the change."""
    if diff.after is None:
        return
    contest = _Contest(diff, diff.after.plan)
    for claim in contest.unmet(list(_claims(diff, diff.after.plan))):
        because = f"{claim.title} may claim its quota"
        yield Cause(
            fate=Fate.PREEMPTED,
            because=because,
            hits=lambda work, claim=claim: contest.may_take(claim, work),
            is_certain=False,
        )
    yield from _displaced(diff)


def _claims(diff: Diff, plan: Plan) -> Iterator[_Claim]:
    if _is_contest_new(diff):
        for work in diff.work:
            if work.state is State.WAITS and work.queue:
                yield _Claim(
                    title=work.title,
                    key=(work.namespace, work.name),
                    queue=work.queue,
                    chips=work.chips,
                    priority=work.priority,
                )
    behind: dict[tuple[str, str | None], str] = {
        (local.namespace, local.name): queue.name for queue in plan.queues for local in queue.local_queues
    }
    values: dict[str | None, int] = {each.name: each.value for each in plan.priorities}
    for run in plan.runs:
        step = diff.preview.steps.get(run.place.origin)
        queue = behind.get((run.namespace, run.queue))
        if step is not None and step.op in (Op.CREATE, Op.REPLACE) and queue is not None:
            yield _Claim(
                title=f"the new run {run.namespace}/{run.name}",
                key=(run.namespace, run.name),
                queue=queue,
                chips=run.chips if isinstance(run, TpuRunPlan) else 0,
                priority=values.get(run.priority, 0),
                freed=_held(diff, run.place.origin),
            )


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
        seen.object.kind in (*_RULES, *OWNING) and (step := steps.get(urn)) is not None and step.op is not Op.SAME
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
        self._used: dict[tuple[str, str], int] = {}
        for work in diff.work:
            for flavor in work.flavors if work.state is not State.WAITS else ():
                at = (work.queue, flavor)
                self._used[at] = self._used.get(at, 0) + work.chips

    def unmet(self, claims: list[_Claim]) -> list[_Claim]:
        """The claims that quota can meet at all, but not all of them with what is free."""
        possible = [claim for claim in claims if any(claim.chips <= most for most, _ in self._room(claim))]
        wanted: dict[str, int] = {}
        for claim in possible:
            root = self._root(claim.queue) or claim.queue
            wanted[root] = wanted.get(root, 0) + claim.chips - claim.freed
        return [
            claim
            for claim in possible
            if not any(wanted[self._root(claim.queue) or claim.queue] <= free for _, free in self._room(claim))
        ]

    def _room(self, claim: _Claim) -> Iterator[tuple[int, int]]:
        """For each flavor of a claim's queue, the most chips that it can have and those that it can have at once."""
        queue = self._queues.get(claim.queue)
        for share in () if queue is None else queue.flavors:
            others = [each for each in self._queues if self._root(each) == self._root(claim.queue) is not None]
            near = {claim.queue, *others}
            every = sum(self._quota.get((name, share.name), 0) for name in near)
            used = sum(self._used.get((name, share.name), 0) for name in near)
            most = every if share.borrow is None or not others else min(every, share.chips + share.borrow)
            own = self._used.get((claim.queue, share.name), 0) - claim.freed
            yield most, min(every - used, most - own)

    def may_take(self, claim: _Claim, work: Work) -> bool:
        """Whether work that asks may have what this piece of work holds."""
        mine, other = self._queues.get(claim.queue), work.queue
        if mine is None or mine.stop is not None or not other or claim.key == (work.namespace, work.name):
            return False
        contested = {share.name for share in mine.flavors}.intersection(work.flavors)
        if not contested:
            return False
        if other == mine.name:
            return self._allows(mine.within_cluster_queue, claim, work)
        if self._root(mine.name) is None or self._root(mine.name) != self._root(other):
            return False
        if not any(self._used.get((other, flavor), 0) > self._quota.get((other, flavor), 0) for flavor in contested):
            return False
        if self._allows(mine.borrow_within_cohort, claim, work):
            return True
        is_own = self._is_fair or any(
            self._used.get((mine.name, flavor), 0) + claim.chips <= self._quota.get((mine.name, flavor), 0)
            for flavor in contested
        )
        return is_own and self._allows(mine.reclaim_within_cohort, claim, work)

    def _allows(self, policy: str, claim: _Claim, work: Work) -> bool:
        """Whether a policy of preemption lets the one have what the other holds; of equals the newer one goes."""
        if policy in ("Never", "Any") or self._has_new_priorities:
            return policy != "Never"
        is_equal = policy == "LowerOrNewerEqualPriority" and work.priority == claim.priority
        return is_equal or work.priority < claim.priority

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
