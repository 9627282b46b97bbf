"""The plan of the declared runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import gke, plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model import config
    from components.model.findings import Place

_USES_HOSTS: Final[Mapping[plan.ClusterMode, bool]] = {"standard": True, "autopilot": False}
"""Whether pods share their host's network and devices; the one place that knows how a mode shapes a workload."""


def jobset_plan(
    workload: config.JobSet, flavor: plan.FlavorPlan | None, cluster: plan.ClusterPlan, place: Place
) -> plan.JobSetPlan:
    """The run; its numbers are 0 where its flavor does not exist."""
    hosts = 0 if flavor is None else flavor.hosts
    chips_per_slice = 0 if flavor is None else flavor.chips_per_slice
    return plan.JobSetPlan(
        place=place,
        name=workload.name,
        namespace=workload.namespace,
        queue=workload.queue,
        priority=workload.priority,
        flavor=workload.flavor,
        slices=workload.slices,
        hosts=hosts,
        chips_per_host=chips_per_slice // hosts if hosts else 0,
        chips=chips_per_slice * workload.slices,
        node_selector={} if flavor is None else flavor.labels,
        exclusive_topology=gke.LABEL_NODE_POOL if hosts > 1 else None,
        image=workload.image,
        script=workload.script,
        ports=(gke.PORT_TPU_RUNTIME, gke.PORT_MULTISLICE),
        max_restarts=workload.max_restarts,
        is_on_host_network=_USES_HOSTS[cluster.mode],
        is_privileged=_USES_HOSTS[cluster.mode],
    )
