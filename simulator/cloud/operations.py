"""Long-running operations: who does the work, how long it takes, how it ends, and how it goes on after a restart.

An operation is recorded together with the first change of its resource, then its work runs in a thread of its own. The
work is written so that it can be done again from its start: when the process dies in the middle, `resume` does so. An
operation lasts as long as its work, and at least as long as the pace set for its kind (simulated seconds).
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from datetime import datetime
from typing import TYPE_CHECKING, Final

from simulator.cloud.api import CloudError, Operation, OperationError, refusal
from simulator.cloud.clock import Clock, timestamp
from simulator.cloud.machines import MachinesError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.cloud.service import Service
    from simulator.cloud.store import Changes, Store

_JOIN_SECONDS: Final = 5.0
"""Real seconds that `close` gives the work that is under way; it is done again at the next start anyway."""
_RETRY_SECONDS: Final = 1.0
"""Real seconds until the end of an operation is written again to a disk that did not take it."""


class Stopped(Exception):  # noqa: N818  not an error: the cloud is closing
    """The cloud is closing: the operation stays as it is and is taken up again at the next start."""


class Operations:
    """The operations of one cloud."""

    def __init__(self, store: Store, clock: Clock, work_of: Callable[[str], Service]) -> None:
        """`work_of` gives the service of a kind of resource, which does the work."""
        self._store = store
        self._clock = clock
        self._work_of = work_of
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._count = len(store.operations)
        self._held: set[str] = set()
        """The operations that wait for a simulated moment, by name."""
        self.listeners: list[Callable[[Operation], None]] = []
        """Called with every operation that has ended."""

    def open(self, changes: Changes, kind: str, verb: str, target: str) -> Operation:
        """Record a new operation, still without running it; to be passed to `launch` after the change is made."""
        now = self._clock.now()
        self._count += 1
        digest = hashlib.sha256(f"{target} {verb} {now} {self._count}".encode()).hexdigest()
        operation = Operation(
            name=f"{_parent(target)}/operations/operation-{int(now * 1000)}-{digest[:8]}",
            kind=kind,
            verb=verb,
            target=target,
            status="RUNNING",
            startTime=timestamp(now),
            endTime=None,
            error=None,
        )
        changes.put_operation(operation)
        return operation

    def launch(self, operation: Operation, *, instant: bool) -> Operation:
        """Run the operation, and return it as it then is; an instant one ends before this returns."""
        if instant and not self._store.pace.get(operation["kind"]):
            self._run(operation)
            return self.get(operation["name"])
        thread = threading.Thread(target=self._run, args=(operation,), name=operation["name"], daemon=True)
        self._threads = [other for other in self._threads if other.is_alive()]
        self._threads.append(thread)
        thread.start()
        return operation

    def resume(self) -> None:
        """Take up every operation that was under way when the process ended."""
        for operation in list(self._store.operations.values()):
            if operation["status"] != "DONE":
                self.launch(operation, instant=False)

    def close(self) -> None:
        """End the work soon; unfinished operations stay RUNNING in the state file."""
        self._stop.set()
        with self._store.lock:
            self._store.lock.notify_all()
        deadline = time.monotonic() + _JOIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def get(self, name: str) -> Operation:
        """The operation as it is now.

        Raises:
            CloudError: NOT_FOUND.
        """
        with self._store.lock:
            operation = self._store.operations.get(name)
        if operation is None:
            raise refusal("NOT_FOUND", f"Not found: {name}.")
        return operation

    def wait(self, name: str, seconds: float) -> Operation:
        """The operation once it is DONE, or as it is after `seconds` of real time or when the cloud closes."""
        with self._store.lock:
            self._store.lock.wait_for(lambda: self._stop.is_set() or self.get(name)["status"] == "DONE", seconds)
            return self.get(name)

    def busy(self, concerns: Callable[[str], bool]) -> Operation | None:
        """An unfinished operation whose target `concerns` the caller, if there is one; called with the lock held."""
        for operation in self._store.operations.values():
            if operation["status"] != "DONE" and concerns(operation["target"]):
                return operation
        return None

    def busy_targets(self) -> frozenset[str]:
        """The targets of all unfinished operations; called with the lock held."""
        return frozenset(each["target"] for each in self._store.operations.values() if each["status"] != "DONE")

    def is_at_work(self) -> bool:
        """Whether an operation does anything but wait for a simulated moment."""
        with self._store.lock:
            return any(
                each["status"] != "DONE" for name, each in self._store.operations.items() if name not in self._held
            )

    def _run(self, operation: Operation) -> None:
        work = self._work_of(operation["kind"])
        error: OperationError | None = OperationError(
            code=500, status="INTERNAL", message="Internal error of the simulated cloud; its log has the details."
        )
        stopped = False
        try:
            self._hold_until(operation, work.begins(operation))
            work.run(operation)
            self._keep_pace(operation)
            error = None
        except (CloudError, MachinesError, OSError) as failure:
            error = _as_error(failure)
        except Stopped:
            stopped = True
        finally:
            if not stopped:
                self._finish(work, operation, error)

    def _keep_pace(self, operation: Operation) -> None:
        seconds = self._store.pace.get(operation["kind"], 0.0)
        if seconds > 0:
            self._hold_until(operation, moment_of(operation) + seconds)

    def _hold_until(self, operation: Operation, moment: float) -> None:
        if moment > 0:
            self._held.add(operation["name"])
            self._clock.sleep_until(moment, self._stop)
            self._held.discard(operation["name"])
            if self._stop.is_set():
                raise Stopped

    def _finish(self, work: Service, operation: Operation, error: OperationError | None) -> None:
        done = self._settled(work, operation, error)
        while done is None:
            if self._stop.wait(_RETRY_SECONDS):
                return
            done = self._settled(work, operation, error)
        for listener in self.listeners:
            listener(done)

    def _settled(self, work: Service, operation: Operation, error: OperationError | None) -> Operation | None:
        """The operation as it ended, recorded with its resource; None when the disk does not take that."""
        try:
            with self._store.change() as changes:
                work.settle(changes, operation, error)
                done = operation.copy()
                done["status"] = "DONE"
                done["endTime"] = timestamp(self._clock.now())
                done["error"] = error
                changes.put_operation(done)
        except OSError:
            return None
        return done


def _as_error(failure: CloudError | MachinesError | OSError) -> OperationError:
    if isinstance(failure, CloudError):
        return OperationError(code=failure.code, status=failure.status, message=failure.message)
    return OperationError(code=500, status="INTERNAL", message=str(failure))


def _parent(target: str) -> str:
    """The resource that lists an operation on `target`: its location, or its project when it has none."""
    placed = re.match(r"projects/[^/]+/(?:locations|regions|zones)/[^/]+|[^/]+/[^/]+", target)
    return placed.group() if placed else target


def moment_of(operation: Operation) -> float:
    """When the operation was started, in simulated seconds since 1970."""
    return datetime.fromisoformat(operation["startTime"]).timestamp()
