"""Kubernetes quantities as whole numbers, exact enough to be compared: thousandths of the resource's unit."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Amounts = dict[str, int]
"""Thousandths by resource name: 1500 of `cpu` are one and a half."""

_SUFFIXES: Final = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
    "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}


def thousandths(quantity: str | float) -> int:
    """A quantity as the API server sends it, rounded up.

    >>> thousandths("500m"), thousandths("2Gi"), thousandths(4), thousandths("1e3")
    (500, 2147483648000, 4000, 1000000)
    """
    text = str(quantity)
    suffix = text[-2:] if text[-2:] in _SUFFIXES else text[-1:] if text[-1:] in _SUFFIXES else ""
    number = Decimal(text.removesuffix(suffix)) * _SUFFIXES.get(suffix, Decimal(1))
    return math.ceil(number * 1000)


def amounts(quantities: Mapping[str, str | float]) -> Amounts:
    """Quantities by resource name."""
    return {name: thousandths(quantity) for name, quantity in quantities.items()}


def added(left: Mapping[str, int], right: Mapping[str, int]) -> Amounts:
    """The sums by name."""
    return {name: left.get(name, 0) + right.get(name, 0) for name in {**left, **right}}


def largest(left: Mapping[str, int], right: Mapping[str, int]) -> Amounts:
    """The greater of both by name."""
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in {**left, **right}}
