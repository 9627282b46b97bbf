"""Rules about what the pods of workloads request beside chips, and whether their queue can ever give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, counted, listing
from components.model.plan.workloads import PathwaysPlan, RayPlan, RunPlan
from components.model.rule import Family, rule
from components.model.rules.reach import Reach
from components.model.rules.workload import Queues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.pod_groups import PodGroupPlan
    from components.model.plan.queues import QueuePlan, ResourcesPlan

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'


@rule(
    "requests-are-covered",
    summary="a queue has quota of every resource that its workloads request, beside chips",
    why="Kueue never admits a workload that requests a resource without quota in its queue.",
    source=_KUEUE,
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _requests_are_covered(plan: Plan) -> Iterator[Finding]:
    queues = Queues(plan)
    slices = {flavor.name: flavor.labels for flavor in plan.flavors}
    nodes = {flavor.name: flavor.labels for flavor in plan.node_flavors}
    for group, work in _requesting(plan):
        queue = queues.of(work)
        if queue is None or not queue.shares:
            continue
        of_slices = slices.get(next(iter(group.flavors), ""), {}) if group.is_on_slices else None
        shares = [share for share in queue.resources if _reaches(nodes.get(share.name, {}), of_slices)]
        covered = list(dict.fromkeys(name for share in shares for name in share.quotas))
        missing = [name for name in group.pod.all_requests if name not in (*covered, gke.RESOURCE_TPU)]
        if missing:
            of = "the job" if of_slices is None else "the workload"
            flavor = "a flavor" if of_slices is None else "a flavor without labels"
            yield Finding(
                place=_asked(group, missing[0]),
                says=f"{queue.name} has no quota of {listing(missing)}; {of} would wait for ever.",
                remedy=f"Add it to resources of {flavor} of {queue.name}, or do not ask for it. "
                f"Covered: {listing(covered)}.",
            )


def _requesting(plan: Plan) -> Iterator[tuple[PodGroupPlan, RunPlan]]:
    """The pods of runs; those that lead a run have rules of their own."""
    for group in plan.pod_groups:
        is_head = isinstance(group.work, (PathwaysPlan, RayPlan)) and not group.is_on_slices
        if isinstance(group.work, RunPlan) and not is_head:
            yield group, group.work


def _reaches(labels: Mapping[str, str], of_slices: Mapping[str, str] | None) -> bool:
    """Whether pods may select nodes with these labels: on slices, Kueue adds them to the selector of the slice."""
    return of_slices is None or all(of_slices.get(key) == value for key, value in labels.items())


def _asked(group: PodGroupPlan, resource: str) -> Place:
    if resource == gke.RESOURCE_GPU:
        return group.work.place.at("gpu")
    of_sidecar = (each.place for each in group.pod.sidecars if resource in each.requests)
    above = group.work.place if resource in group.pod.requests else next(of_sidecar, group.work.place)
    return above.at("resources", resource)


@rule(
    "requests-can-ever-fit",
    summary="all pods of a workload fit into the quota of one flavor, with all that they request beside chips",
    why="They start together or not at all, so the job would wait for ever.",
    source=_KUEUE,
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _requests_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    queues, reach = Queues(plan), Reach(plan)
    labels = {flavor.name: flavor.labels for flavor in (*plan.node_flavors, *plan.flavors)}
    for group, work in _requesting(plan):
        queue = queues.of(work)
        if queue is None:
            continue
        for shares in _alternatives(queue, group, labels):
            short = _shortest(group, shares, queue, reach)
            if short is not None:
                resource, most = short
                one = group.pod.all_requests[resource]
                yield Finding(
                    place=_asked(group, resource),
                    says=f"{counted(group.count, 'pod')} with {one} of {resource} take {one.times(group.count)}, "
                    f"but {queue.name} has {most}; the job would wait for ever.",
                    remedy=_fewer(group, one, most),
                )


def _alternatives(
    queue: QueuePlan, group: PodGroupPlan, labels: Mapping[str, Mapping[str, str]]
) -> Iterator[Sequence[ResourcesPlan]]:
    """Flavors that Kueue chooses among for the same resources, without those whose nodes the pods do not select."""
    found: dict[tuple[str, ...], list[ResourcesPlan]] = {}
    for share in queue.resources:
        of_nodes = labels.get(share.name, {})
        if all(of_nodes.get(key, value) == value for key, value in group.node_selector.items()):
            found.setdefault(tuple(share.quotas), []).append(share)
    yield from found.values()


def _shortest(
    group: PodGroupPlan, shares: Sequence[ResourcesPlan], queue: QueuePlan, reach: Reach
) -> tuple[str, Quantity] | None:
    """The resource that the best of the flavors has too little of, and how much there can be; None if all fits."""
    lacks: list[tuple[str, Quantity]] = []
    requests = group.pod.all_requests
    for share in shares:
        asked = [name for name in share.quotas if name in requests]
        short = [
            (name, Quantity(reach.milli(queue, share, name), share.quotas[name].is_binary))
            for name in asked
            if requests[name].milli * group.count > reach.milli(queue, share, name)
        ]
        if not short:
            return None
        lacks += short[:1]
    return lacks[0] if lacks else None


def _fewer(group: PodGroupPlan, one: Quantity, most: Quantity) -> str:
    pods = 0 if group.is_on_slices else most.milli // one.milli
    raised = f"raise the quota to {one.times(group.count)}"
    return f"Ask for {counted(pods, 'pod')} or fewer, or {raised}." if pods else f"{raised[0].upper()}{raised[1:]}."


REQUEST_RULES: Final = (_requests_are_covered, _requests_can_ever_fit)
