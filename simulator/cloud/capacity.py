"""The capacity of a node of each machine type, and the part of it that GKE leaves to pods.

Source: docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes (reserved CPU, memory and boot disk), read
2026-11. A real node reports a little less memory and disk than its machine has, because the kernel and the file system
take their part first; that part is not stated anywhere and is left out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from components.model.facts import tpu
from components.model.facts.compute import UnknownOrdinaryMachineError, ordinary_machine
from components.model.facts.gke import RESOURCE_GPU, RESOURCE_TPU

_MIB_PER_GIB: Final = 1024
_KIB_PER_MIB: Final = 1024

_CPU_RESERVED: Final = ((1, 60.0), (1, 10.0), (2, 5.0), (None, 2.5))
"""Cores of each step and the millicores that GKE keeps of each core in it."""
_SHARED_CORE: Final = frozenset(("e2-micro", "e2-small", "e2-medium"))
_SHARED_CORE_RESERVED: Final = 1060
"""Millicores kept on a shared-core machine."""

_MEMORY_RESERVED: Final = ((4, 0.25), (4, 0.20), (8, 0.10), (112, 0.06), (None, 0.02))
"""GiB of each step and the share of it that GKE keeps."""
_MEMORY_EVICTION: Final = 100
"""MiB kept for the eviction threshold."""

_DISK_EVICTION: Final = 0.10
_DISK_SYSTEM: Final = (0.50, 6.0, 0.35, 100.0)
"""The system keeps the least of 50 %, 6 GiB + 35 %, and 100 GiB of the boot disk."""


class UnknownMachineTypeError(LookupError):
    """No machine type of that name is known to the simulated cloud."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The resources of a node, as Kubernetes quantities by resource name."""

    total: dict[str, str]
    allocatable: dict[str, str]


def is_known_machine(name: str) -> bool:
    """Whether a node of the machine type can be simulated."""
    try:
        machine_size(name)
    except UnknownMachineTypeError:
        return False
    return True


def machine_size(name: str) -> tuple[int, int]:
    """Virtual CPUs and MiB of memory of a machine type.

    Raises:
        UnknownMachineTypeError: it is in none of the tables.
    """
    if tpu.is_tpu_machine(name):
        machine = tpu.machine(name)
        return machine.vcpus, machine.memory_gb * _MIB_PER_GIB
    try:
        ordinary = ordinary_machine(name)
    except UnknownOrdinaryMachineError as error:
        raise UnknownMachineTypeError(str(error)) from None
    return ordinary.vcpus, ordinary.memory_mib


def capacity(machine_type: str, *, disk_gb: int, max_pods: int, gpus: int = 0) -> Capacity:
    """Capacity and allocatable of a node; `disk_gb` is the size of its boot disk.

    Raises:
        UnknownMachineTypeError: the machine type is in none of the tables.
    """
    vcpus, memory_mib = machine_size(machine_type)
    disk_kib = disk_gb * _MIB_PER_GIB * _KIB_PER_MIB
    whole: dict[str, str] = {"pods": str(max_pods)}
    if tpu.is_tpu_machine(machine_type):
        whole[RESOURCE_TPU] = str(tpu.machine(machine_type).chips)
    if gpus:
        whole[RESOURCE_GPU] = str(gpus)
    return Capacity(
        total={
            "cpu": str(vcpus),
            "memory": f"{memory_mib * _KIB_PER_MIB}Ki",
            "ephemeral-storage": f"{disk_kib}Ki",
            **whole,
        },
        allocatable={
            "cpu": f"{vcpus * 1000 - _reserved_millicores(machine_type, vcpus)}m",
            "memory": f"{memory_mib * _KIB_PER_MIB - _reserved_memory_kib(memory_mib)}Ki",
            "ephemeral-storage": f"{disk_kib - _reserved_disk_kib(disk_gb)}Ki",
            **whole,
        },
    )


def _reserved_millicores(machine_type: str, vcpus: int) -> int:
    if machine_type in _SHARED_CORE:
        return _SHARED_CORE_RESERVED
    return round(_stepwise(vcpus, _CPU_RESERVED))


def _reserved_memory_kib(memory_mib: int) -> int:
    gib = _stepwise(memory_mib / _MIB_PER_GIB, _MEMORY_RESERVED)
    return round(gib * _MIB_PER_GIB * _KIB_PER_MIB) + _MEMORY_EVICTION * _KIB_PER_MIB


def _reserved_disk_kib(disk_gb: int) -> int:
    half, base, share, most = _DISK_SYSTEM
    system = min(half * disk_gb, base + share * disk_gb, most)
    return round((system + _DISK_EVICTION * disk_gb) * _MIB_PER_GIB * _KIB_PER_MIB)


def _stepwise(amount: float, steps: tuple[tuple[int | None, float], ...]) -> float:
    """The reserved amount: each step reserves its rate of the portion of `amount` that falls into it."""
    kept = 0.0
    for width, rate in steps:
        part = amount if width is None else min(amount, width)
        kept += part * rate
        amount -= part
    return kept
