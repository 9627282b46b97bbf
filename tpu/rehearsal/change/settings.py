"""A recorded week on one platform, as the input of a rehearsal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke
from components.model.findings import counted, listing
from tpu.rehearsal.change.week import Week, flavors_of_chips
from tpu.rehearsal.document import Capacity, Entry, Rehearsal, Stock
from tpu.rehearsal.platform import configuration_of, objects_of
from tpu.trace.arrivals import Arrival, Stay, workload_of
from tpu.trace.reading import TraceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from components.model.plan import Plan

_SHOWN: Final = 6
"""Queues that an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The rehearsed part of a change, and the part that is not."""

    rehearsal: Rehearsal
    absent: frozenset[str]
    """The jobs whose LocalQueue the platform does not have."""
    held: frozenset[str]
    """The jobs that have quota at the start."""
    remarks: tuple[str, ...]


def setting_of(week: Week, plan: Plan) -> Setting:
    """The week on a platform.

    Raises:
        TraceError: the platform has no LocalQueue of the record.
    """
    objects = objects_of(plan)
    there = {_place(each) for each in objects if each["kind"] == "LocalQueue"}
    absent = frozenset(name for name, job in week.jobs.items() if _queue(job) not in there)
    if len(absent) == len(week.jobs):
        asked = {_queue(job) for job in week.jobs.values()}
        raise TraceError(f"it has no LocalQueue of the record, which has {_names(asked)}. It has {_names(there)}.")
    made = [(name, job, _held(week, job, objects)) for name, job in week.jobs.items() if name not in absent]
    held = {name: stay is not None for name, job, stay in made if week.held_at_start(job) is not None}
    lost = len(held) - sum(held.values())
    remark = f"{counted(lost, 'job')}: the stack lacks the quota that it has at the start; it queues again"
    return Setting(
        rehearsal=Rehearsal(
            until=week.seconds,
            configuration=configuration_of(plan),
            objects=objects,
            capacity=_capacity(week, plan),
            eviction=week.eviction,
            workloads=tuple(_entry(week, name, job, stay, objects) for name, job, stay in made),
        ),
        absent=absent,
        held=frozenset(name for name, is_kept in held.items() if is_kept),
        remarks=(remark,) if lost else (),
    )


def _place(queue: Document) -> tuple[str, str]:
    metadata = section(queue, "metadata")
    return str(metadata["namespace"]), str(metadata["name"])


def _queue(job: Arrival) -> tuple[str, str]:
    return job.asked.namespace, job.asked.queue


def _names(queues: Iterable[tuple[str, str]]) -> str:
    names = sorted(map("/".join, queues))
    return listing(names if len(names) <= _SHOWN else [*names[:_SHOWN], f"{len(names) - _SHOWN} more"])


def _capacity(week: Week, plan: Plan) -> tuple[Capacity, ...]:
    """The time until pods run, as recorded; and the chips of the declared pools, where a flavor has some."""
    made = [
        *(
            Capacity(
                flavor=each.name,
                resource=gke.RESOURCE_TPU,
                startup=week.delays.get(each.name, 0),
                stock=(Stock(at=0, amount=each.chips),) if each.pools and each.chips else (),
            )
            for each in plan.flavors
        ),
        *(
            Capacity(flavor=each.name, resource=gke.RESOURCE_GPU, startup=week.delays.get(each.name, 0))
            for each in plan.node_flavors
        ),
    ]
    return tuple(each for each in made if each.startup or each.stock)


def _held(week: Week, job: Arrival, objects: Iterable[Document]) -> Stay | None:
    """The quota that a job has at the start; None where the platform does not have that quota."""
    stay = week.held_at_start(job)
    queue = None if stay is None else _cluster_queue(stay, objects)
    if stay is None or queue is None:
        return None
    offered = {
        (resource["name"], flavor["name"])
        for group in entries(queue, "spec", "resourceGroups")
        for flavor in entries(group, "flavors")
        for resource in entries(flavor, "resources")
    }
    taken = {pair for each in stay.assignments for pair in each.flavors.items()}
    return stay if taken <= offered else None


def _cluster_queue(stay: Stay, objects: Iterable[Document]) -> Document | None:
    found = (each for each in objects if each["kind"] == "ClusterQueue")
    return next((each for each in found if section(each, "metadata")["name"] == stay.queue), None)


def _entry(week: Week, name: str, job: Arrival, held: Stay | None, objects: Iterable[Document]) -> Entry:
    workload = workload_of(job.asked)
    workload["metadata"]["name"] = name.partition("/")[2]
    at, (runs, checkpoint) = week.at(job.asked.at), week.work(job)
    if held is None:
        return Entry(workload=workload, at=at, runs=runs, checkpoint=checkpoint)
    workload["status"] = {"admission": _admission(held), "admissionChecks": _checks(held, objects)}
    return Entry(
        workload=workload,
        at=min(0, at),
        admitted=min(0, max(at, week.at(held.reserved))),
        runs=None if runs is None else runs + week.delay(held),
        checkpoint=checkpoint,
    )


def _admission(stay: Stay) -> Document:
    assigned = [
        {"name": each.name, "count": each.count, "flavors": each.flavors, "resourceUsage": each.usage}
        for each in stay.assignments
    ]
    return {"clusterQueue": stay.queue, "podSetAssignments": assigned}


def _checks(stay: Stay, objects: Iterable[Document]) -> list[Document]:
    """The admission checks that a reservation has passed."""
    strategy = section(_cluster_queue(stay, objects) or {}, "spec", "admissionChecksStrategy")
    flavors = flavors_of_chips(stay)
    asked = [
        each for each in entries(strategy, "admissionChecks") if flavors.intersection(each.get("onFlavors") or flavors)
    ]
    return [{"name": each["name"]} for each in asked]
