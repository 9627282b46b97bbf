"""Provisions the nodes of ProvisioningRequests, and reports their progress in their conditions.

A request is accepted when a queued node pool can bring all of its nodes; it then waits for the time that flex-start
queues, and its nodes come at once. While the cloud is out of stock it stays in the queue, and is tried again when stock
comes back. Its nodes are booked: they are not removed as idle before its pods were there, or ten minutes have passed. A
deleted request loses its place in the queue and its booking.

A restart forgets how long a request has waited; everything else is in its status and in the cloud.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import Document, stamp
from components.model.facts import gke
from simulator.cloud.stock import EXHAUSTED
from simulator.scaling import requests
from simulator.scaling.asking import RETRY_SECONDS, Asking
from simulator.scaling.booking import Sizes, View, details_of
from simulator.scaling.fitting import Fit, choose, machines_for
from simulator.scaling.requests import Answer, Request, State as Step, answered, failed, pods_of
from simulator.scaling.state import earliest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simulator.cloud.api import Body
    from simulator.scaling.pods import Pod
    from simulator.scaling.supply import Group


@dataclass
class _Known:
    """The state of one request; moments are simulated seconds since 1970."""

    request: Request
    """As it was last read or written."""
    seen: float
    """When it was first seen."""
    pods: list[Pod] | None = None
    """The pods that it wants room for; None before its PodTemplates were there."""
    group: str | None = None
    """The group that brings its machines, once that is known."""
    machines: int | None = None
    """How many machines it needs, once that is known."""
    next_try: float | None = None
    """When they may be asked for; None before it is accepted."""
    operation: str | None = None
    """The operation that brings them."""
    is_short: bool = False
    """Whether they did not come when they were asked for last."""
    provisioned: float | None = None
    """When all of them were there."""
    has_come: bool = False
    """Whether a pod of it was on them."""
    booked: frozenset[str] = frozenset()
    """Nodes that are held for it."""
    reason: str = ""
    """Why it waits."""

    def provisioned_by(self, machines: Sequence[Body], now: float) -> float:
        """When all of them were there; after a restart, the time that the remaining machines show, or else `now`."""
        since = self.provisioned
        if since is None:
            since = self.provisioned = max((float(each["since"]) for each in machines), default=now)
        return since


class Queued:
    """The part of one cluster's autoscaler that answers ProvisioningRequests."""

    def __init__(self, api: Api, asking: Asking) -> None:
        self._api = api
        self._asking = asking
        self._known: dict[str, _Known] = {}
        """By uid."""
        self._restocked = threading.Event()
        self._touched: set[str] = set()
        """Names of the groups that may have another size by now than this look has seen."""
        self.booked: frozenset[str] = frozenset()
        """Names of the nodes that are kept for the pods of a request, as of the last look."""
        self.under_way: frozenset[str] = frozenset()
        """Names of the groups that were asked for a request's machines and have not answered, as of the last look."""

    @property
    def waiting(self) -> list[dict[str, str]]:
        """The requests whose nodes are not there, with `request` (namespace/name) and `reason`."""
        return [
            {"request": f"{known.request.namespace}/{known.request.name}", "reason": known.reason}
            for known in self._known.values()
            if known.request.state in (Step.PENDING, Step.ACCEPTED)
        ]

    def restock(self) -> None:
        """The stock has changed: requests whose machines did not come try again at the next look."""
        self._restocked.set()

    def look(self, view: View, documents: Iterable[Document]) -> float | None:
        """Bring every request a step further; returns the simulated moment of the next look, None when none is set.

        Args:
            view: what this look sees.
            documents: the ProvisioningRequests.

        Raises:
            ApiError, UnreachableError: the API server refused an answer, or is away.
            CloudError: the cloud does not know an operation any more.
        """
        self._read(documents, view.now)
        sizes = Sizes(view.state)
        for known in self._known.values():
            if known.request.state is Step.ACCEPTED and known.operation is None and known.group is not None:
                sizes.promise(known.group, (known.machines or 0) - len(view.machines_of(known.request)))
        moments: list[float | None] = []
        is_restocked = self._restocked.is_set()
        self._restocked.clear()
        self._touched.clear()
        for known in self._known.values():
            self._on_operation_done(known, view)
            if is_restocked and known.is_short:
                known.next_try = view.now
            moments.append(self._step(known, view, sizes))
        self.booked = frozenset(name for known in self._known.values() for name in known.booked)
        self.under_way = frozenset(known.group for known in self._known.values() if known.operation and known.group)
        return earliest(moments)

    def _read(self, documents: Iterable[Document], now: float) -> None:
        """Read the documents, the oldest first; a write of this class is often known here before it is seen."""
        before = self._known
        self._known = {}
        for document in sorted(documents, key=lambda document: Request(document).order):
            request = Request(document)
            known = self._known[request.uid] = before.get(request.uid) or _Known(request, seen=now)
            if request.version > known.request.version:
                known.request = request

    def _step(self, known: _Known, view: View, sizes: Sizes) -> float | None:
        known.booked = frozenset()
        match known.request.state:
            case Step.PENDING:
                return self._on_pending(known, view, sizes)
            case Step.ACCEPTED:
                return self._on_accepted(known, view, sizes)
            case Step.PROVISIONED:
                return self._on_provisioned(known, view)
            case Step.EXPIRED:
                return self._on_expired(known, view)
            case Step.REVOKED | Step.FAILED:
                return None

    def _on_operation_done(self, known: _Known, view: View) -> None:
        """The outcome of requested machines; a request that got none stays in the queue."""
        if known.operation is None:
            return
        operation = self._asking.cloud.operation(known.operation)
        if operation["status"] != "DONE":
            return
        known.operation = None
        self._touched.update([known.group] if known.group else [])
        if operation["error"] is None:
            return
        known.is_short, known.next_try = True, view.now + max(view.times.back_off, RETRY_SECONDS)
        message = operation["error"]["message"]
        answer = requests.EXHAUSTED
        if not message.startswith(EXHAUSTED):
            answer = Answer(Step.PROVISIONED, "AttemptFailed", message, is_true=False)
        known.reason = answer.message
        self._answer(known, answer)

    def _on_pending(self, known: _Known, view: View, sizes: Sizes) -> float | None:
        """Find a pool for a request; one that fits nowhere is given some time, then refused."""
        request = known.request
        refusal = request.refusal()
        if refusal is not None:
            self._answer(known, refusal)
            return None
        if request.is_new:
            self._answer(known, requests.INITIAL)
        pods = self._pods(known)
        if pods is None:
            known.reason = "its PodTemplate is not there"
            return view.now + RETRY_SECONDS
        found = choose(pods, view.state.groups, sizes.of, view.limit_against)
        if isinstance(found, Fit):
            sizes.promise(found.group.name, found.machines)
            known.group, known.machines, known.next_try = found.group.name, found.machines, view.now + view.times.queue
            known.reason = "waits in the queue of flex-start"
            self._answer(known, requests.ACCEPTED, details=details_of(request, found.group))
            return known.next_try
        known.reason = found.message
        end = known.seen + view.times.refuse
        if view.now >= end:
            self._answer(known, failed(found.reason, found.message))
            return None
        return end

    def _on_accepted(self, known: _Known, view: View, sizes: Sizes) -> float | None:
        """Ask for a request's machines when it has queued, until all of them are there."""
        group = view.group_of(known.request)
        if group is None:
            self._answer(known, requests.MISSING)
            return None
        if known.machines is None and not self._recall(known, group, view, sizes):
            return view.now + RETRY_SECONDS
        if known.machines is not None and len(view.machines_of(known.request)) >= known.machines:
            known.provisioned = view.now
            self._answer(known, requests.PROVISIONED)
            return self._on_provisioned(known, view)
        if known.next_try is None or view.now < known.next_try:
            return known.next_try
        return self._ask(known, group, view)

    def _recall(self, known: _Known, group: Group, view: View, sizes: Sizes) -> bool:
        """Work out again the machines of a request accepted before a restart; False when that is impossible."""
        pods = self._pods(known)
        machines = None if pods is None else machines_for(pods, group)
        if not isinstance(machines, int):
            return False
        known.group, known.machines, known.next_try = group.name, machines, view.now + view.times.queue
        sizes.promise(group.name, machines - len(view.machines_of(known.request)))
        return True

    def _ask(self, known: _Known, group: Group, view: View) -> float | None:
        """A group that is busy, or whose last machines did not come and are not given up yet, is asked later.

        So is a group whose operation has begun or ended since it was surveyed, after a look at its present size: the
        requested size follows from the observed size.
        """
        if known.operation is not None or not group.is_there or group.size != len(group.instances):
            return None
        if group.name in self._touched:
            return view.now
        self._touched.add(group.name)
        asked_by = {"name": known.request.resize_request, "runSeconds": known.request.run_seconds}
        size = group.size + (known.machines or 0)
        operation = self._asking.update(group, targetSize=size, resizeRequest=asked_by)
        known.operation = None if operation is None else operation["name"]
        return None

    def _on_provisioned(self, known: _Known, view: View) -> float | None:
        """Hold the nodes for the pods of a request until they were there or the booking has expired."""
        here = view.machines_of(known.request)
        nodes = frozenset(each["name"] for each in here)
        known.has_come = known.has_come or view.has_pod_on(known.request, nodes)
        end = known.provisioned_by(here, view.now) + view.times.booking
        if view.now >= end:
            self._answer(known, requests.EXPIRED)
            return self._on_expired(known, view)
        known.booked = frozenset() if known.has_come else nodes
        return end

    def _on_expired(self, known: _Known, view: View) -> float | None:
        """Say when the run duration of a request's nodes is over, whether they are still there or not."""
        since = known.provisioned_by(view.machines_of(known.request), view.now)
        end = since + (known.request.run_seconds or gke.FLEX_START_SECONDS)
        if view.now < end:
            return end
        self._answer(known, requests.REVOKED)
        return None

    def _pods(self, known: _Known) -> list[Pod] | None:
        """The pods that a request wants room for, read once; None while a PodTemplate of it is not there."""
        if known.pods is None:
            templates = [self._api.find(path) for path, _ in known.request.pod_sets]
            found = [template for template in templates if template is not None]
            known.pods = pods_of(known.request, found) if len(found) == len(templates) else None
        return known.pods

    def _answer(self, known: _Known, answer: Answer, *, details: Mapping[str, str] | None = None) -> None:
        status: Document = {"conditions": answered(known.request, answer, stamp())}
        if details is not None:
            status["provisioningClassDetails"] = dict(details)
        try:
            known.request = Request(self._api.merge(f"{known.request.path}/status", {"status": status}))
        except ApiError as error:
            if not error.is_not_found:  # it has just been deleted
                raise
