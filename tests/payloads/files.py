"""Datasets that are made for a test, sound and otherwise."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.generate import csv_blocks
from payloads.fraud_detection.share import Dataset, Share
from payloads.fraud_detection.table import NAMES

if TYPE_CHECKING:
    from pathlib import Path

DAY: Final = dt.date(2018, 4, 1)
HEADER: Final = ",".join(NAMES).encode() + b"\n"
ROW: Final = b"1,3600,12.5,1.0,3.2,7200,2,0.01,0,1,0\n"
"""A sound row; its cells are in the order of the schema."""


def sound(rows: int = 500, day: dt.date = DAY) -> bytes:
    """A sound dataset."""
    return b"".join(csv_blocks(day, rows, seed=7, fraud_share=0.05))


def dataset(root: Path, content: bytes, name: str = "x.csv") -> Dataset:
    """A file with that content in the datasets of the share `root`."""
    path = root / "datasets" / "training" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return Share(root).dataset(f"datasets/training/{name}")
