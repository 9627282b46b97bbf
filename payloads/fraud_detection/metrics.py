"""Accuracy and average precision of any number of rows in memory of constant size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from payloads.fraud_detection.features import Mask, Matrix

_BINS: Final = 1 << 16
_LIMIT: Final = 32.0
"""Log-odds beyond this limit count as the limit: one in 10^14."""


class Tally:
    """The results of scoring rows. Scores are kept in bins of a thousandth of log-odds; those of one bin are ties."""

    def __init__(self) -> None:
        self._counts = np.zeros((2, _BINS), dtype=np.int64)
        self._right = 0

    def add(self, log_odds: Matrix, fraud: Mask) -> None:
        """Scored rows: log-odds of fraud, and the truth."""
        self._right += int(np.count_nonzero((log_odds > 0) == fraud))
        unit = (np.clip(log_odds, -_LIMIT, _LIMIT) + _LIMIT) / (2 * _LIMIT)
        bins = np.minimum((unit * _BINS).astype(np.int64), _BINS - 1)
        for label in (0, 1):
            self._counts[label] += np.bincount(bins[fraud == bool(label)], minlength=_BINS)

    @property
    def rows(self) -> int:
        """How many were added."""
        return int(self._counts.sum())

    @property
    def accuracy(self) -> float | None:
        """Share of rows that are on the right side of even odds; None without rows."""
        return self._right / self.rows if self.rows else None

    @property
    def average_precision(self) -> float | None:
        """Mean precision over the frauds, from the highest score down; None without frauds."""
        valid, fraud = self._counts[:, ::-1]
        found = np.cumsum(fraud)
        if not found[-1]:
            return None
        precision = found / np.maximum(np.cumsum(valid) + found, 1)
        return float((precision * fraud).sum() / found[-1])

    def document(self) -> dict[str, float | int | None]:
        """The form in a checkpoint."""
        return {"rows": self.rows, "accuracy": self.accuracy, "average_precision": self.average_precision}
