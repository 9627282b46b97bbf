"""Rules about amounts of resources that people mean: whole devices, and more than a few bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.model.facts.quantities import Quantity
from components.model.findings import Finding
from components.model.plan.workloads import RedisPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_PODS: Final = "Kubernetes API v1, Container"
_BYTES: Final = frozenset({"memory", "ephemeral-storage"})
"""Resources that are counted in bytes."""
_MEBIBYTE: Final = Quantity(1024**2 * 1000)


@rule(
    "devices-are-whole",
    summary="GPUs are asked for under gpu, chips by workloads on slices, and devices in whole numbers",
    why="The API server refuses parts of a device, and pods without a selector land on nodes that have none.",
    source=_PODS,
    family=Family.QUOTA,
)
def _devices_are_whole(plan: Plan) -> Iterator[Finding]:
    for work in (*plan.programs, *plan.redises):
        for name, amount in work.requests.items() if isinstance(work, RedisPlan) else work.pod.requests.items():
            place = work.place.at("resources", name)
            if name == gke.RESOURCE_TPU:
                yield Finding(
                    place=place,
                    says="chips come as whole hosts of a slice.",
                    remedy="Make it a workload of kind tpu-job or jobset, with a flavor of slices.",
                    is_about_key=True,
                )
            elif "/" in name and amount.milli % 1000:
                yield Finding(place=place, says=f"{amount} is part of a device.", remedy="Ask for a whole number.")


@rule(
    "bytes-are-many",
    summary="amounts of memory and storage are a mebibyte or more",
    why="512m is half a byte: no container starts with it, and as a quota it admits nothing.",
    source='Kubernetes documentation "Resource Management for Pods and Containers", read 2026-11',
    family=Family.QUOTA,
)
def _bytes_are_many(plan: Plan) -> Iterator[Finding]:
    works = [
        (work.place, work.requests if isinstance(work, RedisPlan) else work.pod.requests)
        for work in (*plan.programs, *plan.redises)
    ]
    quotas = [(share.place, share.quotas) for queue in plan.queues for share in queue.resources]
    for place, amounts in (*works, *quotas):
        for name, amount in amounts.items():
            if name in _BYTES and 0 < amount.milli < _MEBIBYTE.milli:
                number = str(amount).rstrip("mkKi")
                yield Finding(
                    place=place.at("resources", name),
                    says=f"{amount} of {name} is {amount.milli / 1000:g} bytes.",
                    remedy=f"Write {number}Mi or {number}Gi, if that is meant.",
                )


AMOUNT_RULES: Final = (_devices_are_whole, _bytes_are_many)
