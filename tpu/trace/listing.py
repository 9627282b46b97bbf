"""A record that is made at once from a cluster, for those who have not recorded it.

The API server keeps Workloads as long as their jobs, and of each its last admission and its last eviction; nodes that
are gone are not counted. `tpu record` keeps the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.kubeapi.jobs import CLUSTER_QUEUES, NODES, WORKLOADS, readable
from tpu.trace.capacity import FLAVORS, capacity_of
from tpu.trace.lines import Capacity, Line, Trace, moment
from tpu.trace.surroundings import Surroundings, shown
from tpu.trace.workloads import is_variant, lines_of, needs_pods, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.kubeapi import Api


def listed(api: Api, since: int, team_label: str | None = None) -> Iterator[Line]:
    """The lines of a cluster as it is now.

    Args:
        api: the cluster.
        since: the moment with which the record begins.
        team_label: as `Surroundings` has it.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: it could not be read.
    """
    around = Surroundings(api, team_label)
    yield Trace(at=since, made="from a listing")
    yield from _capacities(api, since)
    for workload in api.items(WORKLOADS):
        if not is_variant(workload):
            ready = started(api, workload) if needs_pods(workload) else None
            yield from lines_of(workload, None, around.view(), None if ready is None else shown(ready))


def _capacities(api: Api, since: int) -> Iterator[Line]:
    """The capacity since each moment at which a node was made; of nodes alone that are there still."""
    flavors, queues, nodes = api.items(FLAVORS), api.items(CLUSTER_QUEUES), readable(api, NODES)
    made = {id(node): shown(moment(node["metadata"]["creationTimestamp"])) for node in nodes or ()}
    for at in sorted({since, *(each for each in made.values() if each > since)}):
        there = None if nodes is None else [node for node in nodes if made[id(node)] <= at]
        yield Capacity(at=at, flavors=capacity_of(flavors, queues, there))
