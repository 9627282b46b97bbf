"""Which nodes nobody needs any more, which failed, and which are at the end of their time. Pure.

Only empty nodes are removed: GKE's autoscaler also empties nodes that are little used, which is not modelled. A
multi-host slice is removed as a whole, once all of its hosts are idle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, section
from components.model.facts.gke import FLEX_START_SECONDS
from simulator.cloud.service import at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.cloud.api import Body
    from simulator.scaling.pods import Pod
    from simulator.scaling.supply import Group
    from simulator.scaling.times import Times

_KEPT: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"


@dataclass(frozen=True, slots=True)
class Removal:
    """Machines of a group that are to be removed."""

    group: Group
    names: tuple[str, ...]
    """Nodes; all of the group's when it is a gang."""


class IdleNodes:
    """Since when each node is empty; kept from one look to the next."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def see(self, nodes: Iterable[Document], pods: Iterable[Pod], wanted: Iterable[str], now: float) -> None:
        """Note which nodes are empty at the simulated moment `now`; `wanted` are those that pods wait for."""
        used = {pod.node for pod in pods if pod.holds_node} | set(wanted)
        empty = {node["metadata"]["name"] for node in nodes if not _is_kept(node)} - used
        self._since = {name: self._since.get(name, now) for name in empty}

    def removals(self, groups: Iterable[Group], times: Times, now: float) -> tuple[list[Removal], float | None]:
        """The machines to remove now, and the next moment at which one may be idle long enough; None without one."""
        found: list[Removal] = []
        moments: list[float] = []
        totals: dict[str, int] = {}
        listed = [group for group in groups if group.limits is not None]
        for group in listed:
            totals[group.pool] = totals.get(group.pool, 0) + group.size
        for group in listed:
            due = self._due(group, times)
            moments += [moment for moment in due.values() if moment > now]
            names = [name for name, moment in due.items() if moment <= now] if group.is_there else []
            names = _spare(group, names, totals[group.pool])
            if names:
                totals[group.pool] -= len(names)
                found.append(Removal(group, tuple(names)))
        return found, min(moments, default=None)

    def _due(self, group: Group, times: Times) -> dict[str, float]:
        """When each node of the group may be removed; those of a gang at the same moment, or never."""
        due = {
            instance["name"]: self._since[instance["name"]] + times.idle
            for instance in group.instances
            if instance["status"] == "RUNNING" and instance["name"] in self._since
        }
        if not group.is_repaired:
            due |= {
                instance["name"]: max(self._since[instance["name"]], instance["since"]) + times.unready
                for instance in group.instances
                if instance["status"] == "LOST" and instance["name"] in self._since
            }
        if group.gang is None:
            return due
        return dict.fromkeys(due, max(due.values())) if due and len(due) == len(group.instances) else {}


def repairs(groups: Iterable[Group], times: Times, now: float) -> tuple[list[Removal], float | None]:
    """The machines that auto-repair makes anew now, and the next moment at which it may have to."""
    found: list[Removal] = []
    moments: list[float] = []
    for group in groups:
        broken = {each["name"]: each["since"] + times.repair for each in group.instances if _is_broken(each)}
        if not group.is_repaired or not broken:
            continue
        moments += [moment for moment in broken.values() if moment > now]
        due = [name for name, moment in broken.items() if moment <= now]
        if due and group.is_there:
            whole = tuple(each["name"] for each in group.instances)
            found.append(Removal(group, whole if group.gang is not None else tuple(due)))
    return found, min(moments, default=None)


def expired(groups: Iterable[Group], now: float) -> tuple[list[Removal], float | None]:
    """Machines whose run duration is over, and the next moment at which one's will be."""
    found: list[Removal] = []
    moments: list[float] = []
    for group in groups:
        running = [each for each in group.instances if each["status"] == "RUNNING"]
        most = run_seconds(group.body)
        ends = {each["name"]: _end(most, each) for each in running}
        moments += [moment for moment in ends.values() if now < moment < math.inf]
        due = tuple(name for name, moment in ends.items() if moment <= now)
        if due and group.is_there:
            found.append(Removal(group, tuple(ends) if group.gang is not None else due))
    return found, min(moments, default=None)


def run_seconds(pool: Body) -> float | None:
    """How long machines of the pool may run; None without end."""
    stated = pool["config"].get("maxRunDuration")
    if stated:
        return float(stated.removesuffix("s"))
    return float(FLEX_START_SECONDS) if pool["config"].get("flexStart") else None


def _end(most: float | None, instance: Body) -> float:
    """When a machine's run duration is over: `most` of its pool, or that of its resize request, if less."""
    stated = (most, at(instance, "resizeRequest.runSeconds"))
    return instance["since"] + min((seconds for seconds in stated if seconds is not None), default=math.inf)


def _is_broken(instance: Mapping[str, str]) -> bool:
    return instance["status"] == "LOST"


def _is_kept(node: Document) -> bool:
    return section(node, "metadata", "annotations").get(_KEPT) == "true"


def _spare(group: Group, names: list[str], total: int) -> list[str]:
    """Those of `names` that can be removed without the pool falling below its minimum."""
    limits = group.limits
    if limits is None or not names:
        return []
    most = min(group.size - limits.low, total - limits.total_low)
    if group.gang is not None:
        return names if most >= group.size else []
    return names[: max(0, most)]
