"""The requests of one pod: those of its containers together, or the greatest of its init containers.

Source: Kubernetes' documentation, "Init containers", resource sharing; an init container that restarts always is a
sidecar, and counts with the containers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke
from components.model.facts.quantities import Quantity, thousandths

if TYPE_CHECKING:
    from collections.abc import Mapping


_MILLI: Final = 1000
ACCELERATORS: Final = (gke.RESOURCE_TPU, gke.RESOURCE_GPU)
"""The resources that a record counts as chips."""


def requests_of(pod: Document) -> dict[str, str]:
    """The requests of a pod's spec by resource, in canonical form.

    >>> requests_of({"containers": [{"resources": {"limits": {"google.com/tpu": 4}, "requests": {"cpu": "500m"}}}]})
    {'cpu': '500m', 'google.com/tpu': '4'}
    """
    running: dict[str, Quantity] = {}
    starting: dict[str, Quantity] = {}
    for container in entries(pod, "containers"):
        _add(running, _stated(container))
    for container in entries(pod, "initContainers"):
        stated = _stated(container)
        if container.get("restartPolicy") == "Always":
            _add(running, stated)
        _raise(starting, stated)
    _raise(running, starting)
    _add(running, _amounts(section(pod, "overhead")))
    return {name: str(amount) for name, amount in sorted(running.items()) if amount.milli}


def whole(amounts: Mapping[str, str], resource: str) -> int:
    """Whole units of a resource, such as chips; 0 where it is not among the amounts."""
    return thousandths(amounts.get(resource, "0")) // _MILLI


def _stated(container: Document) -> dict[str, Quantity]:
    resources = section(container, "resources")
    return _amounts({**section(resources, "limits"), **section(resources, "requests")})


def _amounts(stated: Document) -> dict[str, Quantity]:
    return {name: Quantity(thousandths(str(value)), str(value).endswith("i")) for name, value in stated.items()}


def _add(amounts: dict[str, Quantity], more: Mapping[str, Quantity]) -> None:
    for name, amount in more.items():
        amounts[name] = amounts[name].plus(amount) if name in amounts else amount


def _raise(amounts: dict[str, Quantity], others: Mapping[str, Quantity]) -> None:
    for name, amount in others.items():
        if name not in amounts or amounts[name].milli < amount.milli:
            amounts[name] = amount
