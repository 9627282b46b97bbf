"""Rules about the volumes of pods: containers mount those that there are, and buckets are mounted by a sidecar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.pods import MAKERS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_BUCKETS: Final = "gcsfuse.csi.storage.gke.io"
_SIDECAR: Final = "gke-gcsfuse/volumes"


@object_rule(
    "mounted-volume-is-stated",
    summary="containers mount volumes of their pod",
    why="The API server refuses the object.",
    source="Kubernetes, pkg/apis/core/validation",
    family=Family.GUARDRAILS,
    kinds=MAKERS,
)
def _mounted_volume_is_stated(owner: Object) -> Iterator[Finding]:
    claims = owner.parts("spec", "volumeClaimTemplates")
    claimed = [claim.string("metadata", "name") for claim in claims]
    for group in pod_groups(owner):
        known = [*(volume.string("name") for volume in group.template.parts("spec", "volumes")), *claimed]
        for container in group.all_containers:
            for mount in container.parts("volumeMounts"):
                name = mount.string("name")
                if name and name not in known:
                    yield Finding(
                        place=mount.place.at("name"),
                        says=f"the pod has no volume {name}.",
                        remedy=f"{did_you_mean(name, known)}Volumes: {listing(known)}.",
                    )


@object_rule(
    "bucket-has-its-sidecar",
    summary=f"pods that mount a bucket have the annotation {_SIDECAR}",
    why="GKE adds the sidecar that mounts the bucket for the annotation alone; without it pods wait in "
    "ContainerCreating.",
    source='GKE documentation "Access Cloud Storage buckets with the Cloud Storage FUSE CSI driver", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=MAKERS,
)
def _bucket_has_its_sidecar(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if group.template.text("metadata", "annotations", _SIDECAR) == "true":
            continue
        for volume in group.template.parts("spec", "volumes"):
            if volume.text("csi", "driver") == _BUCKETS:
                yield Finding(
                    place=volume.place.at("csi", "driver"),
                    says=f"the pods of {group.name} have no annotation {_SIDECAR}.",
                    remedy=f'Add {_SIDECAR}: "true" to the annotations of the pods.',
                )


POD_VOLUME_RULES: Final = (_mounted_volume_is_stated, _bucket_has_its_sidecar)
