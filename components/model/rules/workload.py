"""Rules about workloads and queues: whether a run can ever be admitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity, counted, did_you_mean, listing, unlisted
from components.model.plan.workloads import JobSetPlan, RunPlan, TpuRunPlan
from components.model.rule import Family, rule
from components.model.rules.cohort import Reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.queues import FlavorPlan, QueueFlavorPlan, QueuePlan

FAMILY: Final = Family.QUOTA

_KUEUE: Final = 'Kueue documentation "Run A JobSet", read 2026-11'


class Queues:
    """The ClusterQueue behind each LocalQueue."""

    def __init__(self, plan: Plan) -> None:
        """Looks through the plan once."""
        self.by_local = {(local.namespace, local.name): queue for queue in plan.queues for local in queue.local_queues}

    def of(self, work: RunPlan) -> QueuePlan | None:
        """The ClusterQueue that the run is submitted to; None where there is none."""
        return None if work.queue is None else self.by_local.get((work.namespace, work.queue))


@rule(
    summary="a workload's queue is a local queue of its namespace",
    why="Kueue leaves it suspended for ever.",
    source=_KUEUE,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _workload_queue_exists(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan).by_local
    for work in plan.queued if plan.controllers.kueue is not None else ():
        if work.queue is None or (work.namespace, work.queue) in queues:
            continue
        here = [name for namespace, name in queues if namespace == work.namespace]
        elsewhere = [namespace for namespace, name in queues if name == work.queue]
        hint = f"There is one in {listing(elsewhere)}. " if elsewhere else did_you_mean(work.queue, here)
        yield Finding(
            place=work.place.at("queue"),
            says=f"no local queue of namespace {work.namespace} is named {work.queue}.",
            remedy=f"{hint}Local queues of {work.namespace}: {listing(here)}.",
        )


@rule(
    summary="where there is Kueue, runs are queued",
    why="A run without a queue starts at once, on nodes that quotas have promised to others.",
    source=_KUEUE,
    severity=Severity.WARNING,
    kinds=(kinds.JOBSET, kinds.JOB),
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _workload_has_a_queue(plan: Plan) -> Iterator[Finding]:
    here: dict[str, list[str]] = {}
    for queue in plan.queues:
        for local in queue.local_queues:
            here.setdefault(local.namespace, []).append(local.name)
    for work in plan.runs if plan.controllers.kueue is not None else ():
        if work.queue is None and work.compute_class is None:
            yield Finding(
                place=work.place.at("queue"),
                says=f"{work.name} has no queue, so it takes its nodes outside of every quota.",
                remedy=f"Name one. Local queues of {work.namespace}: {listing(here.get(work.namespace, []))}.",
            )


@rule(
    summary="a workload's priority is declared",
    why="Kueue creates no Workload for it; it stays suspended, and only Kueue's own log says why.",
    source='Kueue documentation "Workload Priority Class", read 2026-11',
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.WORKLOAD_PRIORITY,),
)
def _workload_priority_exists(plan: Plan) -> Iterator[Finding]:
    known = [priority.name for priority in plan.priorities]
    names = set(known)
    for work in plan.queued:
        if work.priority is not None and work.priority not in names:
            yield unlisted(work.place.at("priority"), "priority", work.priority, known, "Priorities")


def _flavors(work: TpuRunPlan) -> Iterator[tuple[str, Place]]:
    """The flavors of a run, each with its place."""
    is_list = isinstance(work, JobSetPlan) and work.lists_flavors
    for index, name in enumerate(work.flavors):
        yield name, work.place.at("flavors", index) if is_list else work.place.at("flavor")


@rule(
    summary="a workload's flavors are among its queue's",
    why="Its pods select nodes of the flavor, so no other quota of the queue can admit it.",
    source=_KUEUE,
)
def _workload_flavor_in_queue(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan)
    known = [flavor.name for flavor in plan.flavors]
    for work in plan.tpu_runs:
        queue = queues.of(work)
        held = known if queue is None else [share.name for share in queue.flavors]
        for name, place in _flavors(work):
            if name not in known:
                says, hint = f"no flavor is named {name}.", did_you_mean(name, held)
            elif name not in held and set(held) <= set(known):
                says, hint = f"{work.queue} leads to no quota of {name}.", ""
            else:
                continue
            yield Finding(place=place, says=says, remedy=f"{hint}Flavors it can use: {listing(held)}.")


@rule(
    summary="flavors that a run may take have slices of one shape, and a queue to pick from them",
    why="A run has one number of hosts, each with one number of chips, and Kueue tells its pods which nodes to select.",
    source="components/manifests/job.py",
    family=Family.TOPOLOGY,
)
def _workload_flavors_agree(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        if len(work.flavors) <= 1:
            continue
        if work.queue is None:
            yield Finding(
                place=work.place.at("flavors"),
                says=f"{work.name} has no queue, so nothing picks one of its flavors.",
                remedy="Name a queue, or one flavor.",
            )
        first = flavors.get(work.first_flavor)
        for name, place in _flavors(work):
            flavor = flavors.get(name)
            if first is None or flavor is None or _hosts(first) == _hosts(flavor):
                continue
            yield Finding(
                place=place,
                says=f"slices of {name} are {_hosts(flavor)}, those of {first.name} {_hosts(first)}.",
                remedy=f"Keep flavors of {_hosts(first)}.",
            )


def _hosts(flavor: FlavorPlan) -> str:
    hosts = flavor.hosts
    chips = flavor.chips_per_slice // hosts if hosts else 0
    return f"{counted(hosts, 'host')} of {chips} chips"


@rule(
    summary="a workload requests no more chips than its queue or its pools can ever have",
    why="It would wait for ever, and under StrictFIFO everything behind it too.",
    source=_KUEUE,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _workload_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    if not plan.has_whole_ledger:
        return
    queues, reach = Queues(plan), Reach(plan)
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        queue = queues.of(work)
        if queue is not None:
            yield from _beyond_quota(work, queue, reach)
        elif work.queue is None:
            yield from _beyond_pools(plan, work, flavors)


def _beyond_quota(work: TpuRunPlan, queue: QueuePlan, reach: Reach) -> Iterator[Finding]:
    shares = [share for share in queue.flavors if share.name in work.flavors and share.chips]
    if not shares or any(work.chips <= reach.chips(queue, share) for share in shares):
        return
    share = max(shares, key=lambda each: reach.chips(queue, each))
    borrowed = reach.borrowable(queue, share)
    also = f" and can borrow {borrowed}" if queue.cohort is not None else ""
    yield Finding(
        place=work.place.at(*_size(work)),
        says=f"{counted(work.slices, 'slice')} of {share.name} are {work.chips} chips, but {queue.name} has "
        f"{share.chips}{also}; {_never(queue)}",
        remedy=_fitting(work, share, share.chips + borrowed),
    )


def _beyond_pools(plan: Plan, work: TpuRunPlan, flavors: Mapping[str, FlavorPlan]) -> Iterator[Finding]:
    flavor = flavors.get(work.first_flavor)
    if flavor is None or not flavor.pools or work.chips <= flavor.chips or plan.makes_nodes_of(flavor):
        return
    yield Finding(
        place=work.place.at(*_size(work)),
        says=f"{counted(work.slices, 'slice')} of {flavor.name} are {work.chips} chips, but its pools have "
        f"{flavor.chips}; it would wait for ever.",
        remedy=f"Ask for {counted(flavor.chips // flavor.chips_per_slice, 'slice')} or fewer, or declare "
        f"{counted(work.slices, 'slice')}.",
    )


def _size(work: TpuRunPlan) -> tuple[str, ...]:
    return ("slices",) if isinstance(work, JobSetPlan) else ("flavor",)


def _never(queue: QueuePlan) -> str:
    behind = ", and so would everything behind it" if queue.strategy == "StrictFIFO" else ""
    return f"it would wait for ever{behind}."


def _fitting(work: TpuRunPlan, share: QueueFlavorPlan, reachable: int) -> str:
    """Fewer slices, or the larger quota: which is stated, or follows from the slices that are declared."""
    most = reachable * work.slices // work.chips
    more = f"declare {counted(work.slices, 'slice')}" if share.is_derived else f"raise the quota to {work.chips}"
    return f"Ask for {counted(most, 'slice')} or fewer, or {more}." if most else f"{more[0].upper()}{more[1:]}."
