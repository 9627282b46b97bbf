"""The plan of the pods of workloads, whatever their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from components.model import config, names
from components.model.facts import quantities
from components.model.plan.pods import (
    CheckpointsMountPlan,
    ClaimMountPlan,
    ConfigMapKeyPlan,
    ConfigMapMountPlan,
    EphemeralMountPlan,
    FieldPlan,
    MountPlan,
    PodPlan,
    SecretKeyPlan,
    SecretManagerMountPlan,
    SecretMountPlan,
    SidecarPlan,
    ValuePlan,
)
from components.model.planning.buckets import bucket_mount
from components.model.planning.queueing import amounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.places import Place


class Stated(TypedDict):
    """What the plan of a run takes from the stack file as it is."""

    place: Place
    name: str
    namespace: str
    queue: str | None
    priority: str | None
    image: str


def stated(workload: config.Run, place: Place) -> Stated:
    """The keys of the run at the place that need no planning."""
    return {
        "place": place,
        "name": workload.name,
        "namespace": workload.namespace,
        "queue": workload.queue,
        "priority": workload.priority,
        "image": workload.image,
    }


def pod_plan(keys: config.PodKeys, place: Place, devices: Mapping[str, str] | None = None) -> PodPlan:
    """The pods of the workload at the place; `devices` are requested beside the resources that it states."""
    return PodPlan(
        place=place,
        requests=amounts({**keys.resources, **({} if devices is None else devices)}),
        env=_env(keys.env),
        mounts=mount_plans(keys.mounts, place),
        service_account=keys.service_account,
        sidecars=tuple(_sidecar(each, place.at("sidecars", index)) for index, each in enumerate(keys.sidecars)),
        grace_seconds=keys.grace_seconds,
        pull_secrets=keys.image_pull_secrets,
        labels=keys.labels,
        annotations=keys.annotations,
    )


def command(script: str | None, words: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The command of a container that states a script or a program; None where it is the image's own."""
    return words if script is None else ("bash", "-c", script)


def called(place: Place, script: str | None) -> Place:
    """The place of a container; where its command is a script, that is what the file calls it."""
    return place if script is None else place.with_key_names(**{"command": ("script",), "command[2]": ("script",)})


def _sidecar(sidecar: config.Sidecar, place: Place) -> SidecarPlan:
    return SidecarPlan(
        place=called(place, sidecar.script),
        name=sidecar.name,
        image=sidecar.image,
        command=command(sidecar.script, sidecar.command),
        args=sidecar.args,
        requests=amounts(sidecar.resources),
        env=_env(sidecar.env),
        mounts=mount_plans(sidecar.mounts, place),
    )


def _env(env: Mapping[str, config.Value]) -> dict[str, ValuePlan]:
    return {name: _value(value) for name, value in env.items()}


def _value(value: config.Value) -> ValuePlan:
    match value:
        case str():
            return value
        case config.SecretKey():
            return SecretKeyPlan(secret=value.secret, key=value.key)
        case config.ConfigMapKey():
            return ConfigMapKeyPlan(config_map=value.config_map, key=value.key)
        case config.PodField():
            return FieldPlan(field=value.field)


def mount_plans(mounts: Sequence[config.Mount], place: Place) -> tuple[MountPlan, ...]:
    """The mounts of the container at the place."""
    return tuple(_mount(mount, place.at("mounts", index)) for index, mount in enumerate(mounts))


def claim_mount(claim: str, path: str, place: Place) -> ClaimMountPlan:
    """A whole claim, which may be written."""
    return ClaimMountPlan(place=place, volume=claim, path=path, claim=claim)


class _Where(TypedDict):
    """What every mount has."""

    place: Place
    path: str
    is_read_only: bool
    sub_path: str | None


def _mount(mount: config.Mount, place: Place) -> MountPlan:
    if isinstance(mount, config.SecretManagerMount):
        volume = names.secret_provider_class(mount.secret_manager, mount.version)
        return SecretManagerMountPlan(
            place=place,
            volume=volume,
            path=mount.path,
            is_read_only=True,
            secret=mount.secret_manager,
            version=mount.version,
            provider_class=volume,
        )
    if isinstance(mount, config.BucketMount):
        return bucket_mount(mount, place)
    if isinstance(mount, config.CheckpointsMount):
        return CheckpointsMountPlan(place=place, volume=names.CHECKPOINTS_VOLUME, path=mount.path)
    where = _Where(place=place, path=mount.path, is_read_only=mount.read_only, sub_path=mount.sub_path)
    match mount:
        case config.ClaimMount():
            return ClaimMountPlan(**where, volume=mount.claim, claim=mount.claim)
        case config.EphemeralMount():
            size = quantities.parse(mount.ephemeral)
            return EphemeralMountPlan(**where, volume=mount.name, size=size, is_in_memory=mount.in_memory)
        case config.SecretMount():
            return SecretMountPlan(**where, volume=names.volume("secret", mount.secret), secret=mount.secret)
        case config.ConfigMapMount():
            volume = names.volume("config-map", mount.config_map)
            return ConfigMapMountPlan(**where, volume=volume, config_map=mount.config_map)
