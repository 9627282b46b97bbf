"""Small platforms and traces for tests of rehearsals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tpu.rehearsal.document import Entry, Object, Rehearsal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TPU: Final = "google.com/tpu"
NAMESPACE: Final = "default"
_VERSION: Final = "kueue.x-k8s.io/v1beta2"
FOREVER: Final = 100_000


def named(kind: str, name: str, spec: Mapping[str, object], namespace: str | None = None) -> Object:
    """An object of Kueue."""
    place = {} if namespace is None else {"namespace": namespace}
    return {"apiVersion": _VERSION, "kind": kind, "metadata": {"name": name, **place}, "spec": dict(spec)}


def flavor(name: str) -> Object:
    return named("ResourceFlavor", name, {})


def cohort(name: str, parent: str | None = None, **spec: object) -> Object:
    return named("Cohort", name, {**({} if parent is None else {"parentName": parent}), **spec})


def local_queue(queue: str, **spec: object) -> Object:
    """The LocalQueue of a ClusterQueue, with its name."""
    return named("LocalQueue", queue, {"clusterQueue": queue, **spec}, NAMESPACE)


def cluster_queue(
    name: str,
    quotas: Mapping[str, int],
    cohort: str | None = None,
    limits: Mapping[str, int] | None = None,
    **spec: object,
) -> Object:
    """A ClusterQueue with a quota of chips by flavor; `limits` are its borrowingLimit and lendingLimit."""
    more = {key: str(value) for key, value in (limits or {}).items()}
    flavors = [
        {"name": each, "resources": [{"name": TPU, "nominalQuota": str(quota), **more}]}
        for each, quota in quotas.items()
    ]
    place = {} if cohort is None else {"cohortName": cohort}
    group = {"coveredResources": [TPU], "flavors": flavors}
    return named("ClusterQueue", name, {"namespaceSelector": {}, **place, "resourceGroups": [group], **spec})


def queues(*made: Object) -> tuple[Object, ...]:
    """ClusterQueues with a LocalQueue each."""
    return tuple(each for queue in made for each in (queue, local_queue(_name(queue))))


def _name(queue: Object) -> str:
    return str(queue["metadata"]["name"])


def workload(name: str, queue: str, chips: int, priority: int = 0, **spec: object) -> Object:
    """A Workload of one pod."""
    container = {"name": "main", "image": "busybox", "resources": {"requests": {TPU: str(chips)}}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    return named("Workload", name, {"queueName": queue, "priority": priority, "podSets": [pods], **spec}, NAMESPACE)


def asked(name: str, queue: str, chips: int, at: int, runs: int | None = 100, priority: int = 0) -> Entry:
    """A Workload that is created at a moment."""
    return Entry(workload=workload(name, queue, chips, priority), at=at, runs=runs)


def held(name: str, queue: str, chips: int, since: int, runs: int | None, flavor: str = "v5e") -> Entry:
    """A Workload that holds quota at the start."""
    holds = {"name": "main", "count": 1, "flavors": {TPU: flavor}, "resourceUsage": {TPU: str(chips)}}
    status = {"admission": {"clusterQueue": queue, "podSetAssignments": [holds]}}
    return Entry(workload={**workload(name, queue, chips), "status": status}, at=since, admitted=since, runs=runs)


def rehearsal(
    objects: Sequence[Object], entries: Sequence[Entry], *, until: int = FOREVER, flavors: Sequence[str] = ("v5e",)
) -> Rehearsal:
    """A rehearsal of a platform with flavors; `model_copy` adds the rest."""
    return Rehearsal(until=until, objects=(*map(flavor, flavors), *objects), workloads=tuple(entries))
