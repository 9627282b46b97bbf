"""The plan of the pods of workloads, whatever their kind; of accounts, and of secrets that are declared or mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    ProviderClassPlan,
    SecretKeyPlan,
    SecretManagerMountPlan,
    SecretMountPlan,
    SecretPlan,
    SecretReaderPlan,
    SecretText,
    ServiceAccountPlan,
    SidecarPlan,
    ValuePlan,
)
from components.model.plan.workloads import PodGroupPlan, WorkloadPlan, pod_groups
from components.model.planning.buckets import bucket_mount
from components.model.planning.queueing import amounts
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan


def pod_plan(keys: config.PodKeys, place: Place, devices: Mapping[str, str] | None = None) -> PodPlan:
    """The pods of the workload at the place; `devices` are requested beside the resources that it states."""
    return plan_from(
        PodPlan,
        keys,
        place=place,
        requests=amounts({**keys.resources, **({} if devices is None else devices)}),
        env=_env(keys.env),
        mounts=mount_plans(keys.mounts, place),
        sidecars=tuple(_sidecar(each, place.at("sidecars", index)) for index, each in enumerate(keys.sidecars)),
        pull_secrets=keys.image_pull_secrets,
    )


def command(script: str | None, words: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The command of a container that states a script or a program; None where it is the image's own."""
    return words if script is None else ("bash", "-c", script)


def container_place(place: Place, script: str | None) -> Place:
    """The place of a container; where its command is a script, that is what the file calls it."""
    return place if script is None else place.with_key_names(**{"command": ("script",), "command[2]": ("script",)})


def _sidecar(sidecar: config.Sidecar, place: Place) -> SidecarPlan:
    return plan_from(
        SidecarPlan,
        sidecar,
        place=container_place(place, sidecar.script),
        command=command(sidecar.script, sidecar.command),
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
            return plan_from(SecretKeyPlan, value)
        case config.ConfigMapKey():
            return plan_from(ConfigMapKeyPlan, value)
        case config.PodField():
            return plan_from(FieldPlan, value)


def mount_plans(mounts: Sequence[config.Mount], place: Place) -> tuple[MountPlan, ...]:
    """The mounts of the container at the place."""
    return tuple(_mount(mount, place.at("mounts", index)) for index, mount in enumerate(mounts))


def claim_mount(claim: str, path: str, place: Place) -> ClaimMountPlan:
    """A whole claim, which may be written."""
    return ClaimMountPlan(place=place, volume=claim, path=path, claim=claim)


def _mount(mount: config.Mount, place: Place) -> MountPlan:
    if isinstance(mount, config.SecretManagerMount):
        volume = names.secret_provider_class(mount.secret_manager, mount.version)
        return plan_from(
            SecretManagerMountPlan,
            mount,
            place=place,
            volume=volume,
            is_read_only=True,
            secret=mount.secret_manager,
            provider_class=volume,
        )
    if isinstance(mount, config.BucketMount):
        return bucket_mount(mount, place)
    if isinstance(mount, config.CheckpointsMount):
        return plan_from(CheckpointsMountPlan, mount, place=place, volume=names.CHECKPOINTS_VOLUME)
    shared = {"place": place, "is_read_only": mount.read_only}
    match mount:
        case config.ClaimMount():
            return plan_from(ClaimMountPlan, mount, **shared, volume=mount.claim)
        case config.EphemeralMount():
            return plan_from(
                EphemeralMountPlan,
                mount,
                **shared,
                volume=mount.name,
                size=quantities.parse(mount.ephemeral),
                is_in_memory=mount.in_memory,
            )
        case config.SecretMount():
            return plan_from(SecretMountPlan, mount, **shared, volume=names.volume("secret", mount.secret))
        case config.ConfigMapMount():
            return plan_from(ConfigMapMountPlan, mount, **shared, volume=names.volume("config-map", mount.config_map))


def service_account_plans(
    platform: config.Platform, cluster: ClusterPlan, root: Place
) -> tuple[ServiceAccountPlan, ...]:
    """The declared ServiceAccounts."""
    return tuple(
        plan_from(
            ServiceAccountPlan,
            each,
            place=root.at("service_accounts", index),
            member=names.workload_identity(cluster.workload_pool, each.namespace, each.name),
            is_existing=each.existing,
        )
        for index, each in enumerate(platform.service_accounts)
    )


def secret_plans(platform: config.Platform, root: Place) -> tuple[SecretPlan, ...]:
    """The declared Secrets."""
    return tuple(
        plan_from(
            SecretPlan,
            each,
            place=root.at("secrets", index),
            data={key: SecretText(value) for key, value in each.data.items()},
        )
        for index, each in enumerate(platform.secrets)
    )


def provider_class_plans(workloads: Iterable[WorkloadPlan], project: str) -> tuple[ProviderClassPlan, ...]:
    """One for each version of a secret that pods of a namespace mount."""
    found = {
        (group.work.namespace, mount.provider_class): ProviderClassPlan(
            name=mount.provider_class,
            namespace=group.work.namespace,
            secret=mount.secret,
            version=mount.version,
            resource=f"projects/{project}/secrets/{mount.secret}/versions/{mount.version}",
        )
        for group, mount in _mounted(workloads)
    }
    return tuple(found.values())


def secret_reader_plans(workloads: Iterable[WorkloadPlan], cluster: ClusterPlan) -> tuple[SecretReaderPlan, ...]:
    """One for each secret and account whose pods mount it."""
    found: dict[str, SecretReaderPlan] = {}
    for group, mount in _mounted(workloads):
        namespace, account = group.work.namespace, names.account_of(group.pod.service_account)
        name = f"{mount.secret}-{namespace}-{account}"
        member = names.workload_identity(cluster.workload_pool, namespace, account)
        found[name] = SecretReaderPlan(name=name, secret=mount.secret, member=member)
    return tuple(found.values())


def _mounted(workloads: Iterable[WorkloadPlan]) -> Iterator[tuple[PodGroupPlan, SecretManagerMountPlan]]:
    for group in (group for work in workloads for group in pod_groups(work)):
        for mount in group.pod.all_mounts:
            if isinstance(mount, SecretManagerMountPlan):
                yield group, mount
