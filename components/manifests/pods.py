"""Pods as workloads write them: containers, volumes, and the fields that all kinds of workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import checkpointing, gcs_fuse
from components.model.plan.pods import (
    BucketMountPlan,
    CheckpointsMountPlan,
    ClaimMountPlan,
    ConfigMapKeyPlan,
    ConfigMapMountPlan,
    EphemeralMountPlan,
    FieldPlan,
    SecretKeyPlan,
    SecretManagerMountPlan,
    SecretMountPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from components.manifests.metadata import Manifest
    from components.model.facts.quantities import Quantity
    from components.model.plan.pods import ContainerPlan, MountPlan, PodPlan, SidecarPlan, ValuePlan
    from components.model.plan.workloads import RunPlan


SECRET_MANAGER_DRIVER: Final = "secrets-store-gke.csi.k8s.io"  # noqa: S105  a driver
"""The CSI driver of GKE's Secret Manager add-on (GKE documentation "Use the Secret Manager add-on", read 2026-11)."""


def volumes(mounts: Iterable[MountPlan]) -> list[Manifest]:
    """The volumes of a pod, each once, in the order of the first mounts of them."""
    first: dict[str, MountPlan] = {}
    for mount in mounts:
        first.setdefault(mount.volume, mount)
    buckets = [each for each in first.values() if isinstance(each, BucketMountPlan)]
    return [*map(_volume, first.values()), *_caches(buckets)]


def _caches(buckets: Sequence[BucketMountPlan]) -> Iterator[Manifest]:
    """The one volume in which the sidecar keeps files of all buckets, if any of them has files kept."""
    kept = [each.cache_gib for each in buckets if each.has_cache]
    if kept:
        stated = [gib for gib in kept if gib is not None]
        memory: Manifest = {"medium": "Memory"}
        if len(stated) == len(kept):
            memory["sizeLimit"] = f"{sum(stated)}Gi"
        yield {"name": gcs_fuse.CACHE_VOLUME, "emptyDir": memory}


def _volume(mount: MountPlan) -> Manifest:
    return {"name": mount.volume, **_source(mount)}


def _source(mount: MountPlan) -> Manifest:
    """The key of a volume that has its source."""
    match mount:
        case ClaimMountPlan():
            return {"persistentVolumeClaim": {"claimName": mount.claim}}
        case EphemeralMountPlan():
            medium = {"medium": "Memory"} if mount.is_in_memory else {}
            return {"emptyDir": {"sizeLimit": str(mount.size), **medium}}
        case SecretMountPlan():
            return {"secret": {"secretName": mount.secret}}
        case ConfigMapMountPlan():
            return {"configMap": {"name": mount.config_map}}
        case BucketMountPlan():
            return {"csi": _bucket(mount)}
        case CheckpointsMountPlan():
            return {"csi": {"driver": checkpointing.DRIVER}}
        case SecretManagerMountPlan():
            attributes = {"secretProviderClass": mount.provider_class}
            return {"csi": {"driver": SECRET_MANAGER_DRIVER, "readOnly": True, "volumeAttributes": attributes}}
        case _:
            raise TypeError(f"a mount of another kind: {type(mount).__name__}")


def _bucket(mount: BucketMountPlan) -> Manifest:
    attributes = {"bucketName": mount.bucket, "mountOptions": ",".join(mount.options)}
    if mount.prefetches:
        attributes["gcsfuseMetadataPrefetchOnMount"] = "true"
    if mount.acts_as_pod:
        attributes["hostNetworkPodKSA"] = "true"
    written: Manifest = {"driver": gcs_fuse.DRIVER, "volumeAttributes": attributes}
    if mount.is_read_only:
        written["readOnly"] = True
    return written


def volume_mounts(mounts: Iterable[MountPlan]) -> list[Manifest]:
    """The folders of a container."""
    return [_volume_mount(mount) for mount in mounts]


def _volume_mount(mount: MountPlan) -> Manifest:
    written: Manifest = {"name": mount.volume, "mountPath": mount.path}
    if mount.is_read_only:
        written["readOnly"] = True
    if mount.sub_path is not None:
        written["subPath"] = mount.sub_path
    return written


SIDECAR: Final = "Always"
"""The restart policy of an init container that runs beside the others."""


def program(container: Manifest, run: RunPlan | SidecarPlan) -> None:
    """Writes the command of the run, unless it is the image's own."""
    if run.command is not None:
        container["command"] = list(run.command)
    if run.args is not None:
        container["args"] = list(run.args)


def resources(amounts: Mapping[str, Quantity | str]) -> Manifest:
    """These amounts, requested and not to be exceeded."""
    written = {name: str(amount) for name, amount in amounts.items()}
    return {"limits": written, "requests": dict(written)}


def secret_variable(name: str, secret: str, key: str) -> Manifest:
    """A variable whose value only the Secret has."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def mount(pod: Manifest, container: Manifest, mounts: Sequence[MountPlan]) -> None:
    """Writes the volumes of a pod of one container, as folders of the container."""
    if mounts:
        pod["volumes"] = volumes(mounts)
        container["volumeMounts"] = volume_mounts(mounts)


def apply(pod: Manifest, plan: PodPlan, devices: Mapping[str, str] | None = None) -> None:
    """Writes the fields that all kinds of workload share into a pod; its main container requests `devices` too."""
    (main,) = pod["containers"]
    _fill(main, plan, {} if devices is None else devices)
    if plan.sidecars:
        pod["initContainers"] = [_sidecar(each) for each in plan.sidecars]
    if plan.all_mounts:
        pod["volumes"] = volumes(plan.all_mounts)
    if plan.service_account is not None:
        pod["serviceAccountName"] = plan.service_account
    if plan.grace_seconds is not None:
        pod["terminationGracePeriodSeconds"] = plan.grace_seconds
    if plan.pull_secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in plan.pull_secrets]


def template(spec: Manifest, plan: PodPlan) -> Manifest:
    """The template of the pods, with the labels and annotations of the user."""
    metadata: Manifest = {}
    if plan.labels:
        metadata["labels"] = dict(plan.labels)
    annotations = {**plan.driver_annotations, **plan.annotations}
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}


def _sidecar(plan: SidecarPlan) -> Manifest:
    """An init container that is started again, and that Kubernetes ends when the pod's main container has ended."""
    container: Manifest = {"name": plan.name, "image": plan.image, "restartPolicy": SIDECAR}
    program(container, plan)
    _fill(container, plan, {})
    return container


def field_variable(name: str, path: str) -> Manifest:
    """A variable whose value is a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _fill(container: Manifest, plan: ContainerPlan, devices: Mapping[str, str]) -> None:
    if plan.requests or devices:
        container["resources"] = resources({**plan.requests, **devices})
    if plan.env:
        container["env"] = [_variable(name, value) for name, value in plan.env.items()]
    if plan.mounts:
        container["volumeMounts"] = volume_mounts(plan.mounts)


def _variable(name: str, value: ValuePlan) -> Manifest:
    match value:
        case str():
            return {"name": name, "value": value}
        case SecretKeyPlan():
            return secret_variable(name, value.secret, value.key)
        case ConfigMapKeyPlan():
            return {"name": name, "valueFrom": {"configMapKeyRef": {"name": value.config_map, "key": value.key}}}
        case FieldPlan():
            return field_variable(name, value.field)
