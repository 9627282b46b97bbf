"""From a Job, JobSet or RayJob to a Workload, as Kueue makes it.

Source: Kueue 0.19.2, pkg/controller/jobframework/reconciler.go and pkg/workload/resources.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke, kinds
from components.model.facts.quantities import thousandths
from components.pod_sets import AmountError, Pods, chips_of, of_job, of_job_set, of_ray_job, whole
from tpu.rehearsal.open_workloads import what_decides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.model.facts.kinds import Kind

SUFFIX: Final = "whatif"
"""The end of the Workload's name: no open Workload has it."""
_MAX_SECONDS: Final = f"{gke.KUEUE_DOMAIN}max-exec-time-seconds"
_VERSION: Final = "kueue.x-k8s.io/v1beta2"


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
    limit = whole(labels, _MAX_SECONDS)
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


def _check_amounts(pod: Document) -> None:
    for container in (*entries(pod, "containers"), *entries(pod, "initContainers")):
        for kind in ("limits", "requests"):
            for resource, amount in section(container, "resources", kind).items():
                try:
                    thousandths(str(amount))
                except ValueError as error:
                    raise AmountError(f"resources.{kind}.{resource}: {amount} is not an amount") from error


READERS: Final[dict[Kind, Callable[[Document], Iterator[Pods]]]] = {
    kinds.JOB: of_job,
    kinds.JOBSET: of_job_set,
    kinds.RAY_JOB: of_ray_job,
}
"""The kinds of jobs that can be asked about. A Pathways workload is a JobSet."""
