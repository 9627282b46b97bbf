"""GKE's admission of pods that select a ComputeClass: a toleration, and a refusal of other selectors. Pure.

The pod does not say the topology of its TPU slice: the number of its hosts is that of the pods of its Job.

Source: GKE documentation "About custom ComputeClasses" (node selectors for system node labels), read 2026-11. Google
does not publish the text of the refusal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke
from components.model.facts.compute_classes import REFUSED_SELECTORS

if TYPE_CHECKING:
    from collections.abc import Callable

COLLECTION: Final = "/apis/cloud.google.com/v1/computeclasses"


def class_of(pod: Document) -> str | None:
    """The class that a pod selects; None where it selects none."""
    return section(pod, "spec", "nodeSelector").get(gke.LABEL_COMPUTE_CLASS)


def refused(pod: Document) -> str | None:
    """Why a pod of a class is refused; None when it is not."""
    selector = section(pod, "spec", "nodeSelector")
    wrong = [label for label in REFUSED_SELECTORS if label in selector]
    if class_of(pod) is None or not wrong:
        return None
    return (
        f"node selectors {', '.join(wrong)} cannot be used with ComputeClass {class_of(pod)}: the class states these "
        "properties of nodes"
    )


def toleration_patch(pod: Document) -> list[dict[str, Any]]:
    """The operation by which the pod tolerates the taint of the nodes of its class; none without a class."""
    name = class_of(pod)
    if name is None:
        return []
    own = entries(section(pod, "spec"), "tolerations")
    added = {"key": gke.LABEL_COMPUTE_CLASS, "operator": "Equal", "value": name, "effect": "NoSchedule"}
    return [] if added in own else [{"op": "add", "path": "/spec/tolerations", "value": [*own, added]}]


def hosts_of(pod: Document, namespace: str, find: Callable[[str], Document | None]) -> int | None:
    """The hosts of the slice that a pod of a class is on: the pods of its Job. None for other pods.

    `find` finds an object by its path in the API.
    """
    name = section(pod, "metadata", "labels").get(gke.LABEL_BATCH_JOB_NAME)
    if class_of(pod) is None or name is None:
        return None
    job = find(f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}")
    return None if job is None else int(section(job, "spec").get("completions") or 1)
