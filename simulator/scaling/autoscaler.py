"""One cluster's autoscaler: looks at pods, nodes, pools and ProvisioningRequests when one changed or at a set moment.

Each look works all of it out anew: which nodes the waiting pods need, how far requests are, which nodes nobody needs,
which machines failed or are at the end of their time. Between looks it only remembers how long nodes have been empty,
requests have queued and pools are left alone; a restart may forget that.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Final

from components.kubeapi import ApiError, Informers, UnreachableError
from components.kubeapi.jobs import NODES
from components.kubeapi.owners import PODS
from simulator.cloud.api import CloudError
from simulator.pods.compute_classes import COLLECTION as COMPUTE_CLASSES
from simulator.scaling import requests
from simulator.scaling.asking import RETRY_SECONDS, Asking, BackOff
from simulator.scaling.booking import View
from simulator.scaling.classes import classes_of
from simulator.scaling.growing import Growing
from simulator.scaling.queued import Queued
from simulator.scaling.shrinking import Shrinking
from simulator.scaling.state import PodReader, State, earliest
from simulator.scaling.supply import GroupReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi.documents import Document
    from simulator.cloud.clock import Clock
    from simulator.cloud.cloud import Cloud
    from simulator.scaling.times import Times

_PAUSE_SECONDS: Final = 0.3
"""Least real time between two looks: many changes come at once, and a large cluster needs time for everything else."""


class Autoscaler:
    """Runs between `start` and `stop`."""

    def __init__(
        self, cluster: str, informers: Informers, cloud: Cloud, clock: Clock, times: Callable[[], Times]
    ) -> None:
        """`cluster` is an API name, `informers` are its lists as administrator; `times` is asked at every look."""
        self._cluster = cluster
        self._cloud = cloud
        self._clock = clock
        self._times = times
        self._over = threading.Event()
        self._woken = threading.Event()
        self._pods, self._nodes, self._requests, self._classes = self._lists = tuple(
            informers.filtered(path, self._changed) for path in (PODS, NODES, requests.COLLECTION, COMPUTE_CLASSES)
        )
        api = informers.api
        self._reader = PodReader()
        self._group_reader = GroupReader()
        self._back_off = BackOff()
        self._asking = Asking(cluster, cloud)
        self._growing = Growing(cluster, self._asking, api, self._back_off)
        self._shrinking = Shrinking(api, self._asking, self._back_off)
        self._queued = Queued(api, self._asking)
        self._rests = False
        """Whether its thread waits for a moment or to be woken."""
        self._thread = threading.Thread(target=self._run, name=f"autoscaler-{cluster}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; operations of the cloud go on."""
        self._over.set()
        for each in self._lists:
            each.stop()
        self._woken.set()
        self._thread.join()

    def wake(self) -> None:
        """Look now."""
        self._woken.set()

    def is_at_work(self) -> bool:
        """Whether it looks at the cluster, or is about to."""
        return not self._rests or self._woken.is_set()

    def restock(self) -> None:
        """Look now, because what is in stock has changed."""
        self._queued.restock()
        self._woken.set()

    def waiting(self) -> list[dict[str, str]]:
        """All that waited for nodes at the last look: `pod` or `request` (namespace/name) and `reason`."""
        return [*self._growing.waiting, *self._queued.waiting]

    def look(self) -> float | None:
        """Do everything that is due; returns the simulated moment of the next look, None when none is set.

        Raises:
            CloudError: the cloud does not know an operation any more.
            ApiError, UnreachableError: the API server refused, or is away.
        """
        survey = self._cloud.survey(self._cluster)
        if survey.cluster is None:
            return None
        times = self._times()
        pods = self._reader.read(self._pods.objects())
        found = classes_of(self._classes.objects())
        state = State(self._clock.now(), survey, self._group_reader.read(survey), self._nodes.objects(), pods, found)
        self._asking.is_refused = False
        limits = self._growing.limits(state, survey.cluster)
        queued = self._queued.look(View(state, times, limits.limit_against), self._requests.objects())
        self._growing.on_operations_done(state, times)
        due, next_scan = self._growing.due(state, times)
        snapshot, plan = self._growing.plan(state, survey.cluster, due)
        self._growing.act_on(plan, times, state.now)
        self._growing.remember(state, plan)
        self._shrinking.mend(state, times, self._growing.under_way | self._queued.under_way)
        moments = [
            queued,
            next_scan,
            self._shrinking.renew(state, times),
            self._shrinking.shrink(state, times, snapshot, plan, self._queued.booked),
            self._back_off.next(state.now),
        ]
        if self._asking.is_refused:
            moments.append(state.now + RETRY_SECONDS)
        return earliest(moments)

    def _changed(self, _: Document) -> None:
        self._woken.set()

    def _run(self) -> None:
        while not self._over.is_set():
            self._woken.clear()
            try:
                moment = self.look()
            except (CloudError, ApiError, UnreachableError) as error:
                sys.stderr.write(f"autoscaler of {self._cluster}: {error}\n")
                moment = self._clock.now() + RETRY_SECONDS
            if self._over.wait(_PAUSE_SECONDS):
                return
            self._rests = True
            if moment is None:
                self._woken.wait()
            else:
                self._clock.sleep_until(moment, self._woken)
            self._rests = False
