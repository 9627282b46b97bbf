"""The capacity of a node of each machine type, and the part of it that GKE leaves to pods.

A real node reports a little less memory and disk than its machine has, because the kernel and the file system
take their part first; that part is not stated anywhere and is left out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from components.model.facts import tpu
from components.model.facts.allocatable import reserved_disk_kib, reserved_memory_kib, reserved_millicores
from components.model.facts.compute import UnknownOrdinaryMachineError, ordinary_machine
from components.model.facts.gke import RESOURCE_GPU, RESOURCE_TPU

_MIB_PER_GIB: Final = 1024
_KIB_PER_MIB: Final = 1024


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
            "cpu": f"{vcpus * 1000 - reserved_millicores(machine_type, vcpus)}m",
            "memory": f"{memory_mib * _KIB_PER_MIB - reserved_memory_kib(memory_mib)}Ki",
            "ephemeral-storage": f"{disk_kib - reserved_disk_kib(disk_gb)}Ki",
            **whole,
        },
    )
