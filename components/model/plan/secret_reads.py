"""The Secrets that pods read, and the command that makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from components.model.plan.pods import SecretKeyPlan, SecretMountPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan.pod_groups import PodGroupPlan


class SecretRead(Struct, frozen=True, kw_only=True):
    """A Secret that pods cannot start without."""

    place: Place
    namespace: str
    name: str
    key: str | None
    """The key that the pods need; None where they need the whole Secret."""
    command: str
    """How somebody makes it by hand."""


def secret_reads(group: PodGroupPlan) -> Iterator[SecretRead]:
    """The Secrets that these pods read as variables, as files, and to pull their images."""
    for container in group.pod.containers:
        for name, value in container.env.items():
            if isinstance(value, SecretKeyPlan):
                yield _read(group, container.place.at("env", name), value.secret, value.key)
        for mount in container.mounts:
            if isinstance(mount, SecretMountPlan):
                yield _read(group, mount.place.at("secret"), mount.secret, None)
    for index, name in enumerate(group.pod.pull_secrets):
        place, home = group.pod.place.at("image_pull_secrets", index), group.work.namespace
        flags = "--docker-server=... --docker-username=... --docker-password=..."
        command = f"kubectl create secret docker-registry {name} --namespace {home} {flags}"
        yield SecretRead(place=place, namespace=home, name=name, key=None, command=command)


def _read(group: PodGroupPlan, place: Place, name: str, key: str | None) -> SecretRead:
    home = group.work.namespace
    value = f"{'KEY' if key is None else key}=..."
    command = f"kubectl create secret generic {name} --namespace {home} --from-literal={value}"
    return SecretRead(place=place, namespace=home, name=name, key=key, command=command)
