"""Node pools that nobody declared: those that Autopilot and node auto-provisioning on Standard make for a pod. Pure.

The pod's node selector, or a priority of its ComputeClass, names its needs: a TPU slice by accelerator and topology, a
GPU by its name, a capacity type (Spot, flex-start, a reservation), or nothing, which gives an ordinary machine that is
large enough. A multi-host slice is a pool of its own. On a Standard cluster the resource limits of the whole cluster
apply to all of it, and an accelerator without a limit is not provisioned.

Machine families: E2 is the default of both (GKE documentation "Node auto-provisioning", "Autopilot general-purpose"),
read 2026-11. Zones of a TPU are those of the catalogue in the cluster's region; when it has none there, the cluster's
own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, gpu
from components.model.facts.tpu_catalogue import GENERATIONS, WorkloadPolicy
from simulator.cloud import locations
from simulator.cloud.pool_defaults import pool_document
from simulator.cloud.service import at, part
from simulator.scaling.quantities import amounts
from simulator.scaling.requested_machines import Wish, gpu_machines, ordinary_machines, payment_of, slice_shapes
from simulator.scaling.snapshot import ClusterSnapshot, NodeSlot
from simulator.scaling.supply import Group, imagined

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from components.kubeapi.documents import Document
    from simulator.cloud.api import Body
    from simulator.cloud.machines import Node
    from simulator.scaling.classes import ComputeClass
    from simulator.scaling.pods import Pod

IN_BACK_OFF: Final = "in backoff after failed scale-up"
MOST_NODES: Final = 1000
"""Nodes of one provisioned pool in a zone."""
_ORDINARY: Final = (
    "e2-standard-2",
    "e2-standard-4",
    "e2-standard-8",
    "e2-standard-16",
    "e2-highmem-16",
    "e2-standard-32",
)
_DISKS_GB: Final = (100, 250, 1000)
_GIB: Final = 2**30


@dataclass(frozen=True, slots=True)
class NewPool:
    """A pool to be made."""

    name: str
    """API name."""
    body: Body
    """The body of the API's request."""
    groups: tuple[Group, ...]
    """The groups that it will have."""
    pod: Pod
    """The pod that it is made for."""


class Provisioner:
    """The pools that one cluster may provision by itself."""

    def __init__(
        self,
        cluster: str,
        body: Body,
        *,
        pools: Iterable[str],
        nodes: Iterable[Document],
        is_backed_off: Callable[[Body, str], bool],
    ) -> None:
        """`body` is the cluster's document; `pools` are its pools' API names, `nodes` its nodes.

        `is_backed_off` says of a pool's document and a zone whether such machines failed to come there.
        """
        self._cluster = cluster
        self._body = body
        self._names = {pool.rpartition("/")[2] for pool in pools}
        self._is_backed_off = is_backed_off
        self._is_autopilot = bool(at(body, "autopilot.enabled"))
        self._limits = {each["resourceType"]: int(each.get("maximum", 0)) for each in _limits(body)}
        self._nodes = nodes

    @cached_property
    def _used(self) -> dict[str, float]:
        """The usage that counts against the limits; few clusters have some."""
        used: dict[str, float] = {}
        for node in self._nodes:
            _add(used, node, 1)
        return used

    @property
    def is_on(self) -> bool:
        """Whether pools are made at all."""
        return self._is_autopilot or self._is_limited

    @property
    def _is_limited(self) -> bool:
        return bool(at(self._body, "autoscaling.enableNodeAutoprovisioning"))

    def limit_against(self, group: Group) -> str | None:
        """Why the cluster's limits stop a growth of the group; None when they do not."""
        if not self._is_limited:
            return None
        for resource, amount in _measures(group.template).items():
            limit = self._limits.get(resource)
            if limit is not None and self._used.get(resource, 0) + amount * group.step > limit:
                return f"max cluster {resource} limit reached"
        return None

    def count(self, group: Group, machines: int) -> None:
        """Remember that the group will have that many machines more."""
        if self._is_limited:
            _add(self._used, group.template, machines)

    def makes_for(self, found: ComputeClass) -> bool:
        """Whether pools are made for a class; the releases offered here need no node auto-provisioning for it."""
        return self._is_autopilot or found.makes_pools

    def pool_for(
        self, pod: Pod, snapshot: ClusterSnapshot, reasons: Counter[str], wish: Wish | None = None
    ) -> NewPool | None:
        """The pool to be made for a pod; None, with reasons, when there can be none.

        `wish` says which machines, for a pod whose ComputeClass says it.
        """
        if wish is None and not self.is_on:
            return None
        for number, config in enumerate(self._candidates(Wish.of(pod) if wish is None else wish, reasons)):
            made = self._imagine(pod, config, number)
            reason = self._why_not(pod, snapshot, made)
            if reason is None:
                self._names.add(made.name.rpartition("/")[2])
                return made
            reasons[reason] += 1
        return None

    def _why_not(self, pod: Pod, snapshot: ClusterSnapshot, made: NewPool) -> str | None:
        reason: str | None = None
        for group in made.groups:
            reason = (
                snapshot.why_not(pod, NodeSlot.of(group.template, is_new=True))
                or self._accelerator_limit(group)
                or self.limit_against(group)
            )
            if reason is None and self._is_backed_off(group.body, group.zone):
                reason = IN_BACK_OFF
            if reason is None:
                return None
        return reason

    def _accelerator_limit(self, group: Group) -> str | None:
        accelerators = _measures(group.template).keys() - {"cpu", "memory"}
        unlimited = sorted(accelerators - self._limits.keys())
        if not self._is_limited or not unlimited:
            return None
        return f"node auto-provisioning has no resource limit for {unlimited[0]}"

    def _imagine(self, pod: Pod, body: Body, number: int) -> NewPool:
        machine = body["config"]["machineType"]
        attempt = 0
        while (short := _pool_name(machine, self._cluster, pod.uid, number, attempt)) in self._names:
            attempt += 1
        name = f"{self._cluster}/nodePools/{short}"
        return NewPool(name, body, tuple(imagined(name, pool_document(short, body, self._body))), pod)

    def _candidates(self, wish: Wish, reasons: Counter[str]) -> Iterator[Body]:
        """Bodies of pools that might suit, the best first."""
        if gke.LABEL_TPU_ACCELERATOR in wish.selector:
            yield from self._slices(wish, reasons)
        elif gke.LABEL_GPU_ACCELERATOR in wish.selector:
            yield from self._with_gpus(wish, reasons)
        elif wish.chips or wish.gpus:
            reasons["pod asks for an accelerator and selects none"] += 1
        else:
            yield from self._ordinary(wish)

    def _ordinary(self, wish: Wish) -> Iterator[Body]:
        for machine in ordinary_machines(wish, _ORDINARY):
            for disk in _DISKS_GB:
                yield self._pool(wish, {"machineType": machine, "diskSizeGb": disk}, self._zones_for(wish))

    def _with_gpus(self, wish: Wish, reasons: Counter[str]) -> Iterator[Body]:
        name = wish.selector[gke.LABEL_GPU_ACCELERATOR]
        if not gpu.is_gpu(name):
            reasons[f"{name} is not a GPU known here"] += 1
            return
        for machine, count in gpu_machines(gpu.gpu(name), wish.gpus):
            if wish.suits(machine):
                cards = [{"acceleratorType": name, "acceleratorCount": str(count)}]
                config = {"machineType": machine, "accelerators": cards}
                yield self._pool(wish, config, self._zones_for(wish), policy="ANY")

    def _slices(self, wish: Wish, reasons: Counter[str]) -> Iterator[Body]:
        label, topology = wish.selector[gke.LABEL_TPU_ACCELERATOR], wish.selector.get(gke.LABEL_TPU_TOPOLOGY, "")
        generation = next((each for each in GENERATIONS if each.accelerator == label), None)
        chips = wish.chips
        shapes = (
            []
            if generation is None
            else list(slice_shapes((m for m in generation.machines if m.chips == chips), topology))
        )
        if generation is None or not shapes:
            reasons[f"no machine type with {chips} chips makes {label} slices of topology {topology or 'none'}"] += 1
            return
        for shape in shapes:
            if shape.hosts > 1 and generation.workload_policy is WorkloadPolicy.REQUIRED:
                reasons[f"{label} slices need a workload policy, which is not provisioned here"] += 1
                continue
            placement = {"placementPolicy": {"type": "COMPACT", "tpuTopology": topology}} if shape.hosts > 1 else {}
            high = shape.hosts if shape.hosts > 1 else MOST_NODES
            for zone in wish.zones or self._zones_of(generation.zones):
                config = {"machineType": shape.machine.name, "diskType": generation.boot_disks[0]}
                yield self._pool(wish, config, [zone], policy="ANY", high=high) | placement

    def _zones_for(self, wish: Wish) -> list[str]:
        return list(wish.zones) or self._zones

    @property
    def _zones(self) -> list[str]:
        return sorted(at(self._body, "autoscaling.autoprovisioningLocations") or self._body["locations"])

    def _zones_of(self, known: Iterable[str]) -> list[str]:
        """Zones of the region where the catalogue knows the accelerator."""
        region = locations.region_of(self._body["location"])
        stated: list[str] = at(self._body, "autoscaling.autoprovisioningLocations") or list(locations.zones(region))
        return sorted(set(known) & set(stated)) or self._zones

    def _pool(
        self, wish: Wish, config: Body, zones: list[str], *, policy: str = "BALANCED", high: int = MOST_NODES
    ) -> Body:
        defaults = part(self._body, "autoscaling.autoprovisioningNodePoolDefaults")
        management: Body = {"autoUpgrade": True, "autoRepair": True, **part(defaults, "management")}
        stated: Body = {
            key: value for key, value in defaults.items() if key not in ("management", "upgradeSettings") and value
        }
        payment = payment_of(wish.selector)
        if payment.get("flexStart"):
            management["autoRepair"] = False
        return {
            "config": {**stated, **payment, **config, **wish.marks},
            "initialNodeCount": 0,
            "locations": zones,
            "management": management,
            "autoscaling": {
                "enabled": True,
                "autoprovisioned": True,
                "minNodeCount": 0,
                "maxNodeCount": high,
                "locationPolicy": "ANY" if payment else policy,
            },
        }


def _limits(cluster: Body) -> list[Body]:
    return at(cluster, "autoscaling.resourceLimits") or []


def _add(used: dict[str, float], node: Document | Node, machines: int) -> None:
    for resource, amount in _measures(node).items():
        used[resource] = used.get(resource, 0) + amount * machines


def _measures(node: Document | Node) -> dict[str, float]:
    """The amounts of a node that count against the cluster's limits: cores, GB of memory, accelerators by name."""
    labels = node["metadata"].get("labels", {})
    capacity = amounts(node["status"]["capacity"])
    found: dict[str, float] = {"cpu": capacity["cpu"] / 1000, "memory": capacity["memory"] / 1000 / _GIB}
    for label, resource in (
        (gke.LABEL_TPU_ACCELERATOR, gke.RESOURCE_TPU),
        (gke.LABEL_GPU_ACCELERATOR, gke.RESOURCE_GPU),
    ):
        if label in labels:
            found[labels[label]] = capacity.get(resource, 0) / 1000
    return found


def _pool_name(machine: str, *parts: object) -> str:
    digest = hashlib.sha256(" ".join(str(part) for part in parts).encode()).hexdigest()
    return f"nap-{machine}-{digest[:8]}"[: gke.NODE_POOL_NAME_LENGTH]
