"""The pods of workloads by what they run on: hosts of slices, or ordinary nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from components.model import names
from components.model.facts import pathways, ray
from components.model.plan.pods import PodPlan
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    PathwaysPlan,
    RayPlan,
    RedisPlan,
    ReplicatedJobPlan,
    TpuJobPlan,
    TpuRunPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.plan.workloads import HeadedRun, WorkloadPlan


class PodGroupPlan(Struct, frozen=True, kw_only=True):
    """Equal pods of a workload."""

    work: WorkloadPlan | ReplicatedJobPlan
    """The workload; the replicated job for pods beside slices."""
    pod: PodPlan
    count: int
    """How many of them run at once."""
    containers: tuple[str, ...]
    """Names of the containers beside those that the user adds."""
    is_on_slices: bool = False
    """Whether each is on a host of a slice; else they are on ordinary nodes."""
    is_on_host_network: bool = False
    node_selector: Mapping[str, str] = field(default_factory=dict["str", "str"])

    @property
    def flavors(self) -> tuple[str, ...]:
        """The flavors that their slices may be of; none for pods on ordinary nodes."""
        return self.work.flavors if self.is_on_slices and isinstance(self.work, TpuRunPlan) else ()


def pod_groups(work: WorkloadPlan) -> Iterator[PodGroupPlan]:
    """The pods of a workload, those that lead it first and those beside its slices last."""
    match work:
        case PathwaysPlan():
            servers = (pathways.MANAGER_CONTAINER, pathways.PROXY_CONTAINER)
            yield _head(work, (names.CONTAINER, *servers))
            yield _hosts(work, work.worker_pod, pathways.WORKER_CONTAINER)
        case RayPlan():
            yield _head(work, (ray.HEAD_CONTAINER,))
            yield _hosts(work, work.pod, ray.WORKER_CONTAINER)
        case JobSetPlan():
            yield _hosts(work, work.pod, names.CONTAINER)
            yield from map(_plain, work.replicated_jobs)
        case TpuJobPlan():
            yield _hosts(work, work.pod, names.CONTAINER)
        case BatchJobPlan():
            yield _plain(work)
        case RedisPlan():
            pod = PodPlan(place=work.place, requests=work.requests, mounts=work.mounts)
            yield PodGroupPlan(work=work, pod=pod, count=1, containers=(names.REDIS_CONTAINER,))


def _head(work: HeadedRun, containers: tuple[str, ...]) -> PodGroupPlan:
    return PodGroupPlan(
        work=work,
        pod=work.head.pod,
        count=1,
        containers=containers,
        is_on_host_network=work.is_on_host_network,
        node_selector=work.head.node_selector,
    )


def _hosts(work: JobSetPlan | TpuJobPlan | HeadedRun, pod: PodPlan, container: str) -> PodGroupPlan:
    return PodGroupPlan(
        work=work,
        pod=pod,
        count=work.slices * work.hosts,
        containers=(container,),
        is_on_slices=True,
        is_on_host_network=work.is_on_host_network,
        node_selector=work.node_selector,
    )


def _plain(work: BatchJobPlan | ReplicatedJobPlan) -> PodGroupPlan:
    return PodGroupPlan(
        work=work, pod=work.pod, count=work.pods, containers=(names.TASK_CONTAINER,), node_selector=work.node_selector
    )
