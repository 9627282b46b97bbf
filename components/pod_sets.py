"""The pods that an object asks for, and their chips: how many, their template, TPU chips and GPUs over all of them.

An object's spec has a key that only its kind has; `READERS` finds the templates by it. Kueue's own Workload is among
the kinds: its `podSets` are what Kueue read from the others. Not modelled: what a LimitRange or a RuntimeClass adds to
pods, and containers that KubeRay adds for its autoscaler.
Source: Kueue 0.19.2, pkg/controller/jobs; LeaderWorkerSet 0.9.0, api/leaderworkerset/v1; KubeRay 1.6.2,
ray-operator/apis/ray/v1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke, ray
from components.model.facts.quantities import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SUBMITTER: Final = "submitter"
"""The name of the pod that submits the program of a RayJob."""
_SUBMITTING: Final = {"name": "ray-job-submitter", "resources": {"requests": dict(ray.SUBMITTER_REQUESTS)}}
_BY_JOB: Final = "K8sJobMode"
_BY_SIDECAR: Final = "SidecarMode"


class AmountError(Exception):
    """A number or an amount of a job cannot be read, such as a placeholder; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pods:
    """Equal pods of a job."""

    name: str
    of_one: int
    """How many pods a slice, or another equal part of the job, has."""
    parts: int
    template: Document
    least: int | None = None
    """The fewest pods with which Kueue starts the job."""

    @property
    def count(self) -> int:
        """All of them."""
        return self.of_one * self.parts


def pods_asked(document: Document) -> tuple[Pods, ...]:
    """The pods that an object asks for; none of an object that makes none.

    Raises:
        AmountError: a number is not a whole number.
    """
    spec = section(document, "spec")
    reader = next((reader for key, reader in READERS.items() if key in spec), None)
    return () if reader is None else tuple(reader(document))


@overload
def whole(holder: Document, key: str, default: int) -> int: ...
@overload
def whole(holder: Document, key: str, default: None = None) -> int | None: ...
def whole(holder: Document, key: str, default: int | None = None) -> int | None:
    """A number that a document states, or `default`.

    Raises:
        AmountError: it is not a whole number.
    """
    value = holder.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is not None and not str(value).isdecimal():
        raise AmountError(f"{key}: {value} is not a whole number")
    return default if value is None else int(value)


def of_job(document: Document) -> Iterator[Pods]:
    """Of a Job, a Deployment or a StatefulSet."""
    spec = section(document, "spec")
    yield Pods(
        name="main",
        of_one=at_once(spec) if "replicas" not in spec else whole(spec, "replicas", 1),
        parts=1,
        template=section(spec, "template"),
        least=whole(section(document, "metadata", "annotations"), gke.ANNOTATION_MIN_PARALLELISM),
    )


def of_job_set(document: Document) -> Iterator[Pods]:
    """Of a JobSet: one row for each replicated Job."""
    for each in entries(document, "spec", "replicatedJobs"):
        job = section(each, "template", "spec")
        yield Pods(
            name=str(each.get("name")),
            of_one=at_once(job),
            parts=whole(each, "replicas", 1),
            template=section(job, "template"),
        )


def at_once(job: Document) -> int:
    """The pods that a Job runs at one time, by its spec."""
    parallelism = whole(job, "parallelism", 1)
    return min(parallelism, whole(job, "completions", parallelism))


def of_ray_job(document: Document) -> Iterator[Pods]:
    """Of a RayJob: its cluster, and the pod that submits its program."""
    spec = section(document, "spec")
    cluster, mode = section(spec, "rayClusterSpec"), spec.get("submissionMode", _BY_JOB)
    head = section(cluster, "headGroupSpec", "template")
    if mode == _BY_SIDECAR:
        pod = section(head, "spec")
        head = {**head, "spec": {**pod, "containers": [*entries(pod, "containers"), _SUBMITTING]}}
    yield from _of_ray(cluster, head)
    if mode == _BY_JOB:
        own = spec.get("submitterPodTemplate", {"spec": {"containers": [_SUBMITTING]}})
        yield Pods(name=SUBMITTER, of_one=1, parts=1, template=own)


def _of_ray(cluster: Document, head: Document) -> Iterator[Pods]:
    yield Pods(name=ray.HEAD_GROUP, of_one=1, parts=1, template=head)
    for each in entries(cluster, "workerGroupSpecs"):
        yield Pods(
            name=str(each.get("groupName")),
            of_one=max(1, whole(each, "numOfHosts", 1)),
            parts=whole(each, "replicas", 1),
            template=section(each, "template"),
        )


def _of_ray_cluster(document: Document) -> Iterator[Pods]:
    spec = section(document, "spec")
    cluster = section(spec, "rayClusterConfig") if "rayClusterConfig" in spec else spec
    yield from _of_ray(cluster, section(cluster, "headGroupSpec", "template"))


def _of_leader_and_workers(document: Document) -> Iterator[Pods]:
    """Of a LeaderWorkerSet: a group has one leader, of the workers' template where it has none of its own."""
    spec = section(document, "spec")
    made = section(spec, "leaderWorkerTemplate")
    groups, size, leader = whole(spec, "replicas", 1), whole(made, "size", 1), section(made, "leaderTemplate")
    if leader:
        yield Pods(name="leader", of_one=1, parts=groups, template=leader)
    workers = section(made, "workerTemplate")
    yield Pods(name="workers", of_one=size - bool(leader), parts=groups, template=workers)


def _of_workload(document: Document) -> Iterator[Pods]:
    for each in entries(document, "spec", "podSets"):
        template = section(each, "template")
        yield Pods(name=str(each.get("name")), of_one=whole(each, "count", 1), parts=1, template=template)


def _of_pod(document: Document) -> Iterator[Pods]:
    yield Pods(name="main", of_one=1, parts=1, template=document)


READERS: Final[Mapping[str, Callable[[Document], Iterator[Pods]]]] = {
    "podSets": _of_workload,
    "replicatedJobs": of_job_set,
    "leaderWorkerTemplate": _of_leader_and_workers,
    "rayClusterSpec": of_ray_job,
    "rayClusterConfig": _of_ray_cluster,
    "headGroupSpec": _of_ray_cluster,
    "template": of_job,
    "containers": _of_pod,
}
"""By the key of the spec that only this kind has."""


def asked_of(document: Document) -> Counter[str]:
    """Accelerators that a Workload or a job asks for, by resource name; what it does not ask for is left out."""
    found: Counter[str] = Counter()
    for pods in pods_asked(document):
        for container in entries(pods.template, "spec", "containers"):
            for resource in (gke.RESOURCE_TPU, gke.RESOURCE_GPU):
                found[resource] += pods.count * _requested(container, resource)
    return +found


def chips_of(workload: Document) -> int:
    """TPU chips that a Workload or a job asks for."""
    return asked_of(workload)[gke.RESOURCE_TPU]


def accelerators_of(workload: Document) -> int:
    """Chips and GPUs that a Workload or a job asks for."""
    return asked_of(workload).total()


def _requested(container: Document, resource: str) -> int:
    resources = section(container, "resources")
    amounts = section(resources, "limits") | section(resources, "requests")
    return parse(str(amounts.get(resource, 0))).milli // 1000
