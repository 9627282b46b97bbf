"""Hyperdisk: sizes and speeds of the two kinds for pods, who may attach a disk, and which machines can.

Sources, read 2026-11: Compute Engine documentation "About Google Cloud Hyperdisk" (size limits, machine series,
limitations), "Hyperdisk performance limits" and "About Hyperdisk ML"; Compute Engine release notes of 2026-02-05 (TPU
v5e, v5p and TPU7x take Hyperdisk ML) and 2026-03-31 (its throughput); GKE documentation "Scale your storage performance
with Hyperdisk". The page "Attach durable block storage to a TPU VM" of Cloud TPU names v6e alone: it is older.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

DRIVER: Final = "pd.csi.storage.gke.io"
LABEL_ZONE: Final = "topology.gke.io/zone"
"""The driver's label of a node's zone."""
NAME_LENGTH: Final = 63
FILE_SYSTEM: Final = "ext4"
MANY_READERS: Final = "ReadOnlyMany"
"""The access mode by which many nodes read a disk that nobody can write any more."""
DiskKind = Literal["ml", "balanced"]
Access = Literal["ReadWriteOnce", "ReadOnlyMany"]


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of Hyperdisk; sizes are in GiB, throughput in MiB/s."""

    id: str
    title: str
    type: str
    """As the Compute Engine API names it."""
    has_iops: bool
    """Whether IOPS can be stated; otherwise they follow from the throughput."""
    is_shared: bool
    """Whether many machines may read one disk."""
    least: int = 4
    most: int = 65_536


ML: Final = Kind(id="ml", title="Hyperdisk ML", type="hyperdisk-ml", has_iops=False, is_shared=True)
BALANCED: Final = Kind(
    id="balanced", title="Hyperdisk Balanced", type="hyperdisk-balanced", has_iops=True, is_shared=False
)
KINDS: Final = {ML.id: ML, BALANCED.id: BALANCED}
MODES: Final = {"ReadWriteOnce": "READ_WRITE_SINGLE", "ReadOnlyMany": "READ_ONLY_MANY"}
"""Access modes of a claim, and what the Compute Engine API calls each."""

_ML_PER_GIB: Final = (Fraction(12, 100), 1600)
_ML_THROUGHPUT: Final = (400, 2_097_152)
_BALANCED_IOPS: Final = (3_000, 160_000)
_BALANCED_IOPS_PER_GIB: Final = 500
_BALANCED_THROUGHPUT: Final = (140, 2_400)
_BYTES_PER_IO: Final = (256, 4)
"""IOPS may be this many times the throughput at most, and must be this many times at least."""
_READERS: Final = ((256, 2_500), (1_024, 600), (2_048, 300), (16_384, 128))
_READERS_OF_LARGE: Final = 30


def ml_throughput(size: int) -> tuple[int, int]:
    """The least and the most throughput of a Hyperdisk ML disk of `size`.

    >>> ml_throughput(100), ml_throughput(65_536)
    ((400, 160000), (7865, 2097152))
    """
    least, most = _ML_PER_GIB
    floor = -(-least.numerator * size // least.denominator)
    return max(_ML_THROUGHPUT[0], floor), min(_ML_THROUGHPUT[1], most * size)


def balanced_iops(size: int) -> tuple[int, int]:
    """The least and the most IOPS of a Hyperdisk Balanced disk of `size`.

    >>> balanced_iops(4), balanced_iops(100), balanced_iops(1000)
    ((2000, 2000), (3000, 50000), (3000, 160000))
    """
    most = min(_BALANCED_IOPS[1], _BALANCED_IOPS_PER_GIB * size)
    return min(_BALANCED_IOPS[0], most), most


def balanced_throughput(iops: int) -> tuple[int, int]:
    """The least and the most throughput of a Hyperdisk Balanced disk of so many IOPS.

    >>> balanced_throughput(3000), balanced_throughput(160_000)
    ((140, 750), (625, 2400))
    """
    least, most = _BYTES_PER_IO
    return max(_BALANCED_THROUGHPUT[0], -(-iops // least)), min(_BALANCED_THROUGHPUT[1], iops // most)


def readers(size: int) -> int:
    """How many machines may read one Hyperdisk ML disk of `size` at once.

    >>> readers(256), readers(257), readers(20_000)
    (2500, 600, 30)
    """
    return next((most for bound, most in _READERS if size <= bound), _READERS_OF_LARGE)


_OF_GENERATIONS: Final = {
    "v5e": (ML,),
    "v5e-device": (ML,),
    "v5p": (ML,),
    "v6e": (ML, BALANCED),
    "tpu7x": (ML, BALANCED),
}
"""By the id of a TPU generation; those that are left out take neither."""
_OF_SERIES: Final = {
    "a2": (ML,),
    "a3": (ML, BALANCED),
    "c3": (ML, BALANCED),
    "g2": (ML,),
    "n4": (ML, BALANCED),
    "e2": (),
    "n1": (),
    "n2": (),
    "n2d": (),
    "t2d": (),
}
"""By the series of an ordinary machine type."""


def of_generation(generation: str) -> tuple[Kind, ...]:
    """The kinds that machines of a TPU generation can attach."""
    return _OF_GENERATIONS.get(generation, ())


def of_series(machine_type: str) -> tuple[Kind, ...] | None:
    """The kinds that an ordinary machine type can attach; None for a series that is not known here.

    >>> [kind.id for kind in of_series("n4-standard-8")], of_series("e2-standard-4"), of_series("z9-standard-4")
    (['ml', 'balanced'], (), None)
    """
    return _OF_SERIES.get(machine_type.partition("-")[0])
