"""Filestore's tiers: how large a share of each may be, where it lies, and what it can do.

Source: the reference of the Filestore API (Instance.tier, FileShareConfig) and of Google's Terraform provider
(filestore_instance), read 2026-11. For a ZONAL or REGIONAL share, sources name 100 and 1024 GiB as the least; the table
has the smaller, so that nothing is refused wrongly.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

SHARE_NAME_LENGTH: Final = 16
"""Characters of the name of a share."""
INSTANCE_NAME_LENGTH: Final = 63
"""Characters of the name of an instance."""


class Tier(Struct, frozen=True, kw_only=True):
    """A tier of Filestore; capacities are in GiB."""

    name: str
    least: int
    most: int
    steps: tuple[tuple[int, int], ...]
    """From which capacity on it grows in steps of how much, the smallest first."""
    is_regional: bool
    """Whether it lies in a region; otherwise it lies in a zone."""
    has_deletion_protection: bool
    has_nfs_4: bool
    """Whether it speaks NFSv4.1; otherwise NFSv3 only."""

    def step_at(self, capacity: int) -> int:
        """The step in which a share of `capacity` grows."""
        return [step for begin, step in self.steps if begin <= max(capacity, self.least)][-1]

    def nearest(self, capacity: int) -> tuple[int, ...]:
        """The capacities next to `capacity` that the tier has, one below and one above where both exist.

        >>> tier("ENTERPRISE").nearest(1100), tier("BASIC_HDD").nearest(100)
        ((1024, 1280), (1024,))
        """
        if capacity < self.least:
            return (self.least,)
        if capacity > self.most:
            return (self.most,)
        step = self.step_at(capacity)
        below = capacity // step * step
        return (capacity,) if below == capacity else tuple(c for c in (below, below + step) if self.has(c))

    def has(self, capacity: int) -> bool:
        """Whether a share may have `capacity`."""
        return self.least <= capacity <= self.most and capacity % self.step_at(capacity) == 0


_FREE: Final = ((0, 1),)
_LARGE_STEPS: Final = ((0, 1), (10240, 2560))


def _basic(name: str, *, least: int) -> Tier:
    return Tier(
        name=name,
        least=least,
        most=65433,
        steps=_FREE,
        is_regional=False,
        has_deletion_protection=False,
        has_nfs_4=False,
    )


def _later(name: str, *, least: int, most: int, steps: tuple[tuple[int, int], ...], is_regional: bool) -> Tier:
    return Tier(
        name=name,
        least=least,
        most=most,
        steps=steps,
        is_regional=is_regional,
        has_deletion_protection=True,
        has_nfs_4=True,
    )


TIERS: Final = (
    _basic("BASIC_HDD", least=1024),
    _basic("BASIC_SSD", least=2560),
    _later("ZONAL", least=100, most=102400, steps=_LARGE_STEPS, is_regional=False),
    _later("REGIONAL", least=100, most=102400, steps=_LARGE_STEPS, is_regional=True),
    _later("ENTERPRISE", least=1024, most=10240, steps=((0, 256),), is_regional=True),
)
FORMER_NAMES: Final = {"STANDARD": "BASIC_HDD", "PREMIUM": "BASIC_SSD", "HIGH_SCALE_SSD": "ZONAL"}
"""Names that the API still takes, and what the tier is called now."""
_BY_NAME: Final = {each.name: each for each in TIERS}


def tier(name: str) -> Tier:
    """The tier `name`.

    Raises:
        KeyError: there is none of that name.
    """
    return _BY_NAME[name]


def named(name: str) -> Tier | None:
    """The tier of that name, or of a former name; None where there is none.

    >>> named("PREMIUM") is tier("BASIC_SSD"), named("GOLD")
    (True, None)
    """
    return _BY_NAME.get(FORMER_NAMES.get(name, name))
