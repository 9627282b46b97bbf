"""The requests of jobs: TPU chips and GPUs, summed over all of their pods."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubeapi.documents import Document
    from operations.watch.record import Record

_UNITS: Final = {gke.RESOURCE_TPU: ("chip", "chips"), gke.RESOURCE_GPU: ("GPU", "GPUs")}
"""One and many of each accelerator, by resource name."""


def asked_of(document: Document) -> Counter[str]:
    """Accelerators that a Workload or a job asks for, by resource name; what it does not ask for is left out."""
    found: Counter[str] = Counter()
    for count, template in _templates(document):
        for container in entries(template, "spec", "containers"):
            for resource in _UNITS:
                found[resource] += count * _requested(container, resource)
    return +found


def chips_of(workload: Document) -> int:
    """TPU chips that a Workload or a job asks for."""
    return asked_of(workload)[gke.RESOURCE_TPU]


def accelerators_of(workload: Document) -> int:
    """Chips and GPUs that a Workload or a job asks for."""
    return asked_of(workload).total()


def asks_text(document: Document) -> str:
    """What it requests, in words, such as `requests 24 chips`."""
    asked = asked_of(document)
    if not asked:
        return "requests no chips"
    return f"requests {' and '.join(f'{count} {_UNITS[name][count != 1]}' for name, count in sorted(asked.items()))}"


def unit_of(record: Record) -> str | None:
    """What admission is counted in: `chips`, `GPUs` or both; None where Kueue manages no job that asks for any."""
    kinds = {name for workload in record.workloads for name in asked_of(workload)}
    return "+".join(_UNITS[name][1] for name in sorted(kinds)) or None


def _templates(document: Document) -> Iterator[tuple[int, Document]]:
    """The number of pods and their template, once per kind of pod."""
    spec = section(document, "spec")
    for pod_set in entries(spec, "podSets"):
        yield int(pod_set.get("count", 1)), section(pod_set, "template")
    for replicated in entries(spec, "replicatedJobs"):
        job = section(replicated, "template", "spec")
        yield int(replicated.get("replicas", 1)) * int(job.get("parallelism", 1)), section(job, "template")
    cluster = section(spec, "rayClusterSpec")
    for group in entries(cluster, "workerGroupSpecs"):
        yield int(group.get("replicas", 1)) * int(group.get("numOfHosts", 1)), section(group, "template")
    if "template" in spec:
        yield int(spec.get("parallelism", 1)), section(spec, "template")


def _requested(container: Document, resource: str) -> int:
    resources = section(container, "resources")
    amounts = section(resources, "limits") | section(resources, "requests")
    return int(amounts.get(resource) or 0)
