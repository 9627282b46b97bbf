"""The columns of a dataset: the values of one card transaction, with their bounds.

A dataset is a CSV file in UTF-8: a header with exactly these names in any order, then a row per transaction, no
quoting, no empty cell. The bounds are wide; they catch columns that were swapped or are in another unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Column:
    """One column of numbers."""

    name: str
    meaning: str
    highest: float
    """The largest value; the smallest is 0."""
    is_whole: bool = False
    """Whether every value is a whole number."""


COLUMNS: Final = (
    Column("transaction_id", "number of the transaction", 2**53, is_whole=True),
    Column("seconds", "time of day, seconds since midnight UTC", 86_399, is_whole=True),
    Column("amount", "amount, in euro", 10_000_000),
    Column("amount_ratio", "amount divided by the card's mean amount of the last 30 days", 1_000_000),
    Column("distance_km", "distance from the card holder's home, in kilometres", 20_040),
    Column("seconds_since_last", "seconds since the card's previous transaction, at most 30 days", 2_592_000),
    Column("transactions_24h", "transactions of the card in the last 24 hours", 100_000, is_whole=True),
    Column("terminal_risk", "fraction of the terminal's transactions in the last 7 days that were reported", 1),
    Column("is_online", "1 when the card was not present", 1, is_whole=True),
    Column("is_foreign", "1 when the merchant is in another country", 1, is_whole=True),
    Column("fraud", "the label: 1 for fraud, 0 for valid", 1, is_whole=True),
)
NAMES: Final = tuple(column.name for column in COLUMNS)
_MOST_SHOWN: Final = 5
LABEL: Final = NAMES.index("fraud")


def header_fault(names: list[str]) -> str | None:
    """The fault of a header's names, None when they are exactly the columns.

    >>> header_fault(list(NAMES))
    >>> header_fault([*NAMES[:-1], "Fraud"])
    "it lacks fraud; it has 'Fraud', not in the schema"
    """
    missing = [name for name in NAMES if name not in names]
    unknown = [name for name in names if name not in NAMES]
    twice = [name for name in NAMES if names.count(name) > 1]
    faults = [f"it lacks {', '.join(missing)}"] if missing else []
    if unknown:
        shown = ", ".join(repr(name[:40]) for name in unknown[:_MOST_SHOWN])
        faults.append(f"it has {shown}, not in the schema")
    if twice:
        faults.append(f"it has {twice[0]} more than once")
    return "; ".join(faults) if faults else None


def cell_fault(column: Column, text: str) -> str | None:
    """The fault of one cell, None when it is a value of the column.

    >>> cell_fault(COLUMNS[-1], "2")
    'fraud is 2, above 1'
    """
    shown = repr(text[:40])
    if not text.strip() or text.strip().lower() == "nan":
        return f"{column.name} has no value"
    try:
        value = float(text)
    except ValueError:
        return f"{column.name} is {shown}, which is not a number"
    if value < 0:
        return f"{column.name} is {text.strip()[:40]}, below 0"
    if value > column.highest:
        return f"{column.name} is {text.strip()[:40]}, above {column.highest:.0f}"
    if column.is_whole and value != int(value):
        return f"{column.name} is {text.strip()[:40]}, which is not a whole number"
    return None
