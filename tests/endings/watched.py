"""What ended in a cluster, by the API server's own record: the ids of objects and pods, and Kueue's conditions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, is_true, section
from components.kubeapi.jobs import CLUSTER_QUEUES, NODES, WORKLOADS
from components.kubeapi.owners import JOBSETS, PODS
from tests.eventually import eventually
from tpu.running.works import Owners

if TYPE_CHECKING:
    from components.kubeapi import Api

_QUIET: Final = 3.0
"""Real seconds without a change of work after which controllers have done what they wanted to."""
_LONGEST: Final = 90.0


@dataclass(frozen=True)
class Seen:
    """The work of a cluster at one moment."""

    pods: dict[str, frozenset[str]]
    """The ids of the running pods of each piece of work, with the work's own id; by kind, namespace and name."""
    reserving: frozenset[str]
    """Work that holds quota."""

    def ended(self, now: Seen) -> set[str]:
        """The work that has lost a pod or itself since, or the quota that it held."""
        gone = {title for title, ids in self.pods.items() if not ids <= now.pods.get(title, frozenset())}
        return gone | (self.reserving - now.reserving)


def seen(api: Api) -> Seen:
    """What there is now."""
    owners = Owners(api)
    pods: dict[str, set[str]] = {}
    for pod in owners.pods:
        root = owners.root(pod)
        title = _title(root)
        own = {root["metadata"]["uid"]}
        is_running = section(pod, "status").get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
        pods.setdefault(title, own).update({pod["metadata"]["uid"]} if is_running else ())
    for run in owners.runs:
        pods.setdefault(_title(owners.root(run)), {owners.root(run)["metadata"]["uid"]})
    reserving = {
        _title(owners.root(each))
        for each in owners.workloads
        if is_true(each, "QuotaReserved") and not is_true(each, "Evicted") and not is_true(each, "Finished")
    }
    return Seen({title: frozenset(ids) for title, ids in pods.items()}, frozenset(reserving))


def quiet(api: Api) -> None:
    """Wait until no pod, job, Workload or queue has changed for some seconds, and all nodes are ready."""
    last: list[Any] = [None, time.monotonic()]

    def is_quiet() -> bool:
        found = [each for path in (PODS, JOBSETS, WORKLOADS, CLUSTER_QUEUES) for each in _items(api, path)]
        versions = {each["metadata"]["uid"]: each["metadata"]["resourceVersion"] for each in found}
        nodes = {each["metadata"]["uid"] for each in api.items(NODES)}
        now = time.monotonic()
        if (versions, nodes) != last[0]:
            last[:] = [(versions, nodes), now]
        return now - last[1] >= _QUIET

    eventually(is_quiet, what="the controllers have done what they wanted to", seconds=_LONGEST)


def _items(api: Api, path: str) -> list[Document]:
    found = api.find(path)
    return entries(found, "items")


def _title(root: Document) -> str:
    return f"{root['kind']} {root['metadata']['namespace']}/{root['metadata']['name']}"
