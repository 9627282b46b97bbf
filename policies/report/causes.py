"""What in a change hits work: one function for each kind of cause, in the table `CAUSES`.

What Kueue and JobSet do is from Kueue 0.19 and JobSet 0.12, and `make test-endings` watches it: a lower quota, another
cohort, a held queue or a removed LocalQueue evicts no admitted work, and a controller that restarts evicts none either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import gke, kinds, versions
from components.model.findings import counted
from policies.report.contention import preempted
from policies.report.endings import Cause, Fate
from policies.report.events import Op
from policies.report.running import OWNING
from policies.report.sides import Sides
from policies.report.stores import KEEP, quota_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.model.facts.kinds import Kind
    from components.model.plan.queues import QueuePlan
    from components.model.running import Work
    from policies.objects.world import Object
    from policies.report.events import Preview, Step
    from policies.report.sides import Side


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
    """What waits in a queue that goes is never admitted; what is admitted keeps its quota."""
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
