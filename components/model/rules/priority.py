"""Rules about priorities and about who may evict whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.queues import QueuePlan

FAMILY: Final = Family.QUOTA

_KUEUE: Final = 'Kueue documentation "Preemption", read 2026-11'


@rule(
    summary="priorities are outside of what Kubernetes keeps for itself",
    why="The API server refuses a PriorityClass with such a name or value.",
    source='Kubernetes documentation "Pod Priority and Preemption", read 2026-11',
)
def priority_is_users(plan: Plan) -> Iterator[Finding]:
    """Checks the priorities of a stack file."""
    for priority in plan.priorities:
        yield from system_priority(priority.name, priority.value, priority.place)


def system_priority(name: str, value: int, place: Place) -> Iterator[Finding]:
    """A name or a value that belongs to the system; `place` is that of the whole PriorityClass."""
    if name.startswith(gke.SYSTEM_PRIORITY_PREFIX):
        yield Finding(
            place=place.at("name"),
            says=f"names that begin with {gke.SYSTEM_PRIORITY_PREFIX} belong to the system.",
            remedy=f"Such as {name.removeprefix(gke.SYSTEM_PRIORITY_PREFIX)}.",
        )
    if value > gke.USER_PRIORITY_MAXIMUM:
        yield Finding(
            place=place.at("value"),
            says=f"{value} is above {gke.USER_PRIORITY_MAXIMUM}; higher values belong to the system.",
            remedy=f"Set {gke.USER_PRIORITY_MAXIMUM} or less.",
        )


def _queue_of(plan: Plan) -> dict[tuple[str, str], QueuePlan]:
    """The ClusterQueue behind each LocalQueue, by namespace and name."""
    return {(local.namespace, local.name): queue for queue in plan.queues for local in queue.local_queues}


def _values_used(plan: Plan) -> dict[str, set[int]]:
    """Priorities of the work that each ClusterQueue gets; no priority counts as 0."""
    queue_of = _queue_of(plan)
    value_of = {priority.name: priority.value for priority in plan.priorities}
    used: dict[str, set[int]] = {}
    for work in plan.runs:
        queue = None if work.queue is None else queue_of.get((work.namespace, work.queue))
        if queue is not None:
            used.setdefault(queue.name, set()).add(0 if work.priority is None else value_of.get(work.priority, 0))
    return used


@rule(
    summary="a queue that evicts lower priorities has priorities to compare",
    why="Where all work has one priority, LowerPriority never evicts any.",
    source=_KUEUE,
    severity=Severity.WARNING,
)
def _preemption_has_a_victim(plan: Plan) -> Iterator[Finding]:
    values = {priority.value for priority in plan.priorities} | {0 for work in plan.runs if work.priority is None}
    for queue in plan.queues:
        if queue.within_cluster_queue == "LowerPriority" and len(values) <= 1:
            yield Finding(
                place=queue.place.at("preemption", "within_cluster_queue"),
                says="LowerPriority evicts nothing: there are no two priorities of different value.",
                remedy="Declare priorities such as {name: normal, value: 1000} and {name: low, value: 100}.",
            )


@rule(
    summary="a queue whose work has several priorities says whether they evict",
    why="Without it Kueue only orders waiting work by priority, and running work keeps its chips.",
    source=_KUEUE,
    severity=Severity.WARNING,
    kinds=(kinds.CLUSTER_QUEUE,),
    needs=(kinds.WORKLOAD_PRIORITY,),
)
def _priorities_preempt(plan: Plan) -> Iterator[Finding]:
    values_of = _values_used(plan)
    for queue in plan.queues:
        values = sorted(values_of.get(queue.name, ()))
        if queue.within_cluster_queue == "Never" and len(values) > 1:
            used, key = listing([str(value) for value in values]), queue.place.display_name("within_cluster_queue")
            yield Finding(
                place=queue.place.at("preemption", "within_cluster_queue"),
                says=f"work of {queue.name} has priorities {used}, but nothing is evicted in it.",
                remedy=f"Set {key}: LowerPriority if higher priorities should not wait for lower ones.",
            )


@rule(
    summary="in a queue that evicts by priority every run names one",
    why="A run without a priority has 0, so that every class above it evicts it, whatever the class is called.",
    source='Kueue documentation "Workload Priority Class", read 2026-11',
    severity=Severity.WARNING,
)
def run_states_its_priority(plan: Plan) -> Iterator[Finding]:
    """Checks the workloads of a stack file."""
    queue_of = _queue_of(plan)
    values = {priority.name: priority.value for priority in plan.priorities}
    for work in plan.runs:
        queue = None if work.queue is None else queue_of.get((work.namespace, work.queue))
        if queue is not None and queue.within_cluster_queue != "Never" and work.priority is None:
            yield from missing_priority(values, queue.name, work.place.at("priority"))


def missing_priority(values: Mapping[str, int], queue: str, place: Place) -> Iterator[Finding]:
    """Workloads of all declared priorities evict one without a priority; placed at the priority."""
    if values and min(values.values()) > 0:
        above = [f"{name} ({value})" for name, value in values.items()]
        yield Finding(
            place=place,
            says=f"none, which counts as 0, and runs of {listing(above)} evict it in {queue}.",
            remedy=f"Name one of {listing(list(values))}.",
        )
