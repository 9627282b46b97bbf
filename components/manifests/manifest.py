"""The objects of a manifest, as they are created: in the namespace and the queue of their workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from components.manifests.metadata import RUN_OF_A_JOB
from components.model.facts import gke, kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.manifests.metadata import Manifest
    from components.model.plan.workloads import ManifestPlan


def manifest_objects(workload: ManifestPlan) -> list[Manifest]:
    """The objects of the file, in order; a field that the file states stays."""
    return [_completed(each.document, workload) for each in workload.objects]


def is_queued(document: Mapping[str, Any]) -> bool:
    """Whether the object is of a kind that Kueue queues: such a run is never changed, but replaced."""
    return kinds.kind_of(document) in kinds.QUEUED_KINDS


def _completed(document: Mapping[str, Any], workload: ManifestPlan) -> Manifest:
    metadata: Manifest = dict(document["metadata"])
    if not kinds.is_cluster_wide(document):
        metadata.setdefault("namespace", workload.namespace)
    if not is_queued(document):
        return {**document, "metadata": metadata}
    metadata["annotations"] = {**RUN_OF_A_JOB, **_mapping(metadata, "annotations")}
    labels = {gke.LABEL_QUEUE_NAME: workload.queue, gke.LABEL_WORKLOAD_PRIORITY: workload.priority}
    stated = {key: value for key, value in labels.items() if value is not None}
    return _labelled({**document, "metadata": metadata}, kinds.labels_at(kinds.kind_of(document)), stated)


def _labelled(part: Mapping[str, Any], path: Sequence[str], labels: Mapping[str, str]) -> Manifest:
    """The part with the labels at a path, below those that stand there."""
    if not path:
        return {**labels, **part}
    key, *rest = path
    return {**part, key: _labelled(_mapping(part, key), rest, labels)} if labels else dict(part)


def _mapping(part: Mapping[str, Any], key: str) -> Manifest:
    """The mapping at a key; empty where there is none."""
    value = part.get(key)
    return dict(cast("Manifest", value)) if isinstance(value, dict) else {}
