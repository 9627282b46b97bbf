"""The autoscalers of all clusters, and the commands that a user has for them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from simulator.cloud.api import Body, Kind, Operation
from simulator.cloud.names import short_name
from simulator.cloud.service import part
from simulator.cloud.stock import Stock, capacity_type
from simulator.scaling.autoscaler import Autoscaler
from simulator.scaling.supply import Group, groups
from simulator.scaling.times import Times, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.kubeapi import Informers
    from simulator.cloud.clock import Clock
    from simulator.cloud.cloud import Cloud


class Scaling:
    """One autoscaler per cluster that runs. Implements `simulator.clusters.fleet.Follower`."""

    def __init__(self, cloud: Cloud, clock: Clock, stock: Stock, times: Times) -> None:
        self._cloud = cloud
        self._clock = clock
        self._stock = stock
        self._times = times
        self._stock.queue_seconds = times.queue
        self._lock = threading.Lock()
        self._autoscalers: dict[str, Autoscaler] = {}
        cloud.follow(self._ended)

    @property
    def times(self) -> Times:
        """How long things take."""
        return self._times

    def set_times(self, times: Times) -> None:
        """Set how long things take from now on."""
        self._times = times
        self._stock.queue_seconds = times.queue
        self._wake()

    def began(self, cluster: str, informers: Informers) -> None:
        """A cluster runs."""
        autoscaler = Autoscaler(cluster, informers, self._cloud, self._clock, lambda: self._times)
        with self._lock:
            self._autoscalers[cluster] = autoscaler
        autoscaler.start()

    def ends(self, cluster: str) -> None:
        """A cluster is about to be stopped."""
        with self._lock:
            autoscaler = self._autoscalers.pop(cluster, None)
        if autoscaler is not None:
            autoscaler.stop()

    def lose(self, name: str) -> list[str]:
        """Make the machine of a node fail, or all of a node pool, by its short name; a slice fails as a whole.

        Returns:
            The names of the nodes.

        Raises:
            UnknownNameError: there is no such node or pool with machines, or there is one in more than one cluster.
            CloudError: the group of the machines is busy.
        """
        found = [each for cluster in self._clusters() for each in _meant(groups(self._cloud.survey(cluster)), name)]
        if not found:
            raise UnknownNameError(f"no node pool with nodes, and no node, is named {name}")
        pools = sorted({group.pool for group, _ in found})
        if len(pools) > 1:
            raise UnknownNameError(f"{name} is in {' and in '.join(pools)}: give the whole name of the pool")
        operations: list[Operation] = []
        for group, names in found:
            operations.append(self._cloud.update(group.name, {"loseInstances": names}))
        for operation in operations:
            self._cloud.wait(operation["name"], 60.0)
        return sorted(name for _, names in found for name in names)

    def change_stock(self, out: list[str], back: list[str]) -> list[str]:
        """As `Stock.change`."""
        left = self._stock.change(out=out, back=back)
        for autoscaler in self._running():
            autoscaler.restock()
        return left

    def is_at_work(self) -> bool:
        """Whether an autoscaler looks at its cluster, or is about to."""
        return any(autoscaler.is_at_work() for autoscaler in self._running())

    def status(self, cluster: str) -> dict[str, Any]:
        """Node pools of a cluster with their sizes, and the pods and requests that wait for nodes; JSON."""
        survey = self._cloud.survey(cluster)
        with self._lock:
            autoscaler = self._autoscalers.get(cluster)
        return {
            "pools": [_pool_status(name, body, survey.groups) for name, body in survey.pools],
            "pending": autoscaler.waiting() if autoscaler is not None else [],
        }

    def _clusters(self) -> list[str]:
        return [each["apiName"] for each in self._cloud.list(Kind.CLUSTER)]

    def _ended(self, operation: Operation) -> None:
        """An operation of the cloud has ended: whoever waits for it looks again."""
        if operation["kind"] in (Kind.INSTANCE_GROUP, Kind.NODE_POOL, Kind.CLUSTER):
            self._wake()

    def _wake(self) -> None:
        for autoscaler in self._running():
            autoscaler.wake()

    def _running(self) -> list[Autoscaler]:
        with self._lock:
            return list(self._autoscalers.values())


def _meant(found: list[Group], name: str) -> Iterator[tuple[Group, list[str]]]:
    for group in found:
        names = [instance["name"] for instance in group.instances]
        if names and name in (group.pool, short_name(group.pool)):
            yield group, names
        elif name in names:
            yield group, names if group.gang is not None else [name]


def _pool_status(name: str, body: Body, groups_by_name: dict[str, Body]) -> dict[str, Any]:
    own = [group for group in groups_by_name.values() if group["pool"] == name]
    instances = [instance for group in own for instance in group["instances"]]
    settings = part(body, "autoscaling")
    return {
        "name": short_name(name),
        "machine": body["config"]["machineType"],
        "topology": next((group["topology"] for group in own if group["topology"]), None),
        "accelerators": [card["acceleratorType"] for card in body["config"].get("accelerators", [])],
        "mode": capacity_type(body),
        "status": body["status"],
        "nodes": sum(1 for instance in instances if instance["status"] == "RUNNING"),
        "lost": sum(1 for instance in instances if instance["status"] == "LOST"),
        "target": sum(group["targetSize"] for group in own),
        "autoscaling": settings if settings.get("enabled") else None,
    }
