"""A node pool as the rules see it: the request, with the facts about its machine type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from components.model.facts import tpu
from simulator.cloud.service import at, part

if TYPE_CHECKING:
    from simulator.cloud.api import Body


@dataclass(frozen=True)
class PoolRequest:
    """One node pool document, defaults filled in, in its present or future cluster."""

    name: str
    """Short name."""
    body: Body
    is_autopilot: bool
    """Whether the cluster is an Autopilot cluster."""
    policy: Body | None
    """The resource policy that the request names, when it exists."""

    @property
    def machine_type(self) -> str:
        """The machine type of the nodes."""
        return self.body["config"]["machineType"]

    @cached_property
    def machine(self) -> tpu.Machine | None:
        """The TPU machine type, or None for another one."""
        return tpu.machine(self.machine_type) if tpu.is_tpu_machine(self.machine_type) else None

    @cached_property
    def generation(self) -> tpu.Generation | None:
        """The TPU generation, or None for another machine type."""
        return tpu.generation_of(self.machine_type) if self.machine else None

    @property
    def topology(self) -> str | None:
        """The topology that the request states."""
        return at(self.body, "placementPolicy.tpuTopology") or None

    @property
    def policy_name(self) -> str | None:
        """The resource policy that the request names."""
        return at(self.body, "placementPolicy.policyName") or None

    @property
    def workload_policy(self) -> Body | None:
        """The workload policy in that resource policy."""
        return self.policy.get("workloadPolicy") if self.policy else None

    @cached_property
    def effective_topology(self) -> str | None:
        """The topology of the slice: the request's, else the workload policy's, else that of one host."""
        stated = self.topology or (self.workload_policy or {}).get("acceleratorTopology")
        return stated or (self.machine.single_host_topology if self.machine else None)

    @cached_property
    def shape(self) -> tpu.Shape | None:
        """The slice that machine type and effective topology make; None when they make none."""
        return self._shape(self.effective_topology)

    @property
    def multi_host(self) -> tpu.Shape | None:
        """The slice, when it is one of several hosts."""
        return self.shape if self.shape is not None and self.shape.kind is tpu.HostKind.MULTI else None

    @property
    def gang_size(self) -> int | None:
        """How many machines Compute Engine makes or removes at once: a workload policy takes precedence."""
        shape = self._shape((self.workload_policy or {}).get("acceleratorTopology")) or self.shape
        return shape.hosts if shape is not None and shape.kind is tpu.HostKind.MULTI else None

    def _shape(self, topology: str | None) -> tpu.Shape | None:
        if self.machine is None or topology is None:
            return None
        try:
            return tpu.shape(self.machine_type, topology)
        except tpu.ImpossibleTopologyError:
            return None

    @property
    def autoscaling(self) -> Body | None:
        """The autoscaling settings, when it is on."""
        settings = part(self.body, "autoscaling")
        return settings if settings.get("enabled") else None

    @property
    def is_autoprovisioned(self) -> bool:
        """Whether GKE itself makes the pool, and removes it when nobody needs it."""
        return bool(at(self.body, "autoscaling.autoprovisioned"))

    @property
    def initial_size(self) -> int:
        """Machines in each zone at the start."""
        return self.body.get("initialNodeCount", 0)

    @property
    def zones(self) -> list[str]:
        """Where the nodes are."""
        return self.body["locations"]

    @property
    def has_flex_start(self) -> bool:
        """Whether the nodes are provisioned by flex-start."""
        return bool(self.body["config"].get("flexStart"))

    @property
    def has_spot(self) -> bool:
        """Whether the nodes can be taken back: Spot or preemptible."""
        return bool(self.body["config"].get("spot") or self.body["config"].get("preemptible"))

    @property
    def is_queued(self) -> bool:
        """Whether nodes come through ProvisioningRequests alone."""
        return bool(at(self.body, "queuedProvisioning.enabled"))

    @property
    def reservation(self) -> str | None:
        """How reservations are consumed, as the request states it."""
        return at(self.body, "config.reservationAffinity.consumeReservationType") or None
