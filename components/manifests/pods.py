"""Pods as workloads write them: their containers, and the fields that all kinds of workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.manifests.volumes import volume_mounts, volumes
from components.model.plan.pods import ConfigMapKeyPlan, FieldPlan, SecretKeyPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.manifests.metadata import Manifest
    from components.model.facts.quantities import Quantity
    from components.model.plan.pods import ContainerPlan, MountPlan, PodPlan, SidecarPlan, ValuePlan
    from components.model.plan.workloads import RunPlan


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
