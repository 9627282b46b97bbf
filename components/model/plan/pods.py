"""The plan of the pods of a workload: containers, variables and mounts; accounts, and the Secrets that pods read."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from msgspec import Struct, field

from components.model.places import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.quantities import Quantity


# --- environment variables


class SecretKeyPlan(Struct, frozen=True, kw_only=True):
    """A value in a Secret of the namespace."""

    secret: str
    key: str


class ConfigMapKeyPlan(Struct, frozen=True, kw_only=True):
    """A value in a ConfigMap of the namespace."""

    config_map: str
    key: str


class FieldPlan(Struct, frozen=True, kw_only=True):
    """A field of the pod itself."""

    field: str


ValuePlan = str | SecretKeyPlan | ConfigMapKeyPlan | FieldPlan
"""The value of a variable: text, or where the value is."""

# --- mounts


class MountPlan(Struct, frozen=True, kw_only=True):
    """A volume as a folder of a container."""

    place: Place
    volume: str
    """Name of the volume; mounts of one name share it."""
    path: str
    is_read_only: bool = False
    sub_path: str | None = None
    """None mounts the whole volume."""


class ClaimMountPlan(MountPlan, frozen=True, kw_only=True):
    """A claim of the workload's namespace."""

    claim: str


class EphemeralMountPlan(MountPlan, frozen=True, kw_only=True):
    """An empty folder that lives as long as the pod."""

    size: Quantity
    is_in_memory: bool


class SecretMountPlan(MountPlan, frozen=True, kw_only=True):
    """A Secret of the namespace: a file for each of its keys."""

    secret: str


class ConfigMapMountPlan(MountPlan, frozen=True, kw_only=True):
    """A ConfigMap of the namespace: a file for each of its keys."""

    config_map: str


class BucketMountPlan(MountPlan, frozen=True, kw_only=True):
    """A bucket as a folder."""

    bucket: str
    options: tuple[str, ...]
    """Options of Cloud Storage FUSE."""
    profile: str | None
    cache_gib: int | None
    """Memory for files; None is what the profile says."""
    has_cache: bool
    """Whether files are kept in memory."""
    is_parallel: bool
    """Whether large files are read in parts, which needs that memory."""
    prefetches: bool
    """Whether the metadata of all files is read when the bucket is mounted."""
    acts_as_pod: bool = False
    """Whether it must be said that the pod's own service account reads the bucket, because the pod is on its host's
    network."""

    @property
    def settings(self) -> tuple[object, ...]:
        """The settings that tell volumes of a pod apart."""
        return (self.bucket, self.options, self.cache_gib, self.prefetches, self.is_read_only)


class CheckpointsMountPlan(MountPlan, frozen=True, kw_only=True):
    """The memory of the host that multi-tier checkpointing looks after."""


class SecretManagerMountPlan(MountPlan, frozen=True, kw_only=True):
    """A version of a secret of Secret Manager, as a file."""

    secret: str
    version: str
    provider_class: str
    """Name of the SecretProviderClass, an object of the namespace, that the mount names."""


# --- pods


class ContainerPlan(Struct, frozen=True, kw_only=True):
    """The part that all containers have."""

    place: Place = field(default_factory=Place)
    requests: Mapping[str, Quantity] = field(default_factory=dict["str", "Quantity"])
    """Requests and limits by resource, without the chips of a slice."""
    env: Mapping[str, ValuePlan] = field(default_factory=dict["str", "ValuePlan"])
    mounts: tuple[MountPlan, ...] = ()


class SidecarPlan(ContainerPlan, frozen=True, kw_only=True):
    """A container that starts before the workload's own, and ends when it ends."""

    name: str
    image: str
    command: tuple[str, ...] | None
    """None is the image's own, and so below."""
    args: tuple[str, ...] | None


class PodPlan(ContainerPlan, frozen=True, kw_only=True):
    """The pods of a workload, and their main container."""

    service_account: str | None = None
    """None is `default`."""
    sidecars: tuple[SidecarPlan, ...] = ()
    grace_seconds: int | None = None
    """None leaves it to Kubernetes."""
    pull_secrets: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict["str", "str"])
    """Labels of the workload's object and of its pods, beside those of the program; and so below."""
    annotations: Mapping[str, str] = field(default_factory=dict["str", "str"])
    driver_annotations: Mapping[str, str] = field(default_factory=dict["str", "str"])
    """Annotations of the pods alone, which drivers of their volumes ask for."""

    @property
    def containers(self) -> tuple[ContainerPlan, ...]:
        """All containers, the main one first."""
        return (self, *self.sidecars)

    @property
    def all_mounts(self) -> tuple[MountPlan, ...]:
        """The mounts of all containers."""
        return tuple(mount for each in self.containers for mount in each.mounts)

    @property
    def all_requests(self) -> Mapping[str, Quantity]:
        """The requests of the pod: all containers together, as sidecars run beside the main one."""
        total: dict[str, Quantity] = {}
        for container in self.containers:
            for name, amount in container.requests.items():
                total[name] = total[name].plus(amount) if name in total else amount
        return total


class ServiceAccountPlan(Struct, frozen=True, kw_only=True):
    """A Kubernetes ServiceAccount with its roles."""

    place: Place
    name: str
    namespace: str
    member: str
    """How IAM policies name its pods."""
    roles: tuple[str, ...]
    is_existing: bool


@dataclasses.dataclass(frozen=True, slots=True)
class SecretText:
    """A text that nothing prints."""

    text: str = dataclasses.field(repr=False)

    @property
    def is_json_mapping(self) -> bool:
        """Whether it can be read as JSON, and is a mapping."""
        try:
            return isinstance(json.loads(self.text), dict)
        except ValueError:
            return False


class SecretPlan(Struct, frozen=True, kw_only=True):
    """A Kubernetes Secret."""

    place: Place
    name: str
    namespace: str
    data: Mapping[str, SecretText]


class ProviderClassPlan(Struct, frozen=True, kw_only=True):
    """A version of a secret of Secret Manager that pods of a namespace mount as a file."""

    name: str
    namespace: str
    secret: str
    version: str
    resource: str
    """The version's name in Google Cloud."""


class SecretReaderPlan(Struct, frozen=True, kw_only=True):
    """Pods that may read a secret of Secret Manager."""

    name: str
    """A short word for the secret and its reader."""
    secret: str
    member: str
    """How IAM policies name the pods."""
