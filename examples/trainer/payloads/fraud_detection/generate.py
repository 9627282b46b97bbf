"""Made-up card transactions for users without data: seeded, so that the same call makes the same files.

Valid transactions and three kinds of fraud overlap on purpose: a stolen card is used fast and for large amounts, a
copied terminal for small ones, a leaked number online and abroad.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

import numpy as np

from payloads.fraud_detection.table import COLUMNS, NAMES, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK_ROWS: Final = 100_000
_DECIMALS: Final = 4
_ID_STEP: Final = 10_000_000_000
"""Transactions of a day have numbers of their own."""


def days(first: dt.date, count: int) -> list[dt.date]:
    """`count` days from the first on."""
    return [first + dt.timedelta(days=offset) for offset in range(count)]


def csv_blocks(day: dt.date, rows: int, *, seed: int, fraud_share: float = 0.01) -> Iterator[bytes]:
    """The dataset of a day as CSV, piece by piece."""
    source = np.random.default_rng([seed, day.toordinal()])
    yield (",".join(NAMES) + "\n").encode()
    for begin in range(0, rows, _BLOCK_ROWS):
        count = min(_BLOCK_ROWS, rows - begin)
        first_id = day.toordinal() * _ID_STEP % 2**53 + begin
        yield _csv(_transactions(source, count, first_id, fraud_share))


def _transactions(source: np.random.Generator, count: int, first_id: int, fraud_share: float) -> Rows:
    fraud = source.random(count) < fraud_share
    kind = np.where(fraud, source.integers(1, 4, count), 0)
    stolen, copied, leaked = (kind == each for each in (1, 2, 3))
    ratio = np.exp(source.normal(np.select([stolen, leaked], [1.3, 0.7], -0.1), 0.6))
    night = source.random(count) < np.where(fraud, 0.35, 0.08)
    columns = {
        "transaction_id": first_id + np.arange(count, dtype=np.float64),
        "seconds": np.floor(source.uniform(0, 86_400, count) * np.where(night, 0.25, 1.0)),
        "amount": ratio * np.exp(source.normal(3.3, 0.8, count)),
        "amount_ratio": ratio,
        "distance_km": np.exp(source.normal(np.select([stolen, leaked], [4.0, 6.0], 2.0), 1.2)),
        "seconds_since_last": np.exp(source.normal(np.where(stolen, 7.5, 9.8), 1.3)),
        "transactions_24h": source.poisson(np.where(stolen | leaked, 5.0, 2.0)).astype(np.float64),
        "terminal_risk": np.where(copied, source.beta(2.0, 12.0, count), source.beta(0.6, 40.0, count)),
        "is_online": _drawn(source, np.where(leaked, 0.9, 0.3)),
        "is_foreign": _drawn(source, np.select([leaked, stolen], [0.7, 0.3], 0.08)),
        "fraud": fraud.astype(np.float64),
    }
    highest = np.array([column.highest for column in COLUMNS])
    return np.minimum(np.column_stack([columns[name] for name in NAMES]), highest)


def _drawn(source: np.random.Generator, chances: Rows) -> Rows:
    return (source.random(len(chances)) < chances).astype(np.float64)


def _csv(rows: Rows) -> bytes:
    """Whole columns without a decimal point, the others with at most four decimals."""
    columns: list[list[float]] = [
        values.astype(np.int64).tolist() if column.is_whole else values.round(_DECIMALS).tolist()
        for column, values in zip(COLUMNS, rows.T, strict=True)
    ]
    return "".join(f"{','.join(map(str, row))}\n" for row in zip(*columns, strict=True)).encode()
