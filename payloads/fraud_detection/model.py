"""The model: logistic regression by stochastic gradient descent, whose training can continue from numbers alone.

Its whole state is the coefficients, the number of steps, and the mean and spread of each feature. As numbers in JSON,
any program can read it, and reading runs no code, unlike unpickling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

import numpy as np
from sklearn.linear_model import SGDClassifier

from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from payloads.fraud_detection.features import Mask, Matrix

_CLASSES: Final = np.array([0.0, 1.0])
_MOST_WEIGHT: Final = 100.0
"""The largest weight of a fraud over a valid row: in a dataset with almost no fraud, one row must not cause a jump."""


class _Classifier(Protocol):
    """The members that are used of scikit-learn's SGDClassifier, which has no types."""

    coef_: Matrix
    intercept_: Matrix
    t_: float
    classes_: Matrix
    n_features_in_: int

    def partial_fit(self, X: Matrix, y: Matrix, *, classes: Matrix, sample_weight: Matrix) -> object: ...  # noqa: N803
    def decision_function(self, X: Matrix) -> Matrix: ...  # noqa: N803


@dataclass(slots=True)
class _Spread:
    """Mean and spread of each feature over all rows so far."""

    rows: float
    mean: Matrix
    squares: Matrix
    """Sum of squared distances from the mean."""

    def add(self, values: Matrix) -> None:
        """Further rows. Source: Chan, Golub and LeVeque, 1979, on updating sums of squares."""
        count = len(values)
        mean = values.mean(axis=0)
        gap, total = mean - self.mean, self.rows + count
        self.squares = self.squares + ((values - mean) ** 2).sum(axis=0) + gap**2 * self.rows * count / total
        self.mean = self.mean + gap * count / total
        self.rows = total

    def scaled(self, values: Matrix) -> Matrix:
        """The values by their distance from the mean in units of the spread; a feature that never varies is 0."""
        deviation = np.sqrt(self.squares / max(self.rows, 1.0))
        return (values - self.mean) / np.where(deviation > 0, deviation, 1.0)


class FraudModel:
    """The model so far."""

    def __init__(self) -> None:
        """A model that has learned nothing."""
        count = len(FEATURES)
        self._spread = _Spread(0.0, np.zeros(count), np.zeros(count))
        self._seen: NDArray[np.float64] = np.zeros(2)
        self._classifier = _new_classifier()

    @classmethod
    def restored(cls, document: Mapping[str, object]) -> FraudModel:
        """The model of a checkpoint.

        Raises:
            StoreError: the document is of a model that this program does not know.
        """
        if document.get("features") != list(FEATURES):
            raise StoreError("the newest checkpoint is of a model with other features; begin with an empty output")
        model, count = cls(), len(FEATURES)
        model._spread = _Spread(
            float(_numbers(document, "scaled_rows", 1)[0]),
            _numbers(document, "mean", count),
            _numbers(document, "squares", count),
        )
        model._seen = _numbers(document, "seen", 2)
        if model._seen.sum() > 0:
            classifier = model._classifier
            classifier.coef_ = _numbers(document, "coefficients", count).reshape(1, count)
            classifier.intercept_ = _numbers(document, "intercept", 1)
            classifier.t_ = float(_numbers(document, "steps", 1)[0])
            classifier.classes_, classifier.n_features_in_ = _CLASSES, count
        return model

    def document(self) -> dict[str, object]:
        """The state as plain numbers; reading it back gives exactly this model."""
        learned = self._seen.sum() > 0
        return {
            "kind": "logistic regression",
            "features": list(FEATURES),
            "scaled_rows": [self._spread.rows],
            "mean": self._spread.mean.tolist(),
            "squares": self._spread.squares.tolist(),
            "seen": self._seen.tolist(),
            "coefficients": self._classifier.coef_.ravel().tolist() if learned else [0.0] * len(FEATURES),
            "intercept": self._classifier.intercept_.tolist() if learned else [0.0],
            "steps": [float(self._classifier.t_) if learned else 1.0],
        }

    def learn(self, values: Matrix, fraud: Mask) -> None:
        """Learn from further rows. Frauds are few: each counts for more, by the root of valid rows per fraud."""
        if not len(values):
            return
        self._spread.add(values)
        self._seen = self._seen + np.array([np.count_nonzero(~fraud), np.count_nonzero(fraud)], dtype=np.float64)
        self._classifier.partial_fit(
            self._spread.scaled(values),
            fraud.astype(np.float64),
            classes=_CLASSES,
            sample_weight=np.where(fraud, self._fraud_weight(), 1.0),
        )

    def log_odds(self, values: Matrix) -> Matrix:
        """Log-odds of fraud for each row, without the extra weight of the frauds."""
        if not len(values) or not self._seen.sum():
            return np.zeros(len(values))
        return self._classifier.decision_function(self._spread.scaled(values)) - np.log(self._fraud_weight())

    def _fraud_weight(self) -> float:
        valid, fraud = self._seen
        return float(min(np.sqrt(max(valid, 1.0) / max(fraud, 1.0)), _MOST_WEIGHT))


def _new_classifier() -> _Classifier:
    classifier = SGDClassifier(
        loss="log_loss", alpha=1e-6, learning_rate="invscaling", eta0=0.0005, power_t=0.1, random_state=0
    )
    return cast("_Classifier", cast("object", classifier))


def _numbers(document: Mapping[str, object], key: str, count: int) -> NDArray[np.float64]:
    """The `count` finite numbers under `key`; raises StoreError for anything else."""
    try:
        numbers = np.array(document.get(key), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StoreError(f"the newest checkpoint's {key} is not a list of numbers") from error
    if numbers.shape != (count,) or not np.all(np.isfinite(numbers)):
        raise StoreError(f"the newest checkpoint's {key} is not a list of {count} numbers")
    return numbers
