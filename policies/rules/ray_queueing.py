"""The rule about Ray clusters in a queue of Kueue, whose webhook refuses what would not give its quota back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding
from components.model.rule import Family
from policies.objects.belonging import queue_name
from policies.objects.judging import object_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.values import Part
    from policies.objects.world import Object

_SPECS: Final = {
    kinds.RAY_CLUSTER: ("spec",),
    kinds.RAY_JOB: ("spec", "rayClusterSpec"),
}
"""Where a kind describes its cluster."""
_ELASTIC: Final = f"{gke.KUEUE_DOMAIN}elastic-job"
_ENDS: Final = "shutdownAfterJobFinishes"
_SELECTS: Final = "clusterSelector"
_SCALES: Final = "enableInTreeAutoscaling"


@object_rule(
    "queued-ray-gives-back",
    summary="a queued RayJob makes a cluster and deletes it when it ends, and a queued Ray cluster keeps its size",
    why="Kueue's webhook refuses it: the cluster would keep its quota, outgrow it, or have none.",
    source="Kueue 0.16.2 and 0.19.2, pkg/controller/jobs/rayjob and raycluster",
    family=Family.QUOTA,
    kinds=tuple(_SPECS),
)
def _queued_ray_gives_back(owner: Object) -> Iterator[Finding]:
    cluster = owner.part(*_SPECS[owner.kind])
    if queue_name(owner) is None or cluster is None:
        return
    if owner.has("spec", _SELECTS):
        yield Finding(
            place=owner.place.at("spec", _SELECTS),
            says=f"{owner.name} has a cluster of its own, rayClusterSpec.",
            remedy="Remove one of the two. Without rayClusterSpec it uses no quota of the queue.",
            is_about_key=True,
        )
        return
    if owner.kind is kinds.RAY_JOB and not owner.flag("spec", _ENDS):
        yield Finding(
            place=owner.place.at("spec", _ENDS),
            says=f"not true, so the cluster of {owner.name} would keep its quota.",
            remedy="Set true.",
        )
    yield from _growing(owner, cluster)


def _growing(owner: Object, cluster: Part) -> Iterator[Finding]:
    if cluster.flag(_SCALES) and not owner.has("metadata", "annotations", _ELASTIC):
        yield Finding(
            place=cluster.place.at(_SCALES),
            says=f"{owner.name} is in a queue, which gives it a fixed number of pods.",
            remedy="Remove the key.",
        )


RAY_QUEUEING_RULES: Final = (_queued_ray_gives_back,)
