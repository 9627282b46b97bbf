"""Removes nodes that are idle, failed or at the end of their time, and provisioned pools that are empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import entries
from simulator.scaling.idle import IdleNodes, Removal, expired, repairs
from simulator.scaling.pods import Pod
from simulator.scaling.state import State, earliest

if TYPE_CHECKING:
    from collections.abc import Collection

    from components.kubeapi import Api
    from simulator.scaling.asking import Asking, BackOff
    from simulator.scaling.planning import Plan
    from simulator.scaling.snapshot import ClusterSnapshot
    from simulator.scaling.supply import Group
    from simulator.scaling.times import Times

_LEAVING: Final = "ToBeDeletedByClusterAutoscaler"


class Shrinking:
    """The shrinking and mending part of one cluster's autoscaler. Each step returns the moment of its next."""

    def __init__(self, api: Api, asking: Asking, back_off: BackOff) -> None:
        self._api = api
        self._asking = asking
        self._back_off = back_off
        self._idle = IdleNodes()
        self._empty_since: dict[str, float] = {}

    def mend(self, state: State, times: Times, under_way: Collection[str]) -> None:
        """Give up machines that did not come, and continue interrupted work.

        A pool that nobody autoscales keeps its size: its machines are asked for again until they come.
        """
        for group in state.groups:
            if not group.is_there or group.name in under_way:
                continue
            missing = group.size > len(group.instances)
            if _is_unfinished(group) or (missing and group.limits is None):
                if not self._back_off.stops(group, state.now):
                    self._back_off.failed(group, times, state.now)
                    self._asking.update(group, targetSize=group.size)
            elif missing:
                self._asking.update(group, targetSize=len(group.instances))

    def renew(self, state: State, times: Times) -> float | None:
        """Auto-repair, and the end of machines' run duration."""
        broken, repair = repairs(state.groups, times, state.now)
        over, end = expired(state.groups, state.now)
        for removal in broken:
            self._asking.update(removal.group, recreateInstances=list(removal.names))
        for removal in over:
            if removal.group.limits is None:
                self._asking.update(removal.group, recreateInstances=list(removal.names))
            else:
                self._asking.update(removal.group, **_removed(removal))
        return earliest([repair, end])

    def shrink(
        self, state: State, times: Times, snapshot: ClusterSnapshot, plan: Plan, booked: Collection[str]
    ) -> float | None:
        """Remove nodes that have been empty long enough; those that are booked are not empty."""
        wanted = [*booked, *(slot.name for slot in snapshot.slots if slot.is_wanted)]
        self._idle.see(state.nodes, state.pods, wanted, state.now)
        resting = [group for group in state.groups if group.name not in plan.growths]
        removals, moment = self._idle.removals(resting, times, state.now)
        for removal in removals:
            self._remove(removal, round(state.now))
        return earliest([moment, self._drop_pools(state, times, plan)])

    def _remove(self, removal: Removal, now: int) -> None:
        """Close the nodes first: a pod that came in the meantime keeps them."""
        for name in removal.names:
            self._mark(name, now)
        pods = [Pod(document) for document in self._api.items("/api/v1/pods")]
        used = {pod.node for pod in pods if pod.holds_node}
        if used.isdisjoint(removal.names) and self._asking.update(removal.group, **_removed(removal)) is not None:
            return
        for name in removal.names:
            self._mark(name, None)

    def _mark(self, node: str, leaving: int | None) -> None:
        """Close a node from the moment `leaving` on, or open it again."""
        path = f"/api/v1/nodes/{node}"
        document = self._api.find(path)
        if document is None:
            return
        taints = [taint for taint in entries(document, "spec", "taints") if taint.get("key") != _LEAVING]
        if leaving is not None:
            taints.append({"key": _LEAVING, "value": str(leaving), "effect": "NoSchedule"})
        self._api.merge(path, {"spec": {"taints": taints}})

    def _drop_pools(self, state: State, times: Times, plan: Plan) -> float | None:
        """Remove provisioned pools that are empty; one that never had a machine is given some time."""
        seen = self._empty_since
        self._empty_since = {pool: seen.get(pool, state.now) for pool in _empty_pools(state, plan)}
        moments: list[float] = []
        for pool, since in self._empty_since.items():
            was_used = any(group["made"] for group in state.survey.groups.values() if group["pool"] == pool)
            due = since + (0.0 if was_used else times.idle)
            if due > state.now:
                moments.append(due)
            else:
                self._asking.delete(pool)
        return earliest(moments)


def _empty_pools(state: State, plan: Plan) -> list[str]:
    growing = {growth.group.pool for growth in plan.growths.values()}
    rests: dict[str, bool] = {}
    for group in state.groups:
        if group.is_autoprovisioned:
            is_empty = group.is_there and not group.size and not group.instances and group.pool not in growing
            rests[group.pool] = rests.get(group.pool, True) and is_empty
    return [pool for pool, is_empty in rests.items() if is_empty]


def _is_unfinished(group: Group) -> bool:
    return any(instance["status"] in ("CREATING", "DELETING") for instance in group.instances)


def _removed(removal: Removal) -> dict[str, Any]:
    if removal.group.gang is not None:
        return {"targetSize": 0}
    return {"deleteInstances": list(removal.names)}
