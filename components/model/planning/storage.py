"""The plan of storage: shares with their claims, buckets with those who write them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model import config, names
from components.model.facts import filestore, gke
from components.model.plan.storage import BucketPlan, ClaimPlan, SharedStoragePlan, WriterPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan

_GIB_PER_TIB: Final = 1024


class BucketUse(NamedTuple):
    """Pods of a namespace that write a bucket."""

    bucket: str
    namespace: str
    account: str
    """The ServiceAccount as which they act."""
    is_on_host_network: bool
    """Then they are, to Cloud Storage, the node that they run on."""


def shared_storage_plans(platform: config.Platform, cluster: ClusterPlan, root: Place) -> tuple[SharedStoragePlan, ...]:
    """The Filestore instances."""
    return tuple(
        _shared_storage(each, cluster, platform.labels, root.at("shared_storage", index))
        for index, each in enumerate(platform.shared_storage)
    )


def _shared_storage(
    storage: config.SharedStorage, cluster: ClusterPlan, billing_labels: Mapping[str, str], place: Place
) -> SharedStoragePlan:
    """A Filestore instance; protected as the cluster is, where nothing else is said and the tier can be."""
    protection = storage.deletion_protection
    if protection is None:
        protection = cluster.deletion_protection and filestore.tier(storage.tier).has_deletion_protection
    return SharedStoragePlan(
        place=place,
        name=storage.name,
        tier=storage.tier,
        location=storage.location,
        share=storage.share,
        path=f"/{storage.share}",
        capacity_gib=storage.capacity_gib,
        claims=tuple(
            ClaimPlan(
                place=place.at("claims", index),
                name=claim.name,
                namespace=claim.namespace,
                volume=names.persistent_volume(storage.name, claim.namespace, claim.name),
                capacity=gib_quantity(storage.capacity_gib),
            )
            for index, claim in enumerate(storage.claims)
        ),
        billing_labels=billing_labels,
        deletion_protection=protection,
        is_protected=storage.protect,
    )


def gib_quantity(gib: int) -> str:
    """An amount of GiB as the API server writes it.

    >>> gib_quantity(1024), gib_quantity(2560)
    ('1Ti', '2560Gi')
    """
    tib, rest = divmod(gib, _GIB_PER_TIB)
    return f"{gib}Gi" if rest else f"{tib}Ti"


def bucket_plans(
    platform: config.Platform, cluster: ClusterPlan, uses: Iterable[BucketUse], root: Place
) -> tuple[BucketPlan, ...]:
    """Buckets that nodes may write, and the pods of `uses` that have a network and so an identity of their own.

    Workload Identity does not reach a pod on its host's network. Autopilot has no such pods, and its nodes may not
    write.
    """
    accounts: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for use in uses:
        if not use.is_on_host_network:
            accounts[use.bucket].add((use.namespace, use.account))
    return tuple(
        BucketPlan(
            place=root.at("buckets", index),
            name=bucket.name,
            location=bucket.location,
            is_emptied=bucket.force_destroy,
            billing_labels=platform.labels,
            writers=_writers(cluster, accounts[bucket.name]),
        )
        for index, bucket in enumerate(platform.buckets)
    )


def _writers(cluster: ClusterPlan, accounts: Iterable[tuple[str, str]]) -> tuple[WriterPlan, ...]:
    writers: list[WriterPlan] = []
    if cluster.mode == "standard" and cluster.identity is not None:
        writers.append(WriterPlan(name="nodes", member=cluster.identity.member))
    writers += [
        WriterPlan(
            name=namespace if account == names.DEFAULT_ACCOUNT else f"{namespace}-{account}",
            member=names.workload_identity(cluster.workload_pool, namespace, account),
        )
        for namespace, account in sorted(accounts)
    ]
    return tuple(writers)


def namespaces(storages: Iterable[SharedStoragePlan]) -> set[str]:
    """The namespaces of claims that no cluster has by itself."""
    return {claim.namespace for storage in storages for claim in storage.claims} - {gke.DEFAULT_NAMESPACE}
