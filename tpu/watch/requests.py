"""What an object asks for, in words: its chips and GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.pod_sets import asked_of

if TYPE_CHECKING:
    from components.kubeapi.documents import Document
    from tpu.watch.record import Record

_UNITS: Final = {gke.RESOURCE_TPU: ("chip", "chips"), gke.RESOURCE_GPU: ("GPU", "GPUs")}
"""One and many of each accelerator, by resource name."""


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
