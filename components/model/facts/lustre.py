"""Managed Lustre: how large an instance of each performance tier may be, how it is reached, and GKE's driver for it.

Sources, read 2026-11: Managed Lustre documentation "Performance tiers", "Increase the capacity of an instance" and
"Create an instance"; GKE documentation "About the Managed Lustre CSI driver" and "Access existing Managed Lustre
instances on GKE"; GKE API, LustreCsiDriverConfig.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

DRIVER: Final = "lustre.csi.storage.gke.io"
FLOOR: Final = "1.33.2-gke.4655000"
"""The first version whose nodes reach an instance at its usual port. The driver is older, but its first versions need
another port on both sides."""
APIS: Final = ("lustre", "servicenetworking")
"""Short names of the APIs that an instance and the way to it need."""
PRODUCER: Final = "servicenetworking.googleapis.com"
"""The service whose networks a network is peered with for private services."""
PEERED_PREFIX: Final = 20
"""Prefix length of the range that the documentation sets aside for private services."""
PORTS: Final = (988, 6988)
"""Where instances and nodes connect to each other: the usual port, and the one of older instances for GKE."""
INSTANCE_NAME_LENGTH: Final = 63


class Tier(Struct, frozen=True, kw_only=True):
    """A performance tier; capacities are in GiB."""

    throughput: int
    """MBps for each TiB."""
    least: int
    """Also the step up to `bend`."""
    bend: int
    """An instance up to this capacity grows by `least`, a larger one by `large_step`."""
    large_step: int
    most: int

    def step_at(self, capacity: int) -> int:
        """The step in which an instance of `capacity` grows."""
        return self.least if capacity <= self.bend else self.large_step

    def has(self, capacity: int) -> bool:
        """Whether an instance may have `capacity`."""
        return self.least <= capacity <= self.most and capacity % self.step_at(capacity) == 0

    def nearest(self, capacity: int) -> tuple[int, ...]:
        """The capacities next to `capacity` that the tier has, one below and one above where both exist.

        >>> tier(1000).nearest(10000), tier(125).nearest(9000), tier(1000).nearest(1_531_000)
        ((9000, 18000), (72000,), (1530000, 1584000))
        """
        step = self.step_at(capacity)
        below = capacity // step * step
        near = (max(below, self.least), below + step)
        if step != self.least and near[0] < self.bend:
            near = (self.bend, near[1])
        return tuple(dict.fromkeys(min(each, self.most) for each in near if self.has(min(each, self.most))))


def _tier(throughput: int, least: int, most: int) -> Tier:
    return Tier(throughput=throughput, least=least, bend=170 * least, large_step=8 * least, most=most)


TIERS: Final = (
    _tier(125, 72_000, 80_064_000),
    _tier(250, 36_000, 40_032_000),
    _tier(500, 18_000, 20_016_000),
    _tier(1000, 9_000, 10_008_000),
)
_BY_THROUGHPUT: Final = {each.throughput: each for each in TIERS}


def tier(throughput: int) -> Tier:
    """The tier of that throughput.

    Raises:
        KeyError: there is none.
    """
    return _BY_THROUGHPUT[throughput]
