"""From a Job, JobSet or RayJob to a Workload, as Kueue makes it.

Not modelled: what a LimitRange or a RuntimeClass adds to pods, and containers that KubeRay adds for its autoscaler.
Source: Kueue 0.19.2, pkg/controller/jobs/{job,jobset,rayjob,raycluster}, pkg/controller/jobframework/reconciler.go and
pkg/workload/resources.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

from components.model.facts import gke, kinds, ray
from components.model.facts.quantities import thousandths
from kubeapi.documents import entries, section
from operations.watch.requests import chips_of
from rehearsal.open_workloads import what_decides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.model.facts.kinds import Kind
    from kubeapi.documents import Document

SUFFIX: Final = "whatif"
"""The end of the Workload's name: no open Workload has it."""
_MAX_SECONDS: Final = f"{gke.KUEUE_DOMAIN}max-exec-time-seconds"
_VERSION: Final = "kueue.x-k8s.io/v1beta2"
_SUBMITTER: Final = "submitter"
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


def pods_of(kind: Kind, document: Document) -> tuple[Pods, ...]:
    """The pods of a job; `kind` is among `READERS`.

    Raises:
        AmountError: as there.
    """
    pods = tuple(READERS[kind](document))
    for each in pods:
        _check_amounts(section(each.template, "spec"))
    return pods


def slices_of(pods: tuple[Pods, ...]) -> int:
    """The slices of a job: its equal parts with chips; 1 where it has several kinds of them."""
    sliced = _sliced(pods)
    return 1 if sliced is None else sliced.parts


def workload(document: Document, pods: tuple[Pods, ...], *, priority: int, slices: int) -> Document:
    """The Workload of a job that has so many slices and such a priority.

    Raises:
        AmountError: as there.
    """
    metadata, sliced = section(document, "metadata"), _sliced(pods)
    labels = section(metadata, "labels")
    limit = _whole(labels, _MAX_SECONDS)
    made = {
        "apiVersion": _VERSION,
        "kind": "Workload",
        "metadata": {
            "name": f"{name_of(document)}-{SUFFIX}",
            "namespace": metadata.get("namespace") or gke.DEFAULT_NAMESPACE,
        },
        "spec": {
            "queueName": labels.get(gke.LABEL_QUEUE_NAME),
            "priority": priority,
            "podSets": [_pod_set(each, slices if each is sliced else each.parts) for each in pods],
            **({} if limit is None else {"maximumExecutionTimeSeconds": limit}),
        },
    }
    return what_decides(made, is_admitted=False)


def name_of(document: Document) -> str:
    """The name of a job, or how the API server would begin it."""
    metadata = section(document, "metadata")
    return str(metadata.get("name") or str(metadata.get("generateName", "")).rstrip("-"))


def _sliced(pods: tuple[Pods, ...]) -> Pods | None:
    found = [each for each in pods if each.parts > 1 and chips_of({"spec": {"template": each.template}})]
    return found[0] if len(found) == 1 else None


def _pod_set(pods: Pods, parts: int) -> Document:
    spec = section(pods.template, "spec")
    filled = {
        key: [_with_requests(each) for each in entries(spec, key)]
        for key in ("containers", "initContainers")
        if entries(spec, key)
    }
    template = {"spec": _with_requests({**spec, **filled})}
    return {"name": pods.name, "count": pods.of_one * parts, "minCount": pods.least, "template": template}


def _with_requests(holder: Document) -> Document:
    """A container or pod that requests its limits, where it states nothing else."""
    resources = section(holder, "resources")
    if not resources:
        return holder
    requests = {**section(resources, "limits"), **section(resources, "requests")}
    return {**holder, "resources": {**resources, "requests": requests}}


@overload
def _whole(holder: Document, key: str, default: int) -> int: ...
@overload
def _whole(holder: Document, key: str, default: None = None) -> int | None: ...
def _whole(holder: Document, key: str, default: int | None = None) -> int | None:
    value = holder.get(key)
    if value is not None and not str(value).isdecimal():
        raise AmountError(f"{key}: {value} is not a whole number")
    return default if value is None else int(value)


def _check_amounts(pod: Document) -> None:
    for container in (*entries(pod, "containers"), *entries(pod, "initContainers")):
        for kind in ("limits", "requests"):
            for resource, amount in section(container, "resources", kind).items():
                try:
                    thousandths(str(amount))
                except ValueError as error:
                    raise AmountError(f"resources.{kind}.{resource}: {amount} is not an amount") from error


def _of_job(document: Document) -> Iterator[Pods]:
    spec = section(document, "spec")
    yield Pods(
        name="main",
        of_one=_at_once(spec),
        parts=1,
        template=section(spec, "template"),
        least=_whole(section(document, "metadata", "annotations"), gke.ANNOTATION_MIN_PARALLELISM),
    )


def _of_job_set(document: Document) -> Iterator[Pods]:
    for each in entries(document, "spec", "replicatedJobs"):
        job = section(each, "template", "spec")
        yield Pods(
            name=str(each["name"]),
            of_one=_at_once(job),
            parts=_whole(each, "replicas", 1),
            template=section(job, "template"),
        )


def _at_once(job: Document) -> int:
    """The pods that a Job runs at one time."""
    parallelism = _whole(job, "parallelism", 1)
    return min(parallelism, _whole(job, "completions", parallelism))


def _of_ray_job(document: Document) -> Iterator[Pods]:
    spec = section(document, "spec")
    cluster, mode = section(spec, "rayClusterSpec"), spec.get("submissionMode") or _BY_JOB
    head = section(cluster, "headGroupSpec", "template")
    if mode == _BY_SIDECAR:
        pod = section(head, "spec")
        head = {**head, "spec": {**pod, "containers": [*entries(pod, "containers"), _SUBMITTING]}}
    yield Pods(name=ray.HEAD_GROUP, of_one=1, parts=1, template=head)
    for each in entries(cluster, "workerGroupSpecs"):
        yield Pods(
            name=str(each["groupName"]),
            of_one=max(1, _whole(each, "numOfHosts", 1)),
            parts=_whole(each, "replicas", 1),
            template=section(each, "template"),
        )
    if mode == _BY_JOB:
        own = section(spec, "submitterPodTemplate") or {"spec": {"containers": [_SUBMITTING]}}
        yield Pods(name=_SUBMITTER, of_one=1, parts=1, template=own)


READERS: Final[dict[Kind, Callable[[Document], Iterator[Pods]]]] = {
    kinds.JOB: _of_job,
    kinds.JOBSET: _of_job_set,
    kinds.RAY_JOB: _of_ray_job,
}
"""The kinds of jobs that can be asked about. A Pathways workload is a JobSet."""
