"""One step: the model of the newest checkpoint is trained on a dataset, and evaluated."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from payloads.fraud_detection.chain import Checkpoint, Parent
from payloads.fraud_detection.errors import BadDataError, StoreError
from payloads.fraud_detection.model import FraudModel, Tally, features, is_fraud, is_held_out
from payloads.fraud_detection.share import TEST
from payloads.fraud_detection.table import CHUNK_ROWS, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.fraud_detection.chain import Links
    from payloads.fraud_detection.share import Dataset, Share


class FraudDetectionModelTrainer:
    """Makes checkpoints. The same dataset on the same checkpoint gives the same model, whoever trains it."""

    def __init__(self, share: Share, worker: str, *, chunk_rows: int = CHUNK_ROWS) -> None:
        """`chunk_rows` are read at a time; `worker` is recorded in the checkpoints."""
        self._share = share
        self._worker = worker
        self.chunk_rows = chunk_rows

    def train(
        self, dataset: Dataset, links: Links, *, expected: str, fence: int, between: Callable[[], None]
    ) -> Checkpoint:
        """The checkpoint after a dataset of the digest `expected`; `between` is called after each chunk.

        Raises:
            BadDataError: the file has changed since, or does not follow the schema.
            DatasetReadError: the file cannot be read this time.
            StoreError: the newest checkpoint or the test set cannot be used.
        """
        begin, newest = time.monotonic(), links.newest
        model = FraudModel() if newest is None else FraudModel.restored(newest.model)
        reading = Reading(dataset, chunk_rows=self.chunk_rows)
        for rows in reading.chunks():
            learned = rows[~is_held_out(rows)]
            model.learn(features(learned), is_fraud(learned))
            between()
        if reading.sha256 != expected:
            raise BadDataError("it was changed while it was read")
        metrics = self._metrics(model, dataset, between)
        return Checkpoint(
            position=links.next_position,
            parent=None if newest is None else Parent(newest.position, newest.digest),
            trained=(*links.trained, dataset.name),
            data_sha256=reading.sha256,
            created=datetime.now(UTC).isoformat(timespec="microseconds"),
            seconds=round(time.monotonic() - begin, 3),
            worker=self._worker,
            fence=fence,
            metrics={part: tally.figures() for part, tally in metrics.items()},
            model=model.document(),
        )

    def _metrics(self, model: FraudModel, dataset: Dataset, between: Callable[[], None]) -> dict[str, Tally]:
        """By part: the rows that the model learned from, the held-out rows of the same dataset, the test set."""
        tallies = {"training": Tally(), "held_out": Tally()}
        for rows in Reading(dataset, chunk_rows=self.chunk_rows).chunks():
            held_out = is_held_out(rows)
            tallies["training"].add(model, rows[~held_out])
            tallies["held_out"].add(model, rows[held_out])
            between()
        for name in self._share.entries(TEST):
            tally = tallies.setdefault("testing", Tally())
            try:
                for rows in Reading(self._share.dataset(name), chunk_rows=self.chunk_rows).chunks():
                    tally.add(model, rows)
                    between()
            except BadDataError as error:
                raise StoreError(f"the test set {name} cannot be used: {error}") from error
        return tallies
