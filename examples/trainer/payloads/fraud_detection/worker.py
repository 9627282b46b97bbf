"""A worker: it claims one dataset after the other, extends the chain by each, and ends when the queue is empty.

A worker reads a whole dataset, which finds every fault, before it takes the chain's lock: workers do that in parallel.
Training continues from the newest checkpoint, so only one worker trains at a time.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection import report
from payloads.fraud_detection.errors import (
    BadDataError,
    DatasetReadError,
    LostError,
    ServerError,
    StoppedError,
    StoreError,
)
from payloads.fraud_detection.process import EXIT_STOPPED, Log, Stop
from payloads.fraud_detection.table import Reading
from payloads.fraud_detection.training import train

if TYPE_CHECKING:
    from collections.abc import Generator

    from payloads.fraud_detection.chain import Chain, Checkpoint, Links
    from payloads.fraud_detection.share import Dataset, Share
    from payloads.fraud_detection.workqueue import Claim, Lease, WorkQueue

_TURN_SECONDS: Final = 0.1
"""Between two looks at a lock or a dataset that another worker has."""


@dataclass(slots=True)
class Worker:
    """One worker."""

    session: str
    share: Share
    chain: Chain
    queue: WorkQueue
    stop: Stop
    log: Log
    chunk_rows: int
    _waits: bool = False
    _held: list[Lease] = field(default_factory=list["Lease"])
    """The lease of the dataset and, in the worker's turn, the chain's lock."""

    def run(self) -> int:
        """Work until the queue is empty (0) or the end is asked for (143).

        Raises:
            ServerError: Redis did not answer within its patience.
            StoreError: the share cannot be used.
        """
        self.log.say("session", f"Worker with sessionID: {self.session}", session=self.session)
        try:
            is_empty = not self.queue.names()
            self.log.say("queue", f"Initial queue state: empty={is_empty}", empty=is_empty)
            while self._next():
                self.stop.check()
        except StoppedError:
            self.log.say("stopped", "Asked to end: stopped between two steps")
            return EXIT_STOPPED
        dead = len(self.queue.state().dead)
        if dead:
            self.log.say("dead", f"{dead} datasets on the dead list: `status` says why", dead=dead)
        self.log.say("empty", "Queue empty, exiting")
        return 0

    def _next(self) -> bool:
        """Take a step; False when no worker has anything left to do."""
        claim = self.queue.claim()
        if claim is not None:
            self._waits = False
            self._handle(claim)
            return True
        others = len(self.queue.names())
        if others and not self._waits:
            # Those workers may die: if this one ended now, nobody would train their datasets.
            self.log.say("waits", f"Queue empty, but other workers have {others} datasets: waiting")
            self._waits = True
        if others:
            self.stop.wait(_TURN_SECONDS)
        return others > 0

    def _handle(self, claim: Claim) -> None:
        """Train a dataset, or put it back into the queue, or give it up."""
        entry = claim.dataset
        self.log.say("processing", f"Processing dataset: {entry}", dataset=entry, attempt=claim.attempt)
        self._held = [claim.lease]
        try:
            self._train(claim, self.share.dataset(entry))
        except BadDataError as error:
            self.queue.fail(claim, str(error), is_final=True)
            self.log.say("dead", f"Dataset {entry} given up: {error}", dataset=entry, reason=str(error))
        except DatasetReadError as error:
            is_dead = self.queue.fail(claim, str(error), is_final=False)
            became = "given up" if is_dead else "to be tried again"
            self.log.say("failed", f"Dataset {entry} {became}: {error}", dataset=entry, reason=str(error), dead=is_dead)
        except LostError as error:
            # This puts the dataset back only if it is still this worker's.
            self.queue.put_back(claim)
            self.log.say("lost", f"Dataset {entry} left: {error}", dataset=entry, reason=str(error))
        except (StoppedError, StoreError):
            self.queue.put_back(claim)
            self.log.say("returned", f"Dataset {entry} returned to the queue", dataset=entry)
            raise

    def _train(self, claim: Claim, dataset: Dataset) -> None:
        """Read the dataset in parallel with other workers, then train and publish in this worker's turn."""
        is_known = dataset.name in self.chain.read().trained
        data_sha256 = None if is_known else self._read(dataset).checked()
        with self._turn() as links:
            if data_sha256 is None or dataset.name in links.trained:
                text = f"Dataset {dataset.name} is in the chain already: not trained again"
                self.log.say("known", text, dataset=dataset.name)
            else:
                self._publish(train(dataset, links, self.share, self._read, expected=data_sha256, worker=self.session))
        self.queue.finish(claim)

    def _read(self, dataset: Dataset) -> Reading:
        return Reading(dataset, self._keep, chunk_rows=self.chunk_rows)

    def _keep(self) -> None:
        """Between two chunks."""
        self.stop.check()
        for lease in self._held:
            lease.keep()

    @contextmanager
    def _turn(self) -> Generator[Links]:
        """The chain, with its lock; work that an earlier worker left undone is done first."""
        while (lock := self.queue.lock_chain()) is None:
            self._keep()
            self.stop.wait(_TURN_SECONDS)
        self._held.append(lock)
        try:
            self.chain.tidy()
            links = self.chain.read()
            report.complete(self.chain, links)
            yield links
        finally:
            self._held.remove(lock)
            self._unlock(lock)

    def _unlock(self, lock: Lease) -> None:
        try:
            lock.end()
        except (ServerError, StoppedError) as error:
            self.log.say("left", f"The chain's lock is left to run out: {error or 'asked to end'}")

    def _publish(self, made: Checkpoint) -> None:
        for lease in self._held:
            lease.renew()
        self.chain.publish(made)
        report.complete(self.chain, self.chain.read())
        part = "testing" if "testing" in made.metrics else "held_out"
        figures = made.metrics[part]
        words = ", ".join(
            f"{key.replace('_', ' ')} {'none' if figures[key] is None else f'{figures[key]:.4f}'}"
            for key in ("accuracy", "average_precision")
        )
        rows = made.metrics["training"]["rows"]
        text = f"Checkpoint {made.position}: {made.dataset}, {rows} rows in {made.seconds:.1f} s, {words} ({part})"
        self.log.say(
            "checkpoint",
            text,
            dataset=made.dataset,
            position=made.position,
            seconds=made.seconds,
            digest=made.digest,
            metrics=made.metrics,
        )
