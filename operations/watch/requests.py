"""The requests of jobs: TPU chips and GPUs, summed over all of their pods."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from kubeapi.documents import entries, section
from operations.watch.templates import pods_asked

if TYPE_CHECKING:
    from kubeapi.documents import Document
    from operations.watch.record import Record

_UNITS: Final = {gke.RESOURCE_TPU: ("chip", "chips"), gke.RESOURCE_GPU: ("GPU", "GPUs")}
"""One and many of each accelerator, by resource name."""


def asked_of(document: Document) -> Counter[str]:
    """Accelerators that a Workload or a job asks for, by resource name; what it does not ask for is left out."""
    found: Counter[str] = Counter()
    for pods in pods_asked(document):
        for container in entries(pods.template, "spec", "containers"):
            for resource in _UNITS:
                found[resource] += pods.count * _requested(container, resource)
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


def _requested(container: Document, resource: str) -> int:
    resources = section(container, "resources")
    amounts = section(resources, "limits") | section(resources, "requests")
    return int(amounts.get(resource) or 0)
