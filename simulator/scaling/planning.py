"""Which node pools must grow so that the pods that wait can run. Pure.

Pods are taken by priority and age. Each goes to a node that is there or coming; else to one more node (or whole slice)
of the smallest kind that it fits on; else to a pool that is made for it; else an Event says why nothing helps.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import section
from components.model.facts import gke
from components.model.facts.gke import RESOURCE_GPU, RESOURCE_TPU
from simulator.cloud.service import at
from simulator.scaling.provision import IN_BACK_OFF, NewPool, Provisioner
from simulator.scaling.quantities import amounts
from simulator.scaling.snapshot import ClusterSnapshot, NodeSlot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from simulator.scaling.classes import ComputeClass
    from simulator.scaling.pods import Pod
    from simulator.scaling.requested_machines import Wish
    from simulator.scaling.supply import Group

AT_MAXIMUM: Final = "max node group size reached"
BEING_CHANGED: Final = "node pool is being updated"
"""Our text, like the next one; the others are the autoscaler's own words."""
ONLY_QUEUED: Final = "node pool takes ProvisioningRequests only"


@dataclass
class Growth:
    """A group that is to have more machines."""

    group: Group
    size: int
    pods: list[Pod] = field(default_factory=list["Pod"])
    """The pods that it helps."""

    @property
    def text(self) -> str:
        """The text in the autoscaler's form."""
        limits = self.group.limits
        high = limits.high if limits is not None else math.inf
        most = high if high < math.inf else limits.total_high if limits is not None else math.inf
        shown = f"{most:.0f}" if most < math.inf else "unlimited"
        return f"{{{self.group.link} {self.group.size}->{self.size} (max: {shown})}}"


@dataclass
class Plan:
    """The changes to make."""

    growths: dict[str, Growth] = field(default_factory=dict[str, Growth])
    """By group name."""
    pools: list[NewPool] = field(default_factory=list["NewPool"])
    stuck: list[tuple[Pod, str]] = field(default_factory=list[tuple["Pod", str]])
    """Pods for which nothing can be done, with the reasons."""


class Planner:
    """Makes one plan."""

    def __init__(
        self,
        snapshot: ClusterSnapshot,
        groups: Iterable[Group],
        provisioner: Provisioner,
        is_backed_off: Callable[[Group], bool],
        classes: Mapping[str, ComputeClass],
    ) -> None:
        """`snapshot` has the nodes that are there or already coming; pods that wait are put on it."""
        self._classes = classes
        self._snapshot = snapshot
        self._groups = {group.name: group for group in groups if group.limits is not None}
        self._sizes = {name: group.size for name, group in self._groups.items()}
        self._provisioner = provisioner
        self._is_backed_off = is_backed_off
        self._plan = Plan()
        self._made_by: dict[str, Growth] = {}
        """The growth that brings a slot, by the slot's name."""

    def plan(self, pods: Sequence[Pod]) -> Plan:
        """The plan for pods that the scheduler could not place."""
        for pod in sorted(pods, key=lambda pod: (-pod.priority, pod.created, pod.namespace, pod.name)):
            self._help(pod)
        return self._plan

    def _help(self, pod: Pod) -> None:
        if pod.unmodelled is not None:
            self._plan.stuck.append((pod, f"the simulated autoscaler does not model {pod.unmodelled}"))
            return
        slot = self._snapshot.find(pod)
        if slot is not None:
            self._snapshot.settle(pod, slot)
            if slot.name in self._made_by:
                self._made_by[slot.name].pods.append(pod)
            return
        if pod.consumes is not None:
            consumed = f"it's consuming ProvisioningRequest {pod.namespace}/{pod.consumes}"
            self._plan.stuck.append((pod, consumed))
            return
        reasons: Counter[str] = Counter()
        group = self._best(pod, reasons)
        if group is None:
            told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
            self._plan.stuck.append((pod, told))
            return
        self._grow(group, pod)

    def _best(self, pod: Pod, reasons: Counter[str]) -> Group | None:
        """The group that brings the pod's node: for a pod of a ComputeClass, of the first priority that can."""
        name = pod.selector.get(gke.LABEL_COMPUTE_CLASS)
        if name is None:
            return self._choose(pod, reasons) or self._provision(pod, reasons)
        found = self._classes.get(name)
        if found is None:
            reasons[f"there is no ComputeClass {name}"] += 1
            return None
        makes = self._provisioner.makes_for(found)
        for priority in found.priorities:
            if priority.unmodelled is not None:
                reasons[f"{priority.unmodelled} of ComputeClass {name} is not modelled"] += 1
                continue
            group = self._choose(pod, reasons, priority.takes)
            if group is None and priority.pools is None and makes:
                group = self._provision(pod, reasons, priority.wish)
            if group is not None:
                return group
        if not found.scales_up_anyway:
            return None
        return self._choose(pod, reasons) or (self._provision(pod, reasons, found.default) if makes else None)

    def _choose(self, pod: Pod, reasons: Counter[str], takes: Callable[[Group], bool] = lambda _: True) -> Group | None:
        fitting: list[Group] = []
        for group in filter(takes, list(self._groups.values())):
            reason = self._why_not(pod, group)
            if reason is None:
                fitting.append(group)
            else:
                reasons[reason] += 1
        return min(fitting, key=self._cost, default=None)

    def _why_not(self, pod: Pod, group: Group) -> str | None:
        slot = NodeSlot.of(group.template, is_new=True)
        reason = self._snapshot.why_not(pod, slot)
        if reason is not None:
            return reason
        if at(group.body, "queuedProvisioning.enabled"):
            return ONLY_QUEUED
        if not group.has_room(group.step, self._groups.values(), self._sizes):
            return AT_MAXIMUM
        if self._is_backed_off(group):
            return IN_BACK_OFF
        if not group.is_there and not group.is_autoprovisioned:
            return BEING_CHANGED
        return self._provisioner.limit_against(group)

    def _cost(self, group: Group) -> tuple[int, int, int, int, str]:
        """The smallest machine first; then evenly over zones, unless the pool does not care."""
        capacity = amounts(section(group.template, "status", "capacity"))
        accelerators = capacity.get(RESOURCE_TPU, 0) * group.step + capacity.get(RESOURCE_GPU, 0)
        balanced = at(group.body, "autoscaling.locationPolicy") != "ANY"
        return accelerators, capacity["cpu"], capacity["memory"], self._sizes[group.name] * balanced, group.name

    def _provision(self, pod: Pod, reasons: Counter[str], wish: Wish | None = None) -> Group | None:
        made = self._provisioner.pool_for(pod, self._snapshot, reasons, wish)
        if made is None:
            return None
        self._plan.pools.append(made)
        for group in made.groups:
            self._groups[group.name] = group
            self._sizes[group.name] = group.size
        return min(made.groups, key=self._cost)

    def _grow(self, group: Group, pod: Pod) -> None:
        number = self._sizes[group.name]
        self._sizes[group.name] = number + group.step
        growth = self._plan.growths.setdefault(group.name, Growth(group, number))
        growth.size = self._sizes[group.name]
        growth.pods.append(pod)
        self._provisioner.count(group, group.step)
        added = [new_slot(group, number + index) for index in range(group.step)]
        for slot in added:
            self._snapshot.add(slot)
            self._made_by[slot.name] = growth
        self._snapshot.settle(pod, added[0])


def coming(group: Group, registered: int) -> list[NodeSlot]:
    """The slots of a group's machines that were asked for and are not there yet."""
    return [new_slot(group, number) for number in range(registered, group.size)]


def new_slot(group: Group, number: int) -> NodeSlot:
    """The empty slot of one more machine of the group; `number` distinguishes it from others."""
    slot = NodeSlot.of(group.template, is_new=True)
    slot.name = f"{slot.name}-{number}"
    return slot
