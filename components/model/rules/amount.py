"""Rules about amounts of resources that people mean: whole devices, and more than a few bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from components.model.facts.quantities import Quantity
from components.model.findings import Finding
from components.model.plan.workloads import PathwaysPlan, TpuRunPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.pod_groups import PodGroupPlan

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
    for group in plan.pod_groups:
        of_flavor = isinstance(group.work, TpuRunPlan)
        for section, requests in _requests(group):
            yield from _parts(section, requests, "Remove it: the flavor decides." if of_flavor else _ON_SLICES)


def _requests(group: PodGroupPlan) -> Iterator[tuple[Place, Mapping[str, Quantity]]]:
    """What the containers of pods request, each with the place of the section."""
    for container in group.pod.containers:
        yield container.place.at("resources"), container.requests
    if isinstance(group.work, PathwaysPlan) and not group.is_on_slices:
        yield group.work.head.place.at("server"), group.work.server
        yield group.work.head.place.at("proxy"), group.work.proxy


def _parts(section: Place, requests: Mapping[str, Quantity], of_chips: str) -> Iterator[Finding]:
    for name, amount in requests.items():
        place = section.at(name)
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
    requests = [each for group in plan.pod_groups for each in _requests(group)]
    quotas = [(share.place.at("resources"), share.quotas) for queue in plan.queues for share in queue.resources]
    for section, amounts in (*requests, *quotas):
        for name, amount in amounts.items():
            if name in _BYTES and 0 < amount.milli < _MEBIBYTE.milli:
                number = str(amount).rstrip("mkKi")
                yield Finding(
                    place=section.at(name),
                    says=f"{amount} of {name} is {amount.milli / 1000:g} bytes.",
                    remedy=f"Write {number}Mi or {number}Gi, if that is meant.",
                )


AMOUNT_RULES: Final = (_devices_are_whole, _bytes_are_many)
