"""The part of a node that GKE leaves to pods, by the size of its machine and its boot disk.

Source: docs.cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes (reserved CPU, memory and boot disk), read
2026-11.
"""

from __future__ import annotations

from typing import Final

from components.model.facts import gke
from components.model.facts.quantities import Quantity

BOOT_DISK_GB: Final = 100
"""Size of the boot disk of a node whose pool states none (GKE API: NodeConfig.diskSizeGb)."""
_MIB_PER_GIB: Final = 1024
_KIB_PER_MIB: Final = 1024
_MILLI: Final = 1000
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


def allocatable(machine_type: str, vcpus: int, memory_gib: int) -> dict[str, Quantity]:
    """The amounts that pods can request of a node with a boot disk of the usual size, by resource.

    >>> {name: str(amount) for name, amount in allocatable("ct5lp-hightpu-4t", 112, 192).items()}
    {'cpu': '111650m', 'memory': '185653Mi', 'ephemeral-storage': '49Gi'}
    """
    memory_mib = memory_gib * _MIB_PER_GIB
    left_mib = (memory_mib * _KIB_PER_MIB - reserved_memory_kib(memory_mib)) // _KIB_PER_MIB
    return {
        gke.RESOURCE_CPU: Quantity(vcpus * _MILLI - reserved_millicores(machine_type, vcpus)),
        gke.RESOURCE_MEMORY: Quantity(left_mib * 1024**2 * _MILLI, is_binary=True),
        gke.RESOURCE_DISK: pod_disk(),
    }


def pod_disk() -> Quantity:
    """The space that pods can have of a boot disk of the usual size.

    >>> str(pod_disk())
    '49Gi'
    """
    disk_kib = BOOT_DISK_GB * _MIB_PER_GIB * _KIB_PER_MIB - reserved_disk_kib(BOOT_DISK_GB)
    return Quantity(disk_kib * 1024 * _MILLI, is_binary=True)


def reserved_millicores(machine_type: str, vcpus: int) -> int:
    """Thousandths of a core that GKE keeps on a node."""
    if machine_type in _SHARED_CORE:
        return _SHARED_CORE_RESERVED
    return round(_stepwise(vcpus, _CPU_RESERVED))


def reserved_memory_kib(memory_mib: int) -> int:
    """KiB of memory that GKE keeps on a node."""
    gib = _stepwise(memory_mib / _MIB_PER_GIB, _MEMORY_RESERVED)
    return round(gib * _MIB_PER_GIB * _KIB_PER_MIB) + _MEMORY_EVICTION * _KIB_PER_MIB


def reserved_disk_kib(disk_gb: int) -> int:
    """KiB that GKE keeps of a node's boot disk."""
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
