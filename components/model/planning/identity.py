"""The plan of accounts and secrets: those that the stack file declares, and those that mounts need."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from components.model import config, names
from components.model.places import Place
from components.model.plan.identity import (
    ProviderClassPlan,
    SecretPlan,
    SecretReaderPlan,
    SecretText,
    ServiceAccountPlan,
)
from components.model.plan.pod_groups import pod_groups
from components.model.plan.pods import SecretManagerMountPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from components.model.plan.cloud import ClusterPlan
    from components.model.plan.pod_groups import PodGroupPlan
    from components.model.plan.workloads import WorkloadPlan


class Identities(TypedDict):
    """The parts of a plan that are about accounts and secrets."""

    service_accounts: tuple[ServiceAccountPlan, ...]
    secrets: tuple[SecretPlan, ...]
    provider_classes: tuple[ProviderClassPlan, ...]
    secret_readers: tuple[SecretReaderPlan, ...]


def identities(
    platform: config.Platform, cluster: ClusterPlan, runs: Sequence[WorkloadPlan], project: str
) -> Identities:
    """What is declared of accounts and secrets, and what the mounts of workloads need."""
    root = Place()
    return {
        "service_accounts": _service_accounts(platform, cluster, root),
        "secrets": _secrets(platform, root),
        "provider_classes": _provider_classes(runs, project),
        "secret_readers": _secret_readers(runs, cluster),
    }


def _service_accounts(platform: config.Platform, cluster: ClusterPlan, root: Place) -> tuple[ServiceAccountPlan, ...]:
    """The declared ServiceAccounts."""
    return tuple(
        ServiceAccountPlan(
            place=root.at("service_accounts", index),
            name=each.name,
            namespace=each.namespace,
            member=names.workload_identity(cluster.workload_pool, each.namespace, each.name),
            roles=each.roles,
            is_existing=each.existing,
        )
        for index, each in enumerate(platform.service_accounts)
    )


def _secrets(platform: config.Platform, root: Place) -> tuple[SecretPlan, ...]:
    """The declared Secrets."""
    return tuple(
        SecretPlan(
            place=root.at("secrets", index),
            name=each.name,
            namespace=each.namespace,
            data={key: SecretText(value) for key, value in each.data.items()},
        )
        for index, each in enumerate(platform.secrets)
    )


def _provider_classes(workloads: Iterable[WorkloadPlan], project: str) -> tuple[ProviderClassPlan, ...]:
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


def _secret_readers(workloads: Iterable[WorkloadPlan], cluster: ClusterPlan) -> tuple[SecretReaderPlan, ...]:
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
