"""Kubernetes quantities by resource name as whole numbers, exact enough to be compared: thousandths of the unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.facts.quantities import thousandths

if TYPE_CHECKING:
    from collections.abc import Mapping

Amounts = dict[str, int]
"""Thousandths by resource name: 1500 of `cpu` are one and a half."""


def amounts(quantities: Mapping[str, str | float]) -> Amounts:
    """Quantities by resource name."""
    return {name: thousandths(str(quantity)) for name, quantity in quantities.items()}


def added(left: Mapping[str, int], right: Mapping[str, int]) -> Amounts:
    """The sums by name."""
    return {name: left.get(name, 0) + right.get(name, 0) for name in {**left, **right}}


def largest(left: Mapping[str, int], right: Mapping[str, int]) -> Amounts:
    """The greater of both by name."""
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in {**left, **right}}
