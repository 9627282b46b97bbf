"""The queue of datasets: which worker has which, for how long, and which were given up.

    datasets             waiting, the next one at the left
    datasets:processing  taken by a worker
    datasets:leases      until when, by whom, under which token
    datasets:attempts    how often it was taken
    datasets:dead        given up: dataset, reason, worker, attempts and time, as JSON
    datasets:chain       who may extend the chain of checkpoints

A worker that is silent for the length of its lease has lost its datasets. It notices that at its next step.
"""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from payloads.fraud_detection import scripts
from payloads.fraud_detection.errors import LostError

if TYPE_CHECKING:
    from payloads.fraud_detection.connect import Server

QUEUE: Final = "datasets"
_KEYS: Final = (QUEUE, f"{QUEUE}:processing", f"{QUEUE}:leases", f"{QUEUE}:attempts", f"{QUEUE}:dead")
_LOCK: Final = (f"{QUEUE}:chain",)
_RENEWALS: Final = 4
"""How many times a lease is renewed within its length."""


@dataclass(frozen=True, slots=True)
class Expired:
    """A dataset whose worker's lease ran out."""

    dataset: str
    worker: str
    is_dead: bool
    """Whether it was given up; else it waits again."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A dataset that this worker has, or none."""

    dataset: str | None
    attempt: int
    token: str
    others: int
    """How many datasets other workers have; only counted when nothing waits."""
    expired: tuple[Expired, ...]


@dataclass(frozen=True, slots=True)
class State:
    """The content of the lists."""

    waiting: tuple[str, ...]
    processing: tuple[str, ...]
    dead: tuple[dict[str, object], ...]


class WorkQueue:
    """The queue as one worker sees it."""

    def __init__(self, server: Server, worker: str, *, lease_seconds: float = 60.0, tries: int = 5) -> None:
        """`worker` names it in leases and on the dead list."""
        self._server = server
        self._worker = worker
        self._milliseconds = round(1000 * lease_seconds)
        self._tries = tries

    def claim(self) -> Claim:
        """The next dataset; datasets with expired leases are put back first, or given up after so many tries."""
        token = uuid.uuid4().hex
        answer = self._server.run(scripts.CLAIM, _KEYS, token, self._worker, self._milliseconds, self._tries)
        name, attempt, others, *said = cast("list[str | int]", answer)
        triples = zip(said[::3], said[1::3], said[2::3], strict=True)
        expired = tuple(Expired(str(dataset), str(worker), kind == "dead") for kind, dataset, worker in triples)
        return Claim(str(name) if name else None, int(attempt), token, int(others), expired)

    def lease(self, claim: Claim) -> Lease:
        """The lease on the claimed dataset."""
        return Lease(self._server, _KEYS, (scripts.RENEW, str(claim.dataset), claim.token), self._milliseconds)

    def finish(self, claim: Claim) -> bool:
        """The dataset is in the chain. False when this worker has lost it: another one will find it in the chain."""
        return bool(self._server.run(scripts.FINISH, _KEYS, str(claim.dataset), claim.token))

    def put_back(self, claim: Claim) -> bool:
        """Put the dataset back at the front of the queue, as if it had not been taken."""
        return bool(self._server.run(scripts.PUT_BACK, _KEYS, str(claim.dataset), claim.token))

    def fail(self, claim: Claim, reason: str, *, is_final: bool) -> bool:
        """The dataset could not be trained. Returns whether it is on the dead list now, at once if `is_final`."""
        tries = 0 if is_final else self._tries
        return self._server.run(scripts.FAIL, _KEYS, str(claim.dataset), claim.token, tries, reason) == 2  # noqa: PLR2004

    def lock(self, owner: str) -> tuple[int, Lease] | None:
        """The right to extend the chain: its fence, and the lease on it. None while another owner has it."""
        fence = str(self._server.run(scripts.LOCK, _LOCK, owner, self._milliseconds))
        return (int(fence), Lease(self._server, _LOCK, (scripts.HOLD, owner), self._milliseconds)) if fence else None

    def unlock(self, owner: str) -> None:
        """Release the right, if it is still held."""
        self._server.run(scripts.UNLOCK, _LOCK, owner)

    def add(self, names: list[str]) -> dict[str, str]:
        """Queue datasets; returns `new` for each, or `queued` or `dead` for a known one, which is left alone."""
        answer = cast("list[str]", self._server.run(scripts.ENQUEUE, _KEYS, *names))
        return dict(zip(names, answer, strict=True))

    def revive(self, name: str | None) -> int:
        """Queue a dataset of the dead list again, or all of them; returns how many."""
        return cast("int", self._server.run(scripts.REVIVE, _KEYS, *(() if name is None else (name,))))

    def state(self) -> State:
        """The datasets that wait, are in work, and were given up."""
        waiting, processing, dead = (
            tuple(cast("list[str]", self._server.call("LRANGE", key, 0, -1))) for key in (_KEYS[0], _KEYS[1], _KEYS[4])
        )
        return State(waiting, processing, tuple(cast("dict[str, object]", json.loads(text)) for text in dead))


class Lease:
    """A dataset or lock of this worker for a while, renewed by the worker's steps: without a step it runs out."""

    def __init__(
        self, server: Server, keys: tuple[str, ...], script: tuple[str, *tuple[str, ...]], milliseconds: int
    ) -> None:
        """`script` with its first arguments renews it for so many milliseconds."""
        self._server = server
        self._keys = keys
        self._script = script
        self._milliseconds = milliseconds
        self._renewed = time.monotonic()

    def keep(self) -> None:
        """Renew it when it is time.

        Raises:
            LostError: another worker has it.
        """
        if time.monotonic() - self._renewed >= self._milliseconds / 1000 / _RENEWALS:
            self.make_sure()

    def make_sure(self) -> None:
        """Renew it now.

        Raises:
            LostError: another worker has it.
        """
        script, *arguments = self._script
        if not self._server.run(script, self._keys, *arguments, self._milliseconds):
            raise LostError("its lease ran out and another worker took over")
        self._renewed = time.monotonic()
