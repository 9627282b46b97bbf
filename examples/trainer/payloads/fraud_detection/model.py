"""The model: features of rows, logistic regression by stochastic gradient descent on them, and how well it does.

Its whole state is the coefficients, the number of steps, and the mean and spread of each feature. As numbers in JSON,
any program can read it, and reading runs no code, unlike unpickling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Protocol, cast

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import SGDClassifier

from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.table import NAMES, Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from payloads.fraud_detection.chain import Figures

_LOGS: Final = ("amount", "amount_ratio", "distance_km", "seconds_since_last", "transactions_24h")
FEATURES: Final = (
    *(f"log {name}" for name in _LOGS),
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
            *(np.log1p(column[name]) for name in _LOGS),
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
    return rows[:, NAMES.index("fraud")] == 1


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


_One = Annotated[tuple[float, ...], msgspec.Meta(min_length=1, max_length=1)]
_Each = Annotated[tuple[float, ...], msgspec.Meta(min_length=len(FEATURES), max_length=len(FEATURES))]
"""A number for each feature."""


class _State(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a model as plain numbers."""

    scaled_rows: _One
    """Number of rows behind the mean and the spread."""
    mean: _Each
    squares: _Each
    """Sum of squared distances from the mean."""
    seen: tuple[float, float]
    """Valid rows, frauds."""
    coefficients: _Each
    intercept: _One
    steps: _One
    features: tuple[str, ...] = FEATURES
    kind: str = "logistic regression"


_ZERO: Final = (0.0,) * len(FEATURES)
_UNTRAINED: Final = _State(
    scaled_rows=(0.0,),
    mean=_ZERO,
    squares=_ZERO,
    seen=(0.0, 0.0),
    coefficients=_ZERO,
    intercept=(0.0,),
    steps=(1.0,),
)


class FraudModel:
    """The model so far."""

    def __init__(self, state: _State = _UNTRAINED) -> None:
        """The model of `state`; without it, a model that has learned nothing."""
        self._rows = state.scaled_rows[0]
        self._mean, self._squares, self._seen = (np.array(each) for each in (state.mean, state.squares, state.seen))
        classifier = SGDClassifier(
            loss="log_loss", alpha=1e-6, learning_rate="invscaling", eta0=0.0005, power_t=0.1, random_state=0
        )
        self._classifier = cast("_Classifier", cast("object", classifier))
        self._classifier.coef_, self._classifier.intercept_ = np.array([state.coefficients]), np.array(state.intercept)
        self._classifier.t_ = state.steps[0]
        self._classifier.classes_, self._classifier.n_features_in_ = _CLASSES, len(FEATURES)

    @classmethod
    def restored(cls, document: Mapping[str, object]) -> FraudModel:
        """The model of a checkpoint; raises StoreError when it is of a model that this program does not know."""
        if document.get("features") != list(FEATURES):
            raise StoreError("the newest checkpoint is of a model with other features; begin with an empty output")
        try:
            return cls(msgspec.convert(document, _State))
        except msgspec.ValidationError as error:
            raise StoreError(f"the model of the newest checkpoint cannot be used: {error}") from error

    def document(self) -> dict[str, object]:
        """The state as plain numbers; reading it back gives exactly this model."""
        state = _State(
            scaled_rows=(self._rows,),
            mean=tuple(self._mean.tolist()),
            squares=tuple(self._squares.tolist()),
            seen=(float(self._seen[0]), float(self._seen[1])),
            coefficients=tuple(self._classifier.coef_.ravel().tolist()),
            intercept=tuple(self._classifier.intercept_.tolist()),
            steps=(float(self._classifier.t_),),
        )
        return msgspec.json.decode(msgspec.json.encode(state))

    def learn(self, values: Matrix, fraud: Mask) -> None:
        """Learn from further rows. Frauds are few: each counts for more, by the root of valid rows per fraud."""
        if not len(values):
            return
        self._scale_by(values)
        self._seen = self._seen + np.array([np.count_nonzero(~fraud), np.count_nonzero(fraud)])
        self._classifier.partial_fit(
            self._scaled(values),
            fraud.astype(np.float64),
            classes=_CLASSES,
            sample_weight=np.where(fraud, self._fraud_weight(), 1.0),
        )

    def log_odds(self, values: Matrix) -> Matrix:
        """Log-odds of fraud for each row, without the extra weight of the frauds."""
        if not len(values):
            return np.zeros(len(values))
        return self._classifier.decision_function(self._scaled(values)) - np.log(self._fraud_weight())

    def _scale_by(self, values: Matrix) -> None:
        """Add rows to the mean and the spread. Source: Chan, Golub and LeVeque, 1979, on updating sums of squares."""
        count = len(values)
        mean = values.mean(axis=0)
        gap, total = mean - self._mean, self._rows + count
        self._squares = self._squares + ((values - mean) ** 2).sum(axis=0) + gap**2 * self._rows * count / total
        self._mean = self._mean + gap * count / total
        self._rows = total

    def _scaled(self, values: Matrix) -> Matrix:
        """The values by their distance from the mean in units of the spread; a feature that never varies is 0."""
        deviation = np.sqrt(self._squares / max(self._rows, 1.0))
        return (values - self._mean) / np.where(deviation > 0, deviation, 1.0)

    def _fraud_weight(self) -> float:
        valid, fraud = self._seen
        return float(min(np.sqrt(max(valid, 1.0) / max(fraud, 1.0)), _MOST_WEIGHT))


_BINS: Final = 1 << 16
_LIMIT: Final = 32.0
"""Log-odds beyond this limit count as the limit: one in 10^14."""


class Tally:
    """The results of scoring rows. Scores are kept in bins of a thousandth of log-odds; those of one bin are ties."""

    def __init__(self) -> None:
        self._counts = np.zeros((2, _BINS), dtype=np.int64)
        self._right = 0

    def add(self, model: FraudModel, rows: Rows) -> None:
        """Score further rows of transactions."""
        self.add_scores(model.log_odds(features(rows)), is_fraud(rows))

    def add_scores(self, log_odds: Matrix, fraud: Mask) -> None:
        """Further log-odds of fraud, and the truth."""
        self._right += int(np.count_nonzero((log_odds > 0) == fraud))
        unit = (np.clip(log_odds, -_LIMIT, _LIMIT) + _LIMIT) / (2 * _LIMIT)
        bins = np.minimum((unit * _BINS).astype(np.int64), _BINS - 1)
        for label in (0, 1):
            self._counts[label] += np.bincount(bins[fraud == bool(label)], minlength=_BINS)

    def figures(self) -> Figures:
        """Accuracy is the share of rows on the right side of even odds.

        Average precision is the mean precision over the frauds, from the highest score down.
        """
        rows, (valid, fraud) = int(self._counts.sum()), self._counts[:, ::-1]
        found = np.cumsum(fraud)
        precision = found / np.maximum(np.cumsum(valid) + found, 1)
        average = float((precision * fraud).sum() / found[-1]) if found[-1] else None
        return {"rows": rows, "accuracy": self._right / rows if rows else None, "average_precision": average}
