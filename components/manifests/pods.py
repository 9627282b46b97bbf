"""Pods as workloads write them: one container, and the fields that all kinds of workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.manifests.metadata import TemplateMetadata
    from components.model.facts.quantities import Quantity
    from components.model.plan.workloads import MountPlan, RunPlan


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


class SecretKey(TypedDict):
    """A value in a Secret of the pod's namespace."""

    name: str
    key: str


class ValueFrom(TypedDict):
    """The source of a variable's value."""

    secretKeyRef: SecretKey


class Variable(TypedDict):
    """An environment variable."""

    name: str
    value: NotRequired[str]
    valueFrom: NotRequired[ValueFrom]


class VolumeMount(TypedDict):
    """A volume as a folder of the container."""

    name: str
    mountPath: str


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
    """The one container of a pod."""

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


class Claim(TypedDict):
    """A PersistentVolumeClaim by its name."""

    claimName: str


class Volume(TypedDict):
    """A volume of a pod."""

    name: str
    persistentVolumeClaim: Claim


class PodSpec(TypedDict):
    """A pod."""

    restartPolicy: NotRequired[str]
    nodeSelector: NotRequired[dict[str, str]]
    subdomain: NotRequired[str]
    priorityClassName: NotRequired[str]
    hostNetwork: NotRequired[bool]
    dnsPolicy: NotRequired[str]
    containers: list[Container]
    volumes: NotRequired[list[Volume]]


class PodTemplate(TypedDict):
    """What pods are made from."""

    metadata: NotRequired[TemplateMetadata]
    spec: PodSpec


def program(container: Container, run: RunPlan) -> None:
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
    """Writes the claims as folders of the container; a claim that is mounted twice is one volume."""
    if not mounts:
        return
    claims = dict.fromkeys(mount.claim for mount in mounts)
    pod["volumes"] = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    container["volumeMounts"] = [{"name": mount.claim, "mountPath": mount.path} for mount in mounts]
