"""Ordinary machine types: how many vCPUs and how much memory a node of each offers.

Only the families whose sizes follow one ratio, so that every row can be stated surely; a lookup that finds nothing
raises, it never guesses. Google offers more types than these: an unknown one is worth a warning, not a refusal.

Source: Compute Engine documentation "General-purpose machine family" and "Accelerator-optimized machine family", read
2026-11.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from msgspec import Struct

_GIB: Final = 1024
_TO_96: Final = (2, 4, 8, 16, 32, 48, 64, 80, 96)

_FAMILIES: Final[tuple[tuple[str, int, tuple[int, ...]], ...]] = (
    # machine series and kind, MiB of memory per vCPU, numbers of vCPUs
    ("e2-standard", 4 * _GIB, (2, 4, 8, 16, 32)),
    ("e2-highmem", 8 * _GIB, (2, 4, 8, 16)),
    ("e2-highcpu", 1 * _GIB, (2, 4, 8, 16, 32)),
    ("n1-standard", 3840, (1, 2, 4, 8, 16, 32, 64, 96)),
    ("n1-highmem", 6656, (2, 4, 8, 16, 32, 64, 96)),
    ("n2-standard", 4 * _GIB, (*_TO_96, 128)),
    ("n2-highmem", 8 * _GIB, (2, 4, 8, 16, 32, 48, 64, 80)),
    ("n2-highcpu", 1 * _GIB, _TO_96),
    ("n2d-standard", 4 * _GIB, (*_TO_96, 128, 224)),
    ("n2d-highmem", 8 * _GIB, _TO_96),
    ("n2d-highcpu", 1 * _GIB, (*_TO_96, 128, 224)),
    ("n4-standard", 4 * _GIB, (2, 4, 8, 16, 32, 48, 64, 80)),
    ("n4-highmem", 8 * _GIB, (2, 4, 8, 16, 32, 48, 64, 80)),
    ("n4-highcpu", 2 * _GIB, (2, 4, 8, 16, 32, 48, 64, 80)),
    ("c3-standard", 4 * _GIB, (4, 8, 22, 44, 88, 176)),
    ("c3-highmem", 8 * _GIB, (4, 8, 22, 44, 88, 176)),
    ("c3-highcpu", 2 * _GIB, (4, 8, 22, 44, 88, 176)),
    ("t2d-standard", 4 * _GIB, (1, 2, 4, 8, 16, 32, 48, 60)),
    ("g2-standard", 4 * _GIB, (4, 8, 12, 16, 24, 32, 48, 96)),
)
_SHARED_CORE: Final = {"e2-small": 2 * _GIB, "e2-medium": 4 * _GIB}
"""Types that burst to 2 vCPUs, with their MiB of memory."""
_WITH_GPUS: Final = {
    "a2-highgpu-1g": (12, 85),
    "a2-highgpu-2g": (24, 170),
    "a2-highgpu-4g": (48, 340),
    "a2-highgpu-8g": (96, 680),
    "a3-highgpu-8g": (208, 1872),
}
"""Types made around their GPUs, with vCPUs and GB of memory as Google states it, to be read as GiB."""


class OrdinaryMachine(Struct, frozen=True, kw_only=True):
    """A machine type without TPUs; what GPUs can be with it is in `gpu.py`."""

    name: str
    vcpus: int
    memory_mib: int


class UnknownOrdinaryMachineError(LookupError):
    """No ordinary machine type of that name is in the table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name} is not an ordinary machine type known here")


@cache
def _by_name() -> dict[str, OrdinaryMachine]:
    rows = [
        OrdinaryMachine(name=f"{kind}-{vcpus}", vcpus=vcpus, memory_mib=vcpus * mib)
        for kind, mib, sizes in _FAMILIES
        for vcpus in sizes
    ]
    rows += [OrdinaryMachine(name=name, vcpus=2, memory_mib=mib) for name, mib in _SHARED_CORE.items()]
    rows += [
        OrdinaryMachine(name=name, vcpus=vcpus, memory_mib=gib * _GIB) for name, (vcpus, gib) in _WITH_GPUS.items()
    ]
    return {row.name: row for row in rows}


def ordinary_machines() -> tuple[str, ...]:
    """The names of all ordinary machine types in the table."""
    return tuple(_by_name())


def machine_families() -> tuple[str, ...]:
    """The machine series of the ordinary machine types in the table.

    >>> "e2" in machine_families()
    True
    """
    return tuple(dict.fromkeys(name.partition("-")[0] for name in _by_name()))


def is_ordinary_machine(name: str) -> bool:
    """Whether `name` is in the table."""
    return name in _by_name()


def ordinary_machine(name: str) -> OrdinaryMachine:
    """The ordinary machine type `name`.

    >>> ordinary_machine("e2-standard-4").memory_mib
    16384

    Raises:
        UnknownOrdinaryMachineError: it is not in the table.
    """
    found = _by_name().get(name)
    if found is None:
        raise UnknownOrdinaryMachineError(name)
    return found
