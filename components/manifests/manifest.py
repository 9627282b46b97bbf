"""The objects of a manifest, as they are created: in the namespace and the queue of their workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from components.manifests.metadata import RUN_OF_A_JOB, Manifest
from components.model.facts import gke, kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.plan.workloads import ManifestPlan


def manifest_objects(workload: ManifestPlan) -> list[Manifest]:
    """The objects of the file, in order; a field that the file states stays."""
    return [_completed(each.document, workload) for each in workload.objects]


def is_run(document: Mapping[str, Any]) -> bool:
    """Whether the object is a run that Kueue queues: it is never changed, but replaced."""
    return kinds.kind_of(document) in kinds.RUNS_OF_A_STACK


def _completed(document: Mapping[str, Any], workload: ManifestPlan) -> Manifest:
    kind = kinds.kind_of(document)
    made = dict(document)
    if not kinds.is_cluster_wide(document):
        made = _with(made, ("metadata",), {"namespace": workload.namespace})
    if kind is kinds.JOB:
        made = _with(made, ("metadata", "annotations"), RUN_OF_A_JOB)
    labels = {gke.LABEL_QUEUE_NAME: workload.queue, gke.LABEL_WORKLOAD_PRIORITY: workload.priority}
    stated = {key: value for key, value in labels.items() if value is not None}
    return _with(made, kinds.labels_at(kind), stated) if stated and is_run(document) else made


def _with(part: Mapping[str, Any], path: Sequence[str], fields: Mapping[str, str]) -> Manifest:
    """The part with fields at a path, below those that stand there; a value of another type stays, for rules to see."""
    if not path:
        return {**fields, **part}
    key, *rest = path
    inner = part.get(key)
    if inner is not None and not isinstance(inner, dict):
        return dict(part)
    return {**part, key: _with(cast("Manifest", inner) if inner else {}, rest, fields)}
