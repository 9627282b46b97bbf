"""From the objects of a cluster to its work: each piece with its pods, its Workloads and its place in a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from components.kubeapi.documents import Document, entries, is_true, section
from components.kubeapi.jobs import (
    LOCAL_QUEUES,
    NODES,
    SERVICES,
    WORKLOADS,
    Lists,
    admitted_by,
    end_of,
    items_of_users,
    pool_of,
)
from components.kubeapi.owners import OWNERS, PODS
from components.model.facts import gke
from components.model.running import Running, State, Work
from components.pod_sets import chips_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


_RUNS: Final = tuple(each.path for each in OWNERS if each.ends)
"""What is work also while it has no pods."""
_OWNERS: Final = (*SERVICES, "/apis/apps/v1/replicasets", "/apis/batch/v1/cronjobs")
"""What else owns pods, directly or through others."""
_OF_NODES: Final = ("DaemonSet", "Node")
"""Owners of pods that belong to their node, and end with nothing else."""
_OVER: Final = ("Succeeded", "Failed")


def running_in(lists: Lists) -> Running:
    """The work of a cluster, by kind, namespace and name; that of system namespaces is left out.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: the cluster could not be read.
    """
    return Running(work=tuple(sorted(_works(lists), key=lambda each: (each.kind, each.namespace, each.name))))


class Owners:
    """The objects of a cluster, and who owns which."""

    def __init__(self, lists: Lists) -> None:
        """Reads all kinds that have pods, or that own such a kind."""
        self.runs = [each for path in _RUNS for each in items_of_users(lists, path)]
        """Jobs of all kinds, those that others own too."""
        self.pods = [each for each in items_of_users(lists, PODS) if _is_there(each)]
        self.workloads = items_of_users(lists, WORKLOADS)
        owners = [each for path in _OWNERS for each in items_of_users(lists, path)]
        self._all = {each["metadata"]["uid"]: each for each in (*owners, *self.runs, *self.pods, *self.workloads)}

    def root(self, document: Document) -> Document:
        """What owns an object in the end; an owner of a kind that is not read is known by its reference alone."""
        owners = entries(document, "metadata", "ownerReferences")
        owner = next((each for each in owners if each.get("controller")), None)
        if owner is None:
            return document
        above = self._all.get(owner["uid"])
        if above is not None:
            return self.root(above)
        namespace = document["metadata"].get("namespace", "")
        return {"kind": owner["kind"], "metadata": {"name": owner["name"], "namespace": namespace, "uid": owner["uid"]}}

    def by_root(self, found: Iterable[Document]) -> dict[str, list[Document]]:
        """Objects by the uid of what owns them in the end."""
        grouped: dict[str, list[Document]] = {}
        for each in found:
            grouped.setdefault(self.root(each)["metadata"]["uid"], []).append(each)
        return grouped


def _works(lists: Lists) -> Iterator[Work]:
    owners = Owners(lists)
    around = _Around(
        pools={node["metadata"]["name"]: pool_of(node) for node in lists.items(NODES)},
        queues={
            _key(each, each["metadata"]["name"]): str(section(each, "spec").get("clusterQueue", ""))
            for each in items_of_users(lists, LOCAL_QUEUES)
        },
    )
    pods, workloads = owners.by_root(owners.pods), owners.by_root(owners.workloads)
    roots = {root["metadata"]["uid"]: root for each in (*owners.pods, *owners.runs) for root in (owners.root(each),)}
    for uid, root in roots.items():
        if root["kind"] not in _OF_NODES:
            yield _work(root, pods.get(uid, []), workloads.get(uid, []), around)


class _Around(NamedTuple):
    """What work refers to."""

    pools: Mapping[str, str]
    """Node pool by node."""
    queues: Mapping[tuple[str, str], str]
    """ClusterQueue by namespace and name of a LocalQueue."""


def _work(root: Document, pods: list[Document], workloads: list[Document], around: _Around) -> Work:
    metadata = root["metadata"]
    held = next((each for each in workloads if admitted_by(each)), next(iter(workloads), None))
    labelled = section(metadata, "labels").get(gke.LABEL_QUEUE_NAME, "")
    named = str(section(held, "spec").get("queueName") or labelled)
    admitted = "" if held is None else admitted_by(held)
    nodes = {str(name) for pod in pods if (name := section(pod, "spec").get("nodeName"))}
    return Work(
        kind=str(root["kind"]),
        namespace=str(metadata.get("namespace", "")),
        name=str(metadata["name"]),
        state=_state(root, pods, held, is_queued=bool(named)),
        local_queue=named,
        queue=admitted or around.queues.get(_key(root, named), ""),
        flavors=tuple(sorted(set(_flavors(held)))),
        chips=sum(map(chips_of, workloads[:1])) or sum(map(chips_of, pods)) or chips_of(root),
        priority=_priority(held, pods),
        priority_class=next(_priority_classes(pods, held), ""),
        pools=tuple(sorted({around.pools[name] for name in nodes if name in around.pools})),
        claims=tuple(sorted({claim for pod in pods for claim in _claims(pod)})),
        is_ready=all(section(pod, "status").get("phase") == "Running" for pod in pods),
    )


def _is_there(pod: Document) -> bool:
    """Whether a pod runs or will, and nobody has deleted it."""
    return section(pod, "status").get("phase") not in _OVER and "deletionTimestamp" not in pod["metadata"]


def _key(document: Document, name: str) -> tuple[str, str]:
    return str(document["metadata"].get("namespace", "")), name


def _state(root: Document, pods: list[Document], workload: Document | None, *, is_queued: bool) -> State:
    if end_of(root) is not None or (workload is not None and is_true(workload, "Finished") and not pods):
        return State.FINISHED
    if workload is None:
        return State.WAITS if is_queued and not pods else State.RUNS
    if is_true(workload, "Admitted"):
        return State.RUNS
    return State.RESERVES if is_true(workload, "QuotaReserved") else State.WAITS


def _flavors(workload: Document | None) -> Iterator[str]:
    for assigned in entries(workload, "status", "admission", "podSetAssignments"):
        yield from map(str, section(assigned, "flavors").values())


def _priority(workload: Document | None, pods: list[Document]) -> int:
    stated = section(workload, "spec").get("priority")
    if stated is None:
        stated = max((section(pod, "spec").get("priority") or 0 for pod in pods), default=0)
    return int(stated)


def _priority_classes(pods: list[Document], workload: Document | None) -> Iterator[str]:
    templates = [section(each, "template") for each in entries(workload, "spec", "podSets")]
    for each in (*pods, *templates):
        name = section(each, "spec").get("priorityClassName")
        if name:
            yield str(name)


def _claims(pod: Document) -> Iterator[str]:
    for volume in entries(pod, "spec", "volumes"):
        name = section(volume, "persistentVolumeClaim").get("claimName")
        if name:
            yield str(name)
