"""What Kueue does to Workloads, as an API server keeps it: every state with its resourceVersion, and the changes."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, cast

from components.kubeapi import Api, ApiError, Document, Event
from components.kubeapi.jobs import CLUSTER_QUEUES, LOCAL_QUEUES, NODES, WORKLOADS
from tpu.trace.lines import SECOND, moment, written

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

START: Final = moment("2026-11-16T00:00:00Z")
FLAVOR: Final = "v5e"
_FLAVORS: Final = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors"
_LABELS: Final = {"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice"}


class FakeKueue:
    """Doubles `kubeapi.Api` for a recorder, with the history of all changes; a test says what happens when."""

    def __init__(self, *, chips: int = 32) -> None:
        self.workloads: dict[str, Document] = {}
        """By uid, as they are now."""
        self.history: list[tuple[int, Event]] = []
        """Every change with its version."""
        self.forgotten = 0
        """The changes up to this version can no longer be repeated."""
        labels = {**_LABELS, "topology.kubernetes.io/region": "us-west4"}
        node = {"metadata": {"name": "n", "labels": labels, "creationTimestamp": written(START)}}
        quota = [{"name": FLAVOR, "resources": [{"name": "google.com/tpu", "nominalQuota": str(chips)}]}]
        self.collections: dict[str, list[Document]] = {
            NODES: [{**node, "status": {"allocatable": {"google.com/tpu": str(chips)}}}],
            _FLAVORS: [{"metadata": {"name": FLAVOR}, "spec": {"nodeLabels": _LABELS}}],
            CLUSTER_QUEUES: [{"metadata": {"name": "cq"}, "spec": {"resourceGroups": [{"flavors": quota}]}}],
            LOCAL_QUEUES: [{"metadata": {"name": "lq", "namespace": "team-a"}, "spec": {"clusterQueue": "cq"}}],
        }
        self.objects: dict[str, Document] = {"/api/v1/namespaces/kube-system": {"metadata": {"uid": "cluster-1"}}}
        self._version = 100

    @property
    def api(self) -> Api:
        """As the code under test takes it."""
        return cast("Api", self)

    # --- what Kueue does, each at a second

    def ask(self, at: int, name: str, *, chips: int = 8, **spec: Any) -> str:  # noqa: ANN401  any field
        """A Workload is created: its uid."""
        template = {
            "spec": {"containers": [{"resources": {"limits": {"google.com/tpu": "4"}}, "env": [{"name": "X"}]}]}
        }
        owner = {"kind": "JobSet", "name": name, "uid": f"job-{name}"}
        pod_sets = [{"name": "slice", "count": chips // 4, "template": template}]
        metadata = {"name": f"jobset-{name}", "namespace": "team-a", "uid": f"uid-{name}"}
        self._put(
            {
                "metadata": {**metadata, "creationTimestamp": stamp(at), "ownerReferences": [owner]},
                "spec": {"queueName": "lq", "priority": 0, "podSets": pod_sets, **spec},
                "status": {"conditions": []},
            }
        )
        return f"uid-{name}"

    def reserve(self, at: int, uid: str) -> None:
        """Quota is reserved."""
        document = self._copy(uid)
        count = document["spec"]["podSets"][0]["count"]
        usage = {"google.com/tpu": str(count * 4)}
        assignment = {"name": "slice", "count": count, "flavors": {"google.com/tpu": FLAVOR}, "resourceUsage": usage}
        document["status"]["admission"] = {"clusterQueue": "cq", "podSetAssignments": [assignment]}
        set_condition(document, "QuotaReserved", at, is_true=True)
        set_condition(document, "Evicted", at, is_true=False)
        self._put(document)

    def become(self, at: int, uid: str, type_: str, *, is_true: bool = True, reason: str = "Because") -> None:
        """A condition changes."""
        document = self._copy(uid)
        set_condition(document, type_, at, is_true=is_true, reason=reason)
        self._put(document)

    def release(self, at: int, uid: str) -> None:
        """An evicted Workload gives its quota back."""
        document = self._copy(uid)
        del document["status"]["admission"]
        for type_ in ("QuotaReserved", "Admitted", "PodsReady"):
            set_condition(document, type_, at, is_true=False)
        self._put(document)

    def edit(self, uid: str, **status: Any) -> None:  # noqa: ANN401  any field
        """Fields of the status change."""
        document = self._copy(uid)
        document["status"] |= status
        self._put(document)

    def activate(self, uid: str, *, is_active: bool) -> None:
        """Somebody pauses a Workload, or lets it go on."""
        document = self._copy(uid)
        document["spec"]["active"] = is_active
        self._put(document)

    def delete(self, at: int, uid: str) -> None:
        """A Workload is deleted."""
        document = self._copy(uid)
        document["metadata"]["deletionTimestamp"] = stamp(at)
        self._version += 1
        document["metadata"]["resourceVersion"] = str(self._version)
        del self.workloads[uid]
        self.history.append((self._version, Event("DELETED", document)))

    # --- as Api

    def listed(self, path: str) -> tuple[dict[str, Document], str]:
        """As `Api.listed`."""
        assert path == WORKLOADS
        return copy.deepcopy(self.workloads), str(self._version)

    def changes(self, path: str, version: str, *, seconds: float) -> Iterator[Event]:
        """As `Api.changes`, without waiting for more."""
        del seconds
        assert path == WORKLOADS
        if int(version) < self.forgotten:
            raise ApiError(410, {"message": "too old resource version"})
        for at, event in self.history:
            if at > int(version):
                yield copy.deepcopy(event)

    def items(self, path: str, query: Mapping[str, str] | None = None) -> list[Document]:
        """As `Api.items`."""
        key, _, value = (query or {}).get("labelSelector", "").partition("=")
        found = list(self.workloads.values()) if path == WORKLOADS else self.collections.get(path, [])
        return [copy.deepcopy(each) for each in found if not key or each["metadata"]["labels"].get(key) == value]

    def get(self, path: str) -> Document:
        """As `Api.get`."""
        return self.objects[path]

    def find(self, path: str) -> Document | None:
        """As `Api.find`."""
        return self.objects.get(path)

    def _copy(self, uid: str) -> Document:
        return copy.deepcopy(self.workloads[uid])

    def _put(self, document: Document) -> None:
        uid = document["metadata"]["uid"]
        self._version += 1
        document["metadata"]["resourceVersion"] = str(self._version)
        kind = "MODIFIED" if uid in self.workloads else "ADDED"
        self.workloads[uid] = document
        self.history.append((self._version, Event(kind, document)))


def stamp(second: int) -> str:
    """A time as the API server writes it."""
    return written(START + second * SECOND)


def set_condition(document: Document, type_: str, at: int, *, is_true: bool, reason: str = "Because") -> None:
    """Set a condition; its time changes with its status only, and what never was True does not become False."""
    conditions: list[Document] = document["status"]["conditions"]
    before = next((each for each in conditions if each["type"] == type_), None)
    status = "True" if is_true else "False"
    if before is None and is_true:
        conditions.append(
            {"type": type_, "status": status, "reason": reason, "message": "so", "lastTransitionTime": stamp(at)}
        )
    elif before is not None and before["status"] != status:
        before |= {"status": status, "reason": reason, "lastTransitionTime": stamp(at)}


def live(kueue: FakeKueue, random_: random.Random, steps: int) -> Iterator[int]:
    """Random lives of Workloads, one change after another: the second of each."""
    stages: dict[str, str] = {}
    at = 0
    for number in range(steps):
        at += random_.randrange(30, 2000)
        if not stages or random_.random() < 0.25:
            stages[kueue.ask(at, f"job-{number}", chips=4 * random_.randrange(1, 5))] = "asked"
        else:
            uid = random_.choice(sorted(stages))
            stages[uid] = _next(kueue, random_, at, uid, stages[uid])
            if stages[uid] == "gone":
                del stages[uid]
        yield at


_AFTER: Final = {
    "asked": "reserved",
    "reserved": "admitted",
    "admitted": "ready",
    "evicting": "evicted",
    "finishing": "finished",
    "evicted": "asked",
    "finished": "gone",
}


_CONDITIONS: Final = {
    "reserved": ("Admitted",),
    "admitted": ("PodsReady",),
    "evicting": ("Evicted",),
    "finishing": ("Finished",),
}


def _next(kueue: FakeKueue, random_: random.Random, at: int, uid: str, stage: str) -> str:
    """Do what may follow a stage: the stage after it."""
    if random_.random() < 0.05:
        kueue.delete(at, uid)
        return "gone"
    if stage == "ready":
        stage = random_.choice(("evicting", "finishing"))
    if stage in _CONDITIONS:
        kueue.become(at, uid, *_CONDITIONS[stage])
    elif stage == "asked":
        kueue.reserve(at, uid)
    elif stage == "evicted":
        kueue.release(at, uid)
    else:
        kueue.delete(at, uid)
    return _AFTER[stage]
