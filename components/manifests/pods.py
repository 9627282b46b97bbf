"""Pods as workloads write them: their containers, and the fields that all kinds of workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

from components.manifests.volumes import volume_mounts, volumes
from components.model.plan.pods import ConfigMapKeyPlan, FieldPlan, SecretKeyPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.manifests.metadata import TemplateMetadata
    from components.manifests.volumes import Volume, VolumeMount
    from components.model.facts.quantities import Quantity
    from components.model.plan.pods import ContainerPlan, MountPlan, PodPlan, SidecarPlan, ValuePlan
    from components.model.plan.workloads import RunPlan


SIDECAR: Final = "Always"
"""The restart policy of an init container that runs beside the others."""


class ContainerPort(TypedDict):
    """A port that a container listens on."""

    containerPort: int


class SecurityContext(TypedDict):
    """What a container may do to its host, and as whom it runs."""

    privileged: NotRequired[bool]
    runAsUser: NotRequired[int]


class Resources(TypedDict):
    """The resources of a container; requests equal limits."""

    limits: dict[str, str]
    requests: dict[str, str]


class KeyOf(TypedDict):
    """A value in a Secret or a ConfigMap of the pod's namespace."""

    name: str
    key: str


class FieldOf(TypedDict):
    """A field of the pod."""

    fieldPath: str


class ValueFrom(TypedDict):
    """The source of a variable's value: one of the three."""

    secretKeyRef: NotRequired[KeyOf]
    configMapKeyRef: NotRequired[KeyOf]
    fieldRef: NotRequired[FieldOf]


class Variable(TypedDict):
    """An environment variable."""

    name: str
    value: NotRequired[str]
    valueFrom: NotRequired[ValueFrom]


class Exec(TypedDict):
    """A command in the container."""

    command: list[str]


class Socket(TypedDict):
    """A port of the container."""

    port: int


class Probe(TypedDict):
    """How the kubelet checks a container: a command succeeds, or a port answers."""

    exec: NotRequired[Exec]
    tcpSocket: NotRequired[Socket]


class Container(TypedDict):
    """A container of a pod."""

    name: str
    image: str
    command: NotRequired[list[str]]
    args: NotRequired[list[str]]
    env: NotRequired[list[Variable]]
    ports: NotRequired[list[ContainerPort]]
    resources: NotRequired[Resources]
    volumeMounts: NotRequired[list[VolumeMount]]
    readinessProbe: NotRequired[Probe]
    livenessProbe: NotRequired[Probe]
    securityContext: NotRequired[SecurityContext]
    restartPolicy: NotRequired[str]


class ObjectOf(TypedDict):
    """An object of the namespace by its name."""

    name: str


class PodSpec(TypedDict):
    """A pod."""

    restartPolicy: NotRequired[str]
    nodeSelector: NotRequired[dict[str, str]]
    subdomain: NotRequired[str]
    priorityClassName: NotRequired[str]
    hostNetwork: NotRequired[bool]
    dnsPolicy: NotRequired[str]
    serviceAccountName: NotRequired[str]
    terminationGracePeriodSeconds: NotRequired[int]
    imagePullSecrets: NotRequired[list[ObjectOf]]
    initContainers: NotRequired[list[Container]]
    containers: list[Container]
    volumes: NotRequired[list[Volume]]


class PodTemplate(TypedDict):
    """What pods are made from."""

    metadata: NotRequired[TemplateMetadata]
    spec: PodSpec


def program(container: Container, run: RunPlan | SidecarPlan) -> None:
    """Writes the command of the run, unless it is the image's own."""
    if run.command is not None:
        container["command"] = list(run.command)
    if run.args is not None:
        container["args"] = list(run.args)


def resources(amounts: Mapping[str, Quantity | str]) -> Resources:
    """These amounts, requested and not to be exceeded."""
    written = {name: str(amount) for name, amount in amounts.items()}
    return {"limits": written, "requests": dict(written)}


def secret_variable(name: str, secret: str, key: str) -> Variable:
    """A variable whose value only the Secret has."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def mount(pod: PodSpec, container: Container, mounts: Sequence[MountPlan]) -> None:
    """Writes the volumes of a pod of one container, as folders of the container."""
    if mounts:
        pod["volumes"] = volumes(mounts)
        container["volumeMounts"] = volume_mounts(mounts)


def apply(pod: PodSpec, plan: PodPlan, devices: Mapping[str, str] | None = None) -> None:
    """Writes what all kinds of workload share into a pod with its main container; `devices` it requests as well."""
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


def template(spec: PodSpec, plan: PodPlan) -> PodTemplate:
    """The template of the pods, with the labels and annotations of the user."""
    metadata: TemplateMetadata = {}
    if plan.labels:
        metadata["labels"] = dict(plan.labels)
    annotations = {**plan.driver_annotations, **plan.annotations}
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}


def _sidecar(plan: SidecarPlan) -> Container:
    """An init container that is started again, and that Kubernetes ends when the pod's main container has ended."""
    container: Container = {"name": plan.name, "image": plan.image, "restartPolicy": SIDECAR}
    program(container, plan)
    _fill(container, plan, {})
    return container


def field_variable(name: str, path: str) -> Variable:
    """A variable whose value is a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _fill(container: Container, plan: ContainerPlan, devices: Mapping[str, str]) -> None:
    if plan.requests or devices:
        container["resources"] = resources({**plan.requests, **devices})
    if plan.env:
        container["env"] = [_variable(name, value) for name, value in plan.env.items()]
    if plan.mounts:
        container["volumeMounts"] = volume_mounts(plan.mounts)


def _variable(name: str, value: ValuePlan) -> Variable:
    match value:
        case str():
            return {"name": name, "value": value}
        case SecretKeyPlan():
            return secret_variable(name, value.secret, value.key)
        case ConfigMapKeyPlan():
            return {"name": name, "valueFrom": {"configMapKeyRef": {"name": value.config_map, "key": value.key}}}
        case FieldPlan():
            return field_variable(name, value.field)
