"""Rules about amounts of resources that people mean: whole devices, and more than a few bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.model.facts.quantities import Quantity
from components.model.findings import Finding
from components.model.plan.workloads import RedisPlan, TpuRunPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.workloads import RunPlan

_PODS: Final = "Kubernetes API v1, Container"
_BYTES: Final = frozenset({"memory", "ephemeral-storage"})
"""Resources that are counted in bytes."""
_ON_SLICES: Final = "Make it a workload of kind tpu-job or jobset, with a flavor of slices."
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
        of_flavor = isinstance(work, TpuRunPlan)
        for above, requests in _requests(work):
            yield from _parts(above, requests, "Remove it: the flavor decides." if of_flavor else _ON_SLICES)


def _requests(work: RunPlan | RedisPlan) -> Iterator[tuple[Place, Mapping[str, Quantity]]]:
    """What the containers of a workload request, each with its place."""
    if isinstance(work, RedisPlan):
        yield work.place, work.requests
    else:
        yield work.place, work.pod.requests
        yield from ((sidecar.place, sidecar.requests) for sidecar in work.pod.sidecars)


def _parts(above: Place, requests: Mapping[str, Quantity], of_chips: str) -> Iterator[Finding]:
    for name, amount in requests.items():
        place = above.at("resources", name)
        if name == gke.RESOURCE_TPU:
            yield Finding(place=place, says="chips come as whole hosts of a slice.", remedy=of_chips, is_about_key=True)
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
    works = [each for work in (*plan.programs, *plan.redises) for each in _requests(work)]
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
