"""Looks at all clusters at the beginning of every real second, and skips the time until the next thing is due.

It does so only for a command that waits for the platform (`exec --speed auto`), as long as that command runs, and not
beside a `pulumi` command, which changes things. Time is skipped when nothing is under way and no object has changed for
three seconds: the scheduler tries a pod again after two seconds at most, and Kueue gathers changes for one second.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, ApiError, FilteredList, Informers, UnreachableError
from simulator.processes import start_time
from simulator.skipping.movement import KINDS, movement

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.clock import SpeedClock

_STILL_SECONDS: Final = 3
"""For how many seconds nothing may have changed."""
_LATE_SECONDS: Final = 0.5
"""A look that ends later than this in its second ran on a busy machine, where controllers may not have run."""

_ANY: Final = "/api/v1/namespaces/default"
"""An object that every API server has: reading it says whether and how soon it answers."""


class Skipper:
    """Skips idle time between `start` and `stop`. Implements `simulator.clusters.fleet.Follower`."""

    def __init__(self, clock: SpeedClock, is_at_work: Callable[[], bool]) -> None:
        """`is_at_work` says whether the cloud or an autoscaler does anything but wait for a simulated moment."""
        self._clock = clock
        self._is_at_work = is_at_work
        self._lock = threading.Lock()
        self._clusters: dict[str, tuple[Api, dict[str, FilteredList]]] = {}
        """The API servers with the lists that show what moves, by path."""
        self._commands: dict[int, tuple[str | None, bool]] = {}
        """When a command began and whether it changes something, by its process id."""
        self._seen: int | None = None
        """How many changes there were at the last look; None when an API server did not answer."""
        self._still = 0
        self.held_by: str | None = None
        """The work that prevented a skip at the last look."""
        self._over = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="skipper", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._over.set()
        self._woken.set()
        self._thread.join()

    def began(self, cluster: str, informers: Informers) -> None:
        """A cluster runs."""
        with self._lock:
            self._clusters[cluster] = informers.api, {path: informers.filtered(path) for path in KINDS}

    def ends(self, cluster: str) -> None:
        """A cluster is about to be stopped."""
        with self._lock:
            self._clusters.pop(cluster, None)

    def register_command(self, pid: int, *, mutates: bool) -> None:
        """A command runs; idle time is skipped for it unless it `mutates` the cluster."""
        with self._lock:
            self._commands[pid] = (start_time(pid), mutates)
        self._woken.set()

    def is_on(self) -> bool:
        """Whether idle time is skipped: a command waits, and none changes anything."""
        with self._lock:
            for pid, (began, _) in list(self._commands.items()):
                if began is None or start_time(pid) != began:
                    del self._commands[pid]
            return {mutates for _, mutates in self._commands.values()} == {False}

    def look(self, second: float) -> float:
        """Skip time when nothing has moved for long enough; returns the simulated seconds that were skipped.

        `second` is the real second at whose beginning this look was to be, since the epoch.
        """
        try:
            changes, what = self._survey()
        except (ApiError, UnreachableError) as error:
            changes, what = None, str(error)
        self.held_by = what
        is_late = time.time() - second > _LATE_SECONDS
        is_still = changes is not None and changes == self._seen and not is_late
        self._still = self._still + 1 if is_still else 0
        self._seen = changes
        moment = self._clock.next_alarm()
        if what is not None or moment is None or self._still < _STILL_SECONDS:
            return 0.0
        skipped = self._clock.skip_to(moment)
        if skipped:
            self._still = 0
        return skipped

    def _survey(self) -> tuple[int, str | None]:
        """How many changes there were of objects that could show a movement, and the movement that they show."""
        changes = 0
        what = "the cloud or an autoscaler is at work" if self._is_at_work() else None
        with self._lock:
            clusters = list(self._clusters.values())
        for api, views in clusters:
            api.find(_ANY)
            changes += sum(view.changes for view in views.values())
            what = what or movement({path: view.objects() for path, view in views.items()}, time.time())
        return changes, what

    def _run(self) -> None:
        while not self._over.is_set():
            if not self.is_on():
                self._seen, self._still, self.held_by = None, 0, None
                self._woken.wait(None if not self._commands else 1.0)
                self._woken.clear()
                continue
            second = math.floor(time.time()) + 1
            self._over.wait(second - time.time())
            if skipped := self.look(second):
                sys.stderr.write(f"{time.strftime('%H:%M:%S')} skipped {skipped:.0f} simulated seconds\n")
