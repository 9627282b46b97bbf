"""The plan of accounts and secrets: those that the stack file declares, and those that mounts need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model import config, names
from components.model.plan.identity import (
    ProviderClassPlan,
    SecretPlan,
    SecretReaderPlan,
    SecretText,
    ServiceAccountPlan,
)
from components.model.plan.pod_groups import pod_groups
from components.model.plan.pods import SecretManagerMountPlan
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan
    from components.model.plan.pod_groups import PodGroupPlan
    from components.model.plan.workloads import WorkloadPlan


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
