"""The queue of datasets in Redis: which wait, which worker has which, and which were given up.

    datasets             paths that are not done, the next one first; a dataset stays here while a worker has it
    datasets:lease:PATH  lock of redis-py: the token of the worker that has the dataset; it expires
    datasets:workers     hash by path: session of the worker that has the dataset, or had it when its lease ran out
    datasets:attempts    hash by path: number of tries that failed
    datasets:dead        given up: dataset, reason, worker, attempts and time, as JSON
    datasets:chain-lock  lock of redis-py: the token of the worker that may extend the chain of checkpoints; it expires

A worker that is silent for the length of its lease loses its dataset to the next worker that asks. It notices at its
next step, or, if the other worker has finished by then, when it publishes.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from payloads.fraud_detection.errors import LostError, ServerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from redis.lock import Lock

    from payloads.fraud_detection.process import Log

_T = TypeVar("_T")

QUEUE: Final = "datasets"
_LEASE: Final = f"{QUEUE}:lease:"
_WORKERS: Final = f"{QUEUE}:workers"
_ATTEMPTS: Final = f"{QUEUE}:attempts"
_DEAD: Final = f"{QUEUE}:dead"
_CHAIN: Final = f"{QUEUE}:chain-lock"
_RENEWALS: Final = 4
"""How many times a lease is renewed within its length."""
_PORT: Final = 6379
_REPLY_SECONDS: Final = 5.0
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0


class _Commands(Protocol):
    """The methods that are used of redis-py's client and its transactions, whose own types say little."""

    def lrange(self, key: str, first: int, last: int, /) -> list[str]: ...
    def lpos(self, key: str, value: str, /) -> int | None: ...
    def hget(self, key: str, field: str, /) -> str | None: ...
    def hkeys(self, key: str, /) -> list[str]: ...
    def lock(self, name: str, *, timeout: float) -> Lock: ...
    def transaction(self, func: Callable[[_Commands], None], *watched: str) -> object: ...
    def multi(self) -> None: ...
    def rpush(self, key: str, /, *values: str) -> object: ...
    def lrem(self, key: str, count: int, value: str, /) -> object: ...
    def hset(self, key: str, field: str, value: str | int, /) -> object: ...
    def hdel(self, key: str, field: str, /) -> object: ...
    def delete(self, key: str, /) -> object: ...


@dataclass(frozen=True, slots=True)
class Address:
    """The address of Redis."""

    host: str
    port: int
    password: str | None

    @classmethod
    def found(cls, environment: Mapping[str, str], host: str | None = None, port: int | None = None) -> Address:
        """From the flags, else from REDIS_HOST, REDIS_PORT and REDIS_PASSWORD.

        A Service of that name in the pod's own environment is taken at its address there: it needs no DNS.

        Raises:
            ServerError: REDIS_PORT is not a number.
        """
        name = host if host is not None else environment.get("REDIS_HOST", "localhost")
        service = name.upper().replace("-", "_")
        address = environment.get(f"{service}_SERVICE_HOST")
        variable = "REDIS_PORT" if address is None else f"{service}_SERVICE_PORT"
        given = environment.get(variable, str(_PORT)) if port is None else str(port)
        if not given.isdecimal():
            raise ServerError(f"the port of Redis is {given!r}, which is not a number: set REDIS_PORT")
        return cls(name if address is None else address, int(given), environment.get("REDIS_PASSWORD"))


class Server:
    """A Redis that may be gone for a while."""

    def __init__(self, address: Address, *, patience: float, wait: Callable[[float], None]) -> None:
        """`patience` in seconds is how long Redis may be gone at a time; `wait` may raise to end the waiting."""
        self._at = f"Redis at {address.host}:{address.port}"
        self._patience = patience
        self._wait = wait
        client = redis.Redis(
            host=address.host,
            port=address.port,
            password=address.password,
            decode_responses=True,
            encoding_errors="surrogateescape",  # a name that is not UTF-8 must not stop readers of the list
            socket_timeout=_REPLY_SECONDS,
            socket_connect_timeout=_REPLY_SECONDS,
            retry=Retry(NoBackoff(), 0),  # its own retries neither end on a signal nor cover the handshake
        )
        self._client = cast("_Commands", client)

    def run(self, step: Callable[[_Commands], _T]) -> _T:
        """The result of a step. It begins again when the connection is lost: doing it twice must be as good as once.

        Raises:
            ServerError: there is no answer within the patience, or the server refuses.
        """
        deadline, pause = time.monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                return step(self._client)
            except exceptions.AuthenticationError as error:
                raise ServerError(f"{self._at} refuses the password in REDIS_PASSWORD: {error}") from error
            except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
                if time.monotonic() >= deadline:
                    raise ServerError(f"{self._at} did not answer for {self._patience:.0f} s") from error
            except exceptions.RedisError as error:
                raise ServerError(f"{self._at} answers: {error}") from error
            self._wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def lease(self, key: str, seconds: float) -> Lease | None:
        """The lock under `key`, None while somebody has it.

        When the answer to a successful request is lost, the lock looks like another's until it expires.
        """
        lock = self._client.lock(key, timeout=seconds)
        return Lease(self, lock, seconds) if self.run(lambda _: lock.acquire(blocking=False)) else None


class Lease:
    """A lock of this worker for a while, renewed by the worker's steps: without a step it runs out."""

    def __init__(self, server: Server, lock: Lock, seconds: float) -> None:
        """`lock` was just acquired for so many seconds."""
        self._server = server
        self._lock = lock
        self._seconds = seconds
        self._renewed = time.monotonic()

    def keep(self) -> None:
        """Renew it when it is time; raises LostError as `renew` does."""
        if time.monotonic() - self._renewed >= self._seconds / _RENEWALS:
            self.renew()

    def renew(self) -> None:
        """Renew it now. One that ran out is taken again, also after another worker had it and released it.

        Raises:
            LostError: it ran out, and another worker has it.
        """

        def renewed(_: object) -> bool:
            try:
                return self._lock.reacquire()
            except exceptions.LockNotOwnedError:
                return self._lock.acquire(blocking=False)  # slow, not lost: `publish` fails if a rival was here

        if not self._server.run(renewed):
            raise LostError("its lease ran out and another worker took over")
        self._renewed = time.monotonic()

    def change(self, commands: Callable[[_Commands], object]) -> bool:
        """Carry out `commands` in one transaction, or nothing and False when the lease ran out."""
        is_held = False

        def step(transaction: _Commands) -> None:
            nonlocal is_held
            is_held = self._lock.owned()  # the key is watched: if it changes after this, all begins again
            transaction.multi()
            if is_held:
                commands(transaction)

        self._server.run(lambda client: client.transaction(step, self._lock.name))
        return is_held

    def end(self, commands: Callable[[_Commands], object] = lambda _: None) -> bool:
        """Carry out `commands` and release the lock in one transaction; False when the lease ran out before."""

        def last(transaction: _Commands) -> None:
            commands(transaction)
            transaction.delete(self._lock.name)

        return self.change(last)


@dataclass(frozen=True, slots=True)
class Claim:
    """A dataset that this worker has."""

    dataset: str
    attempt: int
    """Number of this try, from 1."""
    lease: Lease


@dataclass(frozen=True, slots=True)
class State:
    """The datasets of the queue."""

    waiting: tuple[str, ...]
    processing: tuple[str, ...]
    """Those of a worker, which may have died since."""
    dead: tuple[dict[str, object], ...]


class WorkQueue:
    """The queue as one worker sees it."""

    def __init__(self, server: Server, worker: str, log: Log, *, lease_seconds: float, tries: int) -> None:
        """`worker` is the name of its session."""
        self._server = server
        self._worker = worker
        self._log = log
        self._lease_seconds = lease_seconds
        self._tries = tries

    def claim(self) -> Claim | None:
        """The first dataset that no other worker has. One whose workers died is given up after so many tries."""
        for name in self.names():
            lease = self._server.lease(_LEASE + name, self._lease_seconds)
            claim = None if lease is None else self._claimed(name, lease)
            if claim is not None:
                return claim
        return None

    def _claimed(self, name: str, lease: Lease) -> Claim | None:
        """The claim on a dataset whose lock was just acquired."""
        if self._server.run(lambda client: client.lpos(QUEUE, name)) is None:
            lease.end()  # another worker finished it after the list was read
            return None
        last = self._server.run(lambda client: client.hget(_WORKERS, name))
        failed = int(self._server.run(lambda client: client.hget(_ATTEMPTS, name)) or 0)
        if last is not None and last != self._worker:
            failed += 1
            is_dead = failed >= self._tries
            text = f"Dataset {name} {'given up' if is_dead else 'taken again'}: the lease of worker {last} ran out"
            self._log.say("expired", text, dataset=name, worker=last, dead=is_dead)
            if is_dead:
                reason = f"{failed} tries ended with an expired lease, the last by {last}"
                self.fail(Claim(name, failed, lease), reason, is_final=True)
                return None

        def note(transaction: _Commands) -> None:
            transaction.hset(_WORKERS, name, self._worker)
            transaction.hset(_ATTEMPTS, name, failed)

        return Claim(name, failed + 1, lease) if lease.change(note) else None

    def finish(self, claim: Claim) -> bool:
        """Remove a trained dataset. False when the lease ran out: its next worker finds the dataset in the chain."""
        return claim.lease.end(lambda transaction: _forget(transaction, claim.dataset))

    def put_back(self, claim: Claim) -> bool:
        """Release the dataset, as if it had not been claimed: it keeps its place in the queue."""
        return claim.lease.end(lambda transaction: transaction.hdel(_WORKERS, claim.dataset))

    def fail(self, claim: Claim, reason: str, *, is_final: bool) -> bool:
        """Move a dataset whose `claim.attempt` tries failed to the end of the queue, or to the dead list.

        Returns whether it is given up: after the last try, or at once if `is_final`. When the lease ran out, it returns
        False and leaves the dataset to its next worker.
        """
        name, is_dead = claim.dataset, is_final or claim.attempt >= self._tries
        now = str(int(time.time()))
        record = {"dataset": name, "reason": reason, "worker": self._worker, "attempts": claim.attempt, "time": now}

        def move(transaction: _Commands) -> None:
            _forget(transaction, name)
            if is_dead:
                transaction.rpush(_DEAD, json.dumps(record))
            else:
                transaction.rpush(QUEUE, name)
                transaction.hset(_ATTEMPTS, name, claim.attempt)

        return claim.lease.end(move) and is_dead

    def lock_chain(self) -> Lease | None:
        """The turn to extend the chain; None while another worker has it."""
        return self._server.lease(_CHAIN, self._lease_seconds)

    def add(self, names: list[str]) -> dict[str, str]:
        """Queue datasets. Returns `new` for each, or `queued` or `dead` for a known one, which is left alone."""
        state = self.state()
        known = dict.fromkeys((*state.waiting, *state.processing), "queued")
        known |= {str(each["dataset"]): "dead" for each in state.dead}
        states = {name: known.get(name, "new") for name in names}
        new = [name for name, found in states.items() if found == "new"]
        if new:
            self._server.run(lambda client: client.rpush(QUEUE, *new))
        return states

    def revive(self, name: str | None) -> int:
        """Queue a dataset of the dead list again, or all of them. Returns how many."""
        records = [text for text in self._dead() if name in (None, json.loads(text)["dataset"])]

        def to_the_queue(transaction: _Commands) -> None:
            for text in records:
                transaction.lrem(_DEAD, 1, text)
                transaction.rpush(QUEUE, json.loads(text)["dataset"])

        self._server.run(lambda client: client.transaction(to_the_queue))
        return len(records)

    def state(self) -> State:
        """The datasets that wait, are in work, and were given up."""
        names, workers = self.names(), set(self._server.run(lambda client: client.hkeys(_WORKERS)))
        return State(
            waiting=tuple(name for name in names if name not in workers),
            processing=tuple(name for name in names if name in workers),
            dead=tuple(cast("dict[str, object]", json.loads(text)) for text in self._dead()),
        )

    def names(self) -> list[str]:
        """The datasets that wait or are in work, each once."""
        return list(dict.fromkeys(self._server.run(lambda client: client.lrange(QUEUE, 0, -1))))

    def _dead(self) -> list[str]:
        return self._server.run(lambda client: client.lrange(_DEAD, 0, -1))


def _forget(transaction: _Commands, name: str) -> None:
    """Remove a dataset from the queue, as often as it is there."""
    transaction.lrem(QUEUE, 0, name)
    transaction.hdel(_WORKERS, name)
    transaction.hdel(_ATTEMPTS, name)
