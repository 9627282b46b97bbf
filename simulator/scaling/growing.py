"""Adds nodes for the pods that wait, and writes the outcome in Events of the pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cloud.api import Body, CloudError, Kind
from simulator.cloud.stock import EXHAUSTED
from simulator.scaling import events
from simulator.scaling.asking import BUSY, Asking, BackOff
from simulator.scaling.planning import Growth, Plan, Planner
from simulator.scaling.provision import NewPool, Provisioner
from simulator.scaling.snapshot import ClusterSnapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.kubeapi import Api
    from simulator.scaling.pods import Pod
    from simulator.scaling.state import State
    from simulator.scaling.times import Times


class Growing:
    """The growing part of one cluster's autoscaler."""

    def __init__(self, cluster: str, asking: Asking, api: Api, back_off: BackOff) -> None:
        self._cluster = cluster
        self._asking = asking
        self._api = api
        self._back_off = back_off
        self._running: dict[str, Growth] = {}
        """Growths whose operation was started, by the operation's name."""
        self._waits_since: dict[str, float] = {}
        """Since when a pod waits for a node, by its uid."""
        self._told: dict[str, str] = {}
        """The last message about a pod, by its uid."""
        self._causes: dict[str, str] = {}
        """Why the last nodes for a pod did not come, by its uid."""
        self.waiting: list[dict[str, str]] = []
        """The pods that wait for nodes, with `pod` (namespace/name) and `reason`, as of the last look."""

    @property
    def under_way(self) -> frozenset[str]:
        """Names of the groups that were asked to grow and have not answered."""
        return frozenset(growth.group.name for growth in self._running.values())

    def on_operations_done(self, state: State, times: Times) -> None:
        """Take in the outcome of the growths whose operations have ended."""
        for name, growth in list(self._running.items()):
            operation = self._asking.cloud.operation(name)
            if operation["status"] != "DONE":
                continue
            del self._running[name]
            if operation["error"] is None:
                self._back_off.came(growth.group)
                continue
            self._back_off.failed(growth.group, times, state.now)
            self._tell_failure(growth, operation["error"]["message"], {pod.uid for pod in state.waiting})

    def due(self, state: State, times: Times) -> tuple[list[Pod], float | None]:
        """The pods that have waited long enough, and the moment at which the next will have."""
        before = self._waits_since
        self._waits_since = {pod.uid: before.get(pod.uid, state.now) for pod in state.waiting}
        due = {uid: since + times.scan for uid, since in self._waits_since.items()}
        later = [moment for moment in due.values() if moment > state.now]
        return [pod for pod in state.waiting if due[pod.uid] <= state.now], min(later, default=None)

    def limits(self, state: State, cluster: Body) -> Provisioner:
        """The pools that the cluster may provision by itself, and the limits for all of its growth."""
        return Provisioner(
            self._cluster,
            cluster,
            pools=[name for name, _ in state.survey.pools],
            nodes=state.machines(),
            is_backed_off=lambda body, zone: self._back_off.stops_kind(body, zone, state.now),
        )

    def plan(self, state: State, cluster: Body, pods: Sequence[Pod]) -> tuple[ClusterSnapshot, Plan]:
        """The growths that help the pods, and the cluster as it will be; pods that nothing helps get an Event.

        Nobody asks how the cluster will be without pods, or where nothing can grow.
        """
        provisioner = self.limits(state, cluster)
        can_grow = provisioner.is_on or state.classes or any(group.limits is not None for group in state.groups)
        snapshot = state.snapshot() if pods and can_grow else ClusterSnapshot(())
        planner = Planner(
            snapshot, state.groups, provisioner, lambda group: self._back_off.stops(group, state.now), state.classes
        )
        plan = planner.plan(pods)
        if can_grow:
            for pod, reasons in plan.stuck:
                self._tell(pod, events.NOT_TRIGGERED, events.not_triggered(reasons))
        return snapshot, plan

    def act_on(self, plan: Plan, times: Times, now: float) -> None:
        """Ask the cloud for what the plan says; new pools grow when they are there."""
        for pool in plan.pools:
            self._make(pool, times, now)
        for growth in plan.growths.values():
            if growth.group.is_there:
                self._grow(growth)

    def remember(self, state: State, plan: Plan) -> None:
        """Forget pods that wait no more, and note why the others do."""
        stuck = {pod.uid: reasons for pod, reasons in plan.stuck}
        uids = {pod.uid for pod in state.waiting}
        self._told = {uid: said for uid, said in self._told.items() if uid in uids}
        self._causes = {uid: cause for uid, cause in self._causes.items() if uid in uids}
        self.waiting = [
            {"pod": f"{pod.namespace}/{pod.name}", "reason": self._reason(pod.uid, stuck)} for pod in state.waiting
        ]

    def _reason(self, uid: str, stuck: dict[str, str]) -> str:
        known = (self._causes.get(uid), stuck.get(uid, self._told.get(uid)))
        return "; ".join(part for part in known if part)

    def _make(self, pool: NewPool, times: Times, now: float) -> None:
        try:
            self._asking.cloud.create(Kind.NODE_POOL, pool.name, pool.body)
        except CloudError as error:
            if error.status == BUSY:
                self._asking.is_refused = True
                return
            self._tell(pool.pod, events.NOT_TRIGGERED, events.not_triggered(f"1 node pool refused: {error.message}"))
            for group in pool.groups:
                self._back_off.failed(group, times, now)

    def _grow(self, growth: Growth) -> None:
        operation = self._asking.update(growth.group, targetSize=growth.size)
        if operation is None:
            return
        self._running[operation["name"]] = growth
        for pod in growth.pods:
            self._tell(pod, events.TRIGGERED, events.triggered([growth.text]))

    def _tell_failure(self, growth: Growth, message: str, waiting: set[str]) -> None:
        cause = "GCE out of resources" if message.startswith(EXHAUSTED) else message
        for pod in growth.pods:
            if pod.uid in waiting:
                self._causes[pod.uid] = f"{cause} in {growth.group.zone}"
                self._tell(pod, events.FAILED, events.failed(growth.group.zone, cause))

    def _tell(self, pod: Pod, reason: str, message: str) -> None:
        if self._told.get(pod.uid) != message and events.tell(self._api, pod, reason, message):
            self._told[pod.uid] = message
