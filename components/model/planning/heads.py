"""The plan of runs that a pod on an ordinary node leads: Pathways and Ray, and the quota that those pods need."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from components.model.facts import gke, pathways, quantities, ray
from components.model.plan.workloads import HeadPlan, PathwaysPlan, RayPlan
from components.model.planning.pods import called, command, pod_plan
from components.model.planning.queueing import amounts
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model import config
    from components.model.places import Place
    from components.model.plan.pods import PodPlan
    from components.model.plan.queues import FlavorPlan
    from components.model.plan.workloads import WorkloadPlan
    from components.model.planning.workloads import Slices

    Amounts = Mapping[str, quantities.Quantity]


def pathways_plan(
    workload: config.Pathways, slices: Slices, flavor: FlavorPlan | None, place: Place, *, is_on_host_network: bool
) -> PathwaysPlan:
    """The program, its head and its workers; `flavor` is the first of its flavors."""
    server, proxy = amounts(workload.head.server), amounts(workload.head.proxy)
    at = called(place, workload.script)
    pod = pod_plan(workload, at)
    requests = summed((pod.all_requests, server, proxy))
    return plan_from(
        PathwaysPlan,
        workload,
        place=at,
        command=command(workload.script, workload.command),
        args=None,
        pod=pod,
        **slices,
        lists_flavors=workload.flavors is not None,
        ports=(pathways.PORT_WORKER, pathways.PORT_WORKER_STATUS, gke.PORT_TPU_RUNTIME, gke.PORT_MULTISLICE),
        is_privileged=False,
        head=_head(workload.head.pool, pod, requests, requests, place.at("head")),
        exclusive_topology=None if flavor is None else flavor.exclusive_topology,
        server_image=f"{pathways.SERVER_REPOSITORY}:{workload.version}",
        proxy_image=f"{pathways.PROXY_REPOSITORY}:{workload.version}",
        server=server,
        proxy=proxy,
        machine_type="" if flavor is None else flavor.machine_type,
        instance_type="" if flavor is None else pathways.instance_type(flavor.machine_type, flavor.topology),
        is_on_host_network=is_on_host_network,
    )


def ray_plan(workload: config.Ray, slices: Slices, place: Place) -> RayPlan:
    """The RayJob; Kueue counts the pod that submits the program beside the head."""
    at = called(place, workload.script)
    pod = pod_plan(workload, at)
    of_head = at.with_key_names(**{**dict(at.aliases), "resources": ("head", "resources")})
    head = replace(pod, place=of_head, requests=amounts(workload.head.resources))
    return plan_from(
        RayPlan,
        workload,
        place=at,
        command=command(workload.script, workload.command),
        args=None,
        pod=pod,
        **slices,
        lists_flavors=workload.flavors is not None,
        ports=(),
        is_privileged=False,
        is_on_host_network=False,
        head=_head(
            workload.head.pool,
            head,
            summed((head.all_requests,)),
            summed((head.all_requests, amounts(ray.SUBMITTER_REQUESTS))),
            place.at("head"),
        ),
    )


def _head(pool: str | None, pod: PodPlan, requests: Amounts, quota: Amounts, place: Place) -> HeadPlan:
    return HeadPlan(
        place=place,
        pool=pool,
        node_selector={} if pool is None else {gke.LABEL_NODE_POOL: pool},
        pod=pod,
        requests=requests,
        quota=quota,
    )


def summed(parts: Iterable[Amounts]) -> dict[str, quantities.Quantity]:
    """All amounts together, by resource, in the order in which queues list them."""
    totals: dict[str, quantities.Quantity] = {}
    for part in parts:
        for name, amount in part.items():
            totals[name] = totals[name].plus(amount) if name in totals else amount
    return amounts({name: str(amount) for name, amount in totals.items()})


class HeadQuota(Struct, frozen=True, kw_only=True):
    """The quota of ordinary resources that declared heads need."""

    node_flavors: frozenset[str]
    """Names of the flavors of ordinary resources."""
    by_local_queue: Mapping[tuple[str, str], Amounts]
    """The quota of all heads that are submitted to a LocalQueue, by its namespace and name."""

    def of(self, queue: config.Queue) -> dict[str, quantities.Quantity]:
        """The quota of all heads that are submitted to the queue."""
        locals_of = ((local.namespace, local.name) for local in queue.local_queues)
        return summed(self.by_local_queue[each] for each in locals_of if each in self.by_local_queue)


def head_quota(node_flavors: Iterable[str], runs: Iterable[WorkloadPlan]) -> HeadQuota:
    """The quota of the heads among the runs."""
    found: defaultdict[tuple[str, str], list[Amounts]] = defaultdict(list)
    for run in runs:
        if isinstance(run, (PathwaysPlan, RayPlan)) and run.queue is not None:
            found[run.namespace, run.queue].append(run.head.quota)
    return HeadQuota(
        node_flavors=frozenset(node_flavors), by_local_queue={each: summed(parts) for each, parts in found.items()}
    )
