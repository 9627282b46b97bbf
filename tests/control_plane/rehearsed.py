"""A rehearsal in step with a real control plane: both get the same arrivals, ends and changes, one after another.

What the control plane decides after each is compared with what the rehearsal decided: which jobs hold quota in which
flavor, and how often each was evicted, by Kueue's reasons; at the end, in which order each ClusterQueue gave quota to
its jobs. Jobs are real Jobs, whose pods find no node and end when this module says so. All rehearsals in a cluster read
its Workloads from one watch: lists of them keep an API server busy.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, is_true, section
from components.kubeapi.jobs import WORKLOADS, owner_name
from components.kubeapi.owners import PODS
from tests.eventually import eventually
from tests.rehearsal.platforms import NAMESPACE, TPU

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.kubeapi import Api, Informers
    from tpu.rehearsal.document import Rehearsal
    from tpu.rehearsal.running import Decision, Outcome

CHIP: Final = "example.com/chip"
"""The resource of the jobs: no rule of GKE knows it."""
_KUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2"
_JOBS: Final = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
_PLURALS: Final = {
    "ResourceFlavor": "resourceflavors",
    "Cohort": "cohorts",
    "ClusterQueue": "clusterqueues",
    "LocalQueue": f"namespaces/{NAMESPACE}/localqueues",
}
_KUEUE_PODS: Final = "/api/v1/namespaces/kueue-system/pods"
_HAS_QUOTA: Final = '"msg":"Workload assumed in the cache"'
_QUIET_SECONDS: Final = 2.5
"""How long nothing must change: more than the second for which Kueue collects queues to look at again."""


@dataclass(frozen=True)
class State:
    """Who holds quota in which flavor, and how often who was evicted."""

    holds: dict[str, str] = field(default_factory=dict[str, str])
    evicted: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])


@dataclass(frozen=True)
class Rehearsed:
    """One rehearsal and the cluster in which the same happens."""

    informers: Informers
    told: Rehearsal
    outcome: Outcome

    @property
    def api(self) -> Api:
        """The API server of the cluster."""
        return self.informers.api

    def differences(self) -> list[str]:
        """Moments after which the two differ; it ends at the first."""
        self._make()
        for at, stimuli, expected in self._moments():
            for apply in stimuli:
                apply()
            found = self._settled(expected)
            if found != expected:
                return [f"after {at} s: the rehearsal has {expected}, the control plane {found}"]
        decided, real = self._order_of_decisions(), self._order_of_scheduler()
        return [] if decided == real else [f"order: the rehearsal has {decided}, the control plane {real}"]

    def _order_of_decisions(self) -> dict[str, list[str]]:
        """By ClusterQueue, the jobs that get quota, in order; the order between two queues may be another each time."""
        order: defaultdict[str, list[str]] = defaultdict(list)
        for each in self.outcome.decisions:
            if each.event == "admitted":
                order[str(each.queue)].append(_short(each.workload))
        return dict(order)

    def _order_of_scheduler(self) -> dict[str, list[str]]:
        """The same, as Kueue's scheduler says in its log: it writes to the API server in another order."""
        jobs = {_name(each): owner_name(each) for each in self.api.items(WORKLOADS)}
        queues = {_name(each) for each in self.told.objects if each["kind"] == "ClusterQueue"}
        order: defaultdict[str, list[str]] = defaultdict(list)
        for pod in self.api.items(_KUEUE_PODS):
            for line in self.api.text(f"{_KUEUE_PODS}/{_name(pod)}/log").splitlines():
                if _HAS_QUOTA in line:
                    said = json.loads(line)
                    if (queue := said["clusterQueue"]["name"]) in queues:
                        order[queue].append(jobs[said["workload"]["name"]])
        return dict(order)

    def _make(self) -> None:
        """Create the objects, or change those that are there from the rehearsal before."""
        for each in self.told.objects:
            path, document = f"{_KUEUE}/{_PLURALS[str(each['kind'])]}", _with_chips(each)
            if self.api.find(f"{path}/{_name(each)}") is None:
                self.api.create(path, document)
            else:
                self.api.merge(f"{path}/{_name(each)}", {"spec": section(document, "spec")})
        for each in self.told.objects:
            if each["kind"] == "ClusterQueue":
                path = f"{_KUEUE}/clusterqueues/{_name(each)}"
                eventually(lambda path=path: is_true(self.api.get(path), "Active"), what=f"{path} is active")

    def _moments(self) -> Iterator[tuple[int, list[Callable[[], None]], State]]:
        """What happens at each moment, and the state until the next."""
        stimuli: dict[int, list[Callable[[], None]]] = {}
        for entry in self.told.workloads:
            stimuli.setdefault(entry.at, []).append(lambda entry=entry: self._submit(entry.workload))
        for each in self.outcome.decisions:
            if each.event == "finished":
                name = _short(each.workload)
                stimuli.setdefault(each.at, []).append(lambda name=name: self._finish(name))
        for change in self.told.changes:
            stimuli.setdefault(change.at, []).append(lambda queue=change.object: self._change(queue))
        moments = sorted(stimuli)
        for at, following in zip(moments, [*moments[1:], self.told.until], strict=True):
            yield at, stimuli[at], _state([each for each in self.outcome.decisions if each.at < following])

    def _submit(self, workload: Document) -> None:
        spec = workload["spec"]
        container = spec["podSets"][0]["template"]["spec"]["containers"][0]
        chips = container["resources"]["requests"][TPU]
        pod = {
            "restartPolicy": "Never",
            "nodeSelector": {"example.com/rehearsed": "nowhere"},
            "containers": [
                {"name": "main", "image": "busybox", "resources": {"requests": {CHIP: chips}, "limits": {CHIP: chips}}}
            ],
        }
        labels = {
            "kueue.x-k8s.io/queue-name": spec["queueName"],
            "kueue.x-k8s.io/priority-class": priority_class(spec["priority"]),
        }
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": _name(workload), "labels": labels},
            "spec": {"suspend": True, "template": {"spec": pod}},
        }
        self.api.create(_JOBS, job)

    def _finish(self, name: str) -> None:
        query = {"labelSelector": f"batch.kubernetes.io/job-name={name}"}
        pods = eventually(lambda: self.api.items(PODS, query), what=f"{name} has a pod")
        pod = pods[0]["metadata"]["name"]
        self.api.merge(f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/status", {"status": {"phase": "Succeeded"}})

    def _change(self, queue: Document) -> None:
        policy = section(queue, "spec").get("stopPolicy", "None")
        self.api.merge(f"{_KUEUE}/clusterqueues/{_name(queue)}", {"spec": {"stopPolicy": policy}})

    def _settled(self, expected: State) -> State:
        """The state of the cluster when it is as expected and stays so, or when it does not become so in time."""
        quiet = threading.Event()
        for _ in range(4):
            for _ in range(40):
                if self._seen() == expected:
                    break
                quiet.wait(0.25)
            quiet.wait(_QUIET_SECONDS)
            if (found := self._seen()) == expected:
                return found
        return self._seen()

    def _seen(self) -> State:
        names = {_name(entry.workload) for entry in self.told.workloads}
        state = State()
        for each in self.informers.items(WORKLOADS):
            name = owner_name(each)
            if name not in names:
                continue
            admission = section(each, "status", "admission")
            if admission and not is_true(each, "Finished"):
                state.holds[name] = admission["podSetAssignments"][0]["flavors"][CHIP]
            for eviction in entries(each, "status", "schedulingStats", "evictions"):
                state.evicted[name, eviction["reason"]] += eviction["count"]
        return state


def priority_class(priority: object) -> str:
    """The WorkloadPriorityClass of a priority."""
    return f"rehearsed-{priority}"


def _state(decisions: list[Decision]) -> State:
    state = State()
    for each in decisions:
        name = _short(each.workload)
        if each.event == "admitted" and each.flavors is not None:
            state.holds[name] = each.flavors["main"][TPU]
        elif each.event in ("released", "finished"):
            state.holds.pop(name, None)
        elif each.event == "evicted":
            state.evicted[name, each.reason] += 1
    return state


def _with_chips(document: Document) -> Document:
    """An object with the resource that no rule knows."""
    return json.loads(json.dumps(document).replace(f'"{TPU}"', f'"{CHIP}"'))


def _name(document: Document) -> str:
    return str(section(document, "metadata")["name"])


def _short(workload: str) -> str:
    return workload.rpartition("/")[2]
