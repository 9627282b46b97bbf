"""The capacity of a cluster by ResourceFlavor: chips and GPUs of its nodes and of the quota, and the price's terms."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.kubeapi.jobs import CLUSTER_QUEUES, NODES, readable
from components.model.facts import gke, tpu
from tpu.trace.lines import Flavor
from tpu.trace.requests import ACCELERATORS, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from components.kubeapi import Api

FLAVORS: Final = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors"


def read_capacity(api: Api) -> tuple[Flavor, ...]:
    """The capacity now, by the names of the flavors.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: it could not be read.
    """
    return capacity_of(api.items(FLAVORS), api.items(CLUSTER_QUEUES), readable(api, NODES))


def capacity_of(
    flavors: Iterable[Document], queues: Iterable[Document], nodes: Sequence[Document] | None
) -> tuple[Flavor, ...]:
    """The capacity of flavors; a node counts for the flavor that names most of its labels."""
    stated = sorted(flavors, key=lambda each: str(each["metadata"]["name"]))
    quotas = list(queues)
    counted = {} if nodes is None else _nodes_by_flavor(stated, nodes)
    return tuple(_flavor(each, quotas, None if nodes is None else counted[each["metadata"]["name"]]) for each in stated)


def _flavor(document: Document, queues: Iterable[Document], nodes: list[Document] | None) -> Flavor:
    name = str(document["metadata"]["name"])
    labels = dict[str, str](section(document, "spec", "nodeLabels"))
    if nodes:
        labels = {**section(nodes[0], "metadata", "labels"), **labels}
    return Flavor(
        name=name,
        nodes=None if nodes is None else _sum(section(node, "status", "allocatable") for node in nodes),
        quota=_quota(queues, name),
        generation=_generation(labels),
        capacity=_capacity(labels) if gke.LABEL_TPU_ACCELERATOR in labels else None,
        region=labels.get(gke.LABEL_REGION),
    )


def _nodes_by_flavor(flavors: Sequence[Document], nodes: Iterable[Document]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {str(each["metadata"]["name"]): [] for each in flavors}
    for node in nodes:
        labels = section(node, "metadata", "labels")
        fitting = [each for each in flavors if section(each, "spec", "nodeLabels").items() <= labels.items()]
        if fitting:
            best = max(fitting, key=lambda each: len(section(each, "spec", "nodeLabels")))
            found[best["metadata"]["name"]].append(node)
    return found


def _sum(amounts: Iterable[Document]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for each in amounts:
        for resource in ACCELERATORS:
            found[resource] += whole({name: str(value) for name, value in each.items()}, resource)
    return dict(+found)


def _quota(queues: Iterable[Document], flavor: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for queue in queues:
        for group in entries(queue, "spec", "resourceGroups"):
            for each in (each for each in entries(group, "flavors") if each.get("name") == flavor):
                for resource in (one for one in entries(each, "resources") if one["name"] in ACCELERATORS):
                    found[resource["name"]] += whole({"": str(resource.get("nominalQuota", 0))}, "")
    return dict(+found)


def _generation(labels: dict[str, str]) -> str | None:
    accelerator = labels.get(gke.LABEL_TPU_ACCELERATOR)
    return next((each.id for each in tpu.GENERATIONS if each.accelerator == accelerator), None)


def _capacity(labels: dict[str, str]) -> str:
    if labels.get(gke.LABEL_FLEX_START) == "true":
        return "flex-start"
    if labels.get(gke.LABEL_SPOT) == "true" or labels.get(gke.LABEL_PREEMPTIBLE) == "true":
        return "spot"
    return "reservation" if labels.get(gke.LABEL_RESERVATION_NAME) else "on-demand"
