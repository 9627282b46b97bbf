"""The features of a row, and the rows that the model never learns from. Nothing here is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from payloads.fraud_detection.schema import LABEL, NAMES

if TYPE_CHECKING:
    from payloads.fraud_detection.table import Rows

FEATURES: Final = (
    "log amount",
    "log amount_ratio",
    "log distance_km",
    "log seconds_since_last",
    "log transactions_24h",
    "root terminal_risk",
    "is_online",
    "is_foreign",
    "online and foreign",
    "sine of the hour",
    "cosine of the hour",
)
"""The form in each checkpoint: a model that was trained on other features is not trained further."""
_DAY: Final = 86_400
_HELD_OUT: Final = 10
"""One row in so many is held out."""
_MIX: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Increment and multipliers of SplitMix64. Source: Steele, Lea and Flood, OOPSLA 2014."""

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]


def features(rows: Rows) -> Matrix:
    """Rows by features, in the order of `FEATURES`."""
    column = dict(zip(NAMES, rows.T, strict=True))
    hour = 2 * np.pi * column["seconds"] / _DAY
    return np.column_stack(
        (
            np.log1p(column["amount"]),
            np.log1p(column["amount_ratio"]),
            np.log1p(column["distance_km"]),
            np.log1p(column["seconds_since_last"]),
            np.log1p(column["transactions_24h"]),
            np.sqrt(column["terminal_risk"]),
            column["is_online"],
            column["is_foreign"],
            column["is_online"] * column["is_foreign"],
            np.sin(hour),
            np.cos(hour),
        )
    )


def is_fraud(rows: Rows) -> Mask:
    """The label of each row."""
    return rows[:, LABEL] == 1


def is_held_out(rows: Rows) -> Mask:
    """Which rows are for evaluation alone, by a hash of their values.

    It is the same in every run and chunk, and the same row is on the same side wherever it appears again.
    """
    increment, first, second = _MIX
    state = np.zeros(len(rows), dtype=np.uint64)
    for bits in np.ascontiguousarray(rows).view(np.uint64).T:
        mixed = (state ^ bits) + increment
        mixed = (mixed ^ (mixed >> np.uint64(30))) * first
        mixed = (mixed ^ (mixed >> np.uint64(27))) * second
        state = mixed ^ (mixed >> np.uint64(31))
    return state % np.uint64(_HELD_OUT) == 0
