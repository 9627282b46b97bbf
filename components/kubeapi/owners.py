"""The kinds of objects whose pods run the work of a cluster, and how to find the pods of each.

Kueue reads the queue of each kind from the label `kueue.x-k8s.io/queue-name` of the object itself; of a Deployment,
StatefulSet or LeaderWorkerSet its webhook copies the label to the pods, and the pods have the Workloads. A CronJob has
no row: its Jobs are found by its name.
Source: LeaderWorkerSet 0.9.0, api/leaderworkerset/v1; KubeRay 1.6.2, ray-operator/controllers/ray/utils/constant.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from components.kubeapi.documents import Document, section
from components.model.facts import gke, kinds, ray

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.facts.kinds import Kind

JOBSETS: Final = "/apis/jobset.x-k8s.io/v1alpha2/jobsets"
JOBS: Final = "/apis/batch/v1/jobs"
RAY_JOBS: Final = "/apis/ray.io/v1/rayjobs"
PODS: Final = "/api/v1/pods"
_NAME: Final = ""
"""Among the labels of pods: the name of their owner."""


class Owner(NamedTuple):
    """A kind of objects that make pods."""

    kind: Kind
    path: str
    """Of the list of all objects of the kind."""
    labels: Mapping[str, str] | None
    """Labels of its pods; None where the object's `spec.selector` states them."""
    ends: bool = False
    """Whether it runs to completion."""

    def labels_of(self, owner: Document) -> Mapping[str, str]:
        """The labels by which the pods of one object are found; none where its selector has no plain labels."""
        if self.labels is None:
            return section(owner, "spec", "selector", "matchLabels")
        return {key: value or owner["metadata"]["name"] for key, value in self.labels.items()}

    @property
    def name_label(self) -> str | None:
        """The label of its pods that has its name; None where the object's selector states them."""
        return next((key for key, value in (self.labels or {}).items() if not value), None)

    def name_in(self, labels: Mapping[str, str]) -> str | None:
        """The name of the object whose pod has these labels; None where it is not a pod of this kind."""
        if not self.labels or any(value and labels.get(key) != value for key, value in self.labels.items()):
            return None
        return labels.get(self.name_label or "")


OWNERS: Final = (
    Owner(kinds.JOBSET, JOBSETS, {gke.LABEL_JOBSET_NAME: _NAME}, ends=True),
    Owner(
        kinds.RAY_JOB,
        RAY_JOBS,
        {ray.LABEL_MADE_FOR: _NAME, ray.LABEL_MADE_FOR_KIND: kinds.RAY_JOB.name},
        ends=True,
    ),
    Owner(kinds.JOB, JOBS, {gke.LABEL_BATCH_JOB_NAME: _NAME}, ends=True),
    Owner(kinds.DEPLOYMENT, "/apis/apps/v1/deployments", None),
    Owner(kinds.STATEFUL_SET, "/apis/apps/v1/statefulsets", None),
    Owner(
        kinds.LEADER_WORKER_SET,
        "/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets",
        {"leaderworkerset.sigs.k8s.io/name": _NAME},
    ),
    Owner(kinds.RAY_CLUSTER, "/apis/ray.io/v1/rayclusters", {"ray.io/cluster": _NAME}),
    Owner(
        kinds.RAY_SERVICE,
        "/apis/ray.io/v1/rayservices",
        {ray.LABEL_MADE_FOR: _NAME, ray.LABEL_MADE_FOR_KIND: kinds.RAY_SERVICE.name},
    ),
)
"""A pod with the labels of several belongs to the first: a pod of a JobSet has those of its Job too."""
_BY_KIND: Final = {each.kind.name: each for each in OWNERS}


def pods_of_owner(owner: Document, pods: Iterable[Document]) -> list[Document]:
    """The pods of an object of one of these kinds, or a Pod itself."""
    row, metadata = _BY_KIND.get(str(owner.get("kind"))), owner["metadata"]
    if row is None:
        return [pod for pod in pods if pod["metadata"].get("uid") == metadata.get("uid")]
    labels = row.labels_of(owner).items()
    return [
        pod
        for pod in pods
        if labels
        and pod["metadata"].get("namespace") == metadata.get("namespace")
        and labels <= section(pod, "metadata", "labels").items()
    ]
