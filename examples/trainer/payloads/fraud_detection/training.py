"""One step: the model of the newest checkpoint is trained on a dataset, and evaluated."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from payloads.fraud_detection.chain import Checkpoint, Links, Parent
from payloads.fraud_detection.errors import BadDataError, StoreError
from payloads.fraud_detection.model import FraudModel, Tally, features, is_fraud, is_held_out
from payloads.fraud_detection.share import TEST, Dataset, Share

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.fraud_detection.table import Reading

    _Read = Callable[[Dataset], Reading]
    """Begins a pass over a dataset."""


def train(dataset: Dataset, links: Links, share: Share, read: _Read, *, expected: str, worker: str) -> Checkpoint:
    """The checkpoint after a dataset of the digest `expected`. It has the same model whoever trains it.

    Raises:
        BadDataError: the file has changed since, or does not follow the schema.
        DatasetReadError: the file cannot be read this time.
        StoreError: the newest checkpoint or the test set cannot be used.
    """
    begin, newest = time.monotonic(), links.newest
    model = FraudModel() if newest is None else FraudModel.restored(newest.model)
    reading = read(dataset)
    for rows in reading.chunks():
        learned = rows[~is_held_out(rows)]
        model.learn(features(learned), is_fraud(learned))
    if reading.sha256 != expected:
        raise BadDataError("it was changed while it was read")
    metrics = _metrics(model, dataset, share, read)
    return Checkpoint(
        position=links.next_position,
        parent=None if newest is None else Parent(newest.position, newest.digest),
        trained=(*links.trained, dataset.name),
        data_sha256=reading.sha256,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        seconds=round(time.monotonic() - begin, 3),
        worker=worker,
        metrics={part: tally.figures() for part, tally in metrics.items()},
        model=model.document(),
    )


def _metrics(model: FraudModel, dataset: Dataset, share: Share, read: _Read) -> dict[str, Tally]:
    """By part: the rows that the model learned from, the held-out rows of the same dataset, the test set."""
    tallies = {"training": Tally(), "held_out": Tally()}
    for rows in read(dataset).chunks():
        held_out = is_held_out(rows)
        tallies["training"].add(model, rows[~held_out])
        tallies["held_out"].add(model, rows[held_out])
    for name in share.entries(TEST):
        tally = tallies.setdefault("testing", Tally())
        try:
            for rows in read(share.dataset(name)).chunks():
                tally.add(model, rows)
        except BadDataError as error:
            raise StoreError(f"the test set {name} cannot be used: {error}") from error
    return tallies
