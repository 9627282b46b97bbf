"""The plan of buckets: who uses them, and how pods mount them as folders."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import structs

from components.model import config, names
from components.model.facts import gcs_fuse
from components.model.plan.pods import BucketMountPlan, ContainerPlan, PodPlan
from components.model.plan.storage import BucketPlan, WriterPlan
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    ManifestPlan,
    RedisPlan,
    RunPlan,
    TpuRunPlan,
    pod_groups,
)
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan
    from components.model.plan.workloads import WorkloadPlan

_Container = TypeVar("_Container", bound=ContainerPlan)
_Run = TypeVar("_Run", bound=RunPlan)


class BucketUse(NamedTuple):
    """Pods of a namespace that use a bucket."""

    bucket: str
    namespace: str
    account: str
    """The ServiceAccount as which they act."""
    is_on_host_network: bool
    """Then they are, to Cloud Storage, the node that they run on."""
    is_read_only: bool = False


def bucket_uses(workloads: Iterable[WorkloadPlan]) -> Iterator[BucketUse]:
    """The buckets that workloads use, each with whose pods do.

    A mounted bucket is read by its driver as the pods' own service account, whatever their network.
    """
    for work in workloads:
        if isinstance(work, JobSetPlan) and work.maxtext is not None:
            account = names.account_of(work.pod.service_account)
            yield BucketUse(work.maxtext.bucket, work.namespace, account, work.is_on_host_network)
        for group in pod_groups(work):
            for mount in _mounted(group.pod):
                yield BucketUse(
                    bucket=mount.bucket,
                    namespace=work.namespace,
                    is_on_host_network=False,
                    account=names.account_of(group.pod.service_account),
                    is_read_only=mount.is_read_only,
                )


def bucket_plans(
    platform: config.Platform, cluster: ClusterPlan, uses: Iterable[BucketUse], root: Place
) -> tuple[BucketPlan, ...]:
    """Buckets with the pods of `uses` that have an identity of their own, and the nodes where pods may write as them.

    Workload Identity does not reach the program of a pod on its host's network. Autopilot has no such pods, and its
    nodes may not write. Nobody writes as the node to a bucket that all pods mount read-only.
    """
    uses = tuple(uses)
    writes: defaultdict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    for use in uses:
        if not use.is_on_host_network:
            who = (use.namespace, use.account)
            writes[use.bucket][who] = writes[use.bucket].get(who, False) or not use.is_read_only
    return tuple(
        plan_from(
            BucketPlan,
            bucket,
            place=root.at("buckets", index),
            is_emptied=bucket.force_destroy,
            billing_labels=platform.labels,
            writers=(*_of_cluster(bucket.name, uses, cluster), *_pods(writes[bucket.name], cluster, writing=True)),
            readers=tuple(_pods(writes[bucket.name], cluster, writing=False)),
        )
        for index, bucket in enumerate(platform.buckets)
    )


def _of_cluster(bucket: str, uses: Iterable[BucketUse], cluster: ClusterPlan) -> Iterator[WriterPlan]:
    """Who writes the bucket beside pods of workloads."""
    known = [use.is_read_only for use in uses if use.bucket == bucket]
    is_only_read = bool(known) and all(known)
    if cluster.mode == "standard" and cluster.identity is not None and not is_only_read:
        yield WriterPlan(name="nodes", member=cluster.identity.member)
    checkpoints = cluster.checkpoints
    if checkpoints is not None and checkpoints.bucket == bucket:
        yield WriterPlan(name="checkpoints", member=checkpoints.member)


def _pods(writes: Mapping[tuple[str, str], bool], cluster: ClusterPlan, *, writing: bool) -> Iterator[WriterPlan]:
    for (namespace, account), is_writer in sorted(writes.items()):
        if is_writer == writing:
            is_default = account == names.DEFAULT_ACCOUNT
            yield WriterPlan(
                name=namespace if is_default else names.in_namespace(namespace, account),
                member=names.workload_identity(cluster.workload_pool, namespace, account),
            )


def bucket_mount(mount: config.BucketMount, place: Place) -> BucketMountPlan:
    """A mounted bucket; `settled` says which volume of the pod it is."""
    tuning, ttl = gcs_fuse.tuning(mount.profile), mount.metadata_ttl_seconds
    keeps_names = ttl == gcs_fuse.KEEPS_FOREVER if ttl is not None else mount.profile is not None
    options = _options(mount)
    return plan_from(
        BucketMountPlan,
        mount,
        place=place,
        volume="",
        is_read_only=mount.read_only,
        options=options,
        has_cache=tuning.has_file_cache if mount.cache_gib is None else mount.cache_gib > 0,
        is_parallel=gcs_fuse.PARALLEL in options,
        prefetches=mount.profile is not None and keeps_names,
    )


def _options(mount: config.BucketMount) -> tuple[str, ...]:
    """The options of the profile, with those that the stack file states in their place."""
    stated: list[str] = []
    if mount.metadata_ttl_seconds is not None:
        stated.append(gcs_fuse.kept_metadata(mount.metadata_ttl_seconds))
    if mount.cache_gib is not None:
        stated += [gcs_fuse.kept_files(mount.cache_gib), *((gcs_fuse.RANGE_READ,) if mount.cache_gib else ())]
    if mount.parallel_download is None and mount.cache_gib == 0:
        stated.append(gcs_fuse.NOT_PARALLEL)  # the driver refuses parts of files without memory for files
    if mount.parallel_download is not None:
        stated.append(gcs_fuse.PARALLEL if mount.parallel_download else gcs_fuse.NOT_PARALLEL)
    last = {gcs_fuse.option_name(option): option for option in (*gcs_fuse.tuning(mount.profile).options, *stated)}
    folder = () if mount.only_dir is None else (f"only-dir={mount.only_dir}",)
    return (*folder, *last.values())


def _mounted(pod: PodPlan) -> tuple[BucketMountPlan, ...]:
    return tuple(mount for mount in pod.all_mounts if isinstance(mount, BucketMountPlan))


def settled(work: WorkloadPlan, cluster: ClusterPlan) -> WorkloadPlan:
    """The workload with its mounted buckets as volumes of its pods, and what their driver wants of the pods.

    Mounts of one bucket with the same settings are one volume.
    """
    if isinstance(work, (RedisPlan, ManifestPlan)):
        return work
    is_on_host = isinstance(work, TpuRunPlan) and work.is_on_host_network
    user = work.user if isinstance(work, BatchJobPlan) else None
    work = _with_pod(work, _settled(work.pod, cluster, is_on_host=is_on_host, user=user))
    if isinstance(work, JobSetPlan) and work.replicated_jobs:
        beside = (
            _with_pod(each, _settled(each.pod, cluster, is_on_host=False, user=None)) for each in work.replicated_jobs
        )
        return structs.replace(work, replicated_jobs=tuple(beside))
    return work


def _with_pod(work: _Run, pod: PodPlan) -> _Run:
    return work if pod is work.pod else structs.replace(work, pod=pod)


def _settled(pod: PodPlan, cluster: ClusterPlan, *, is_on_host: bool, user: int | None) -> PodPlan:
    if not _mounted(pod):
        return pod
    numbers: dict[tuple[object, ...], int] = {}
    for mount in _mounted(pod):
        numbers.setdefault(mount.settings, len(numbers))

    def in_pod(container: _Container) -> _Container:
        mounts = tuple(
            structs.replace(
                mount,
                volume=names.bucket_volume(numbers[mount.settings]),
                options=(*mount.options, *gcs_fuse.owned_by(user)),
                acts_as_pod=is_on_host,
            )
            if isinstance(mount, BucketMountPlan)
            else mount
            for mount in container.mounts
        )
        return structs.replace(container, mounts=mounts)

    main = in_pod(pod)
    return structs.replace(
        main, sidecars=tuple(map(in_pod, main.sidecars)), driver_annotations=_annotations(main, cluster)
    )


def _annotations(pod: PodPlan, cluster: ClusterPlan) -> dict[str, str]:
    """The sidecar, without limits on Standard; on Autopilot with memory for the files that it keeps."""
    wanted = {gcs_fuse.ANNOTATION: "true"}
    if cluster.mode == "standard":
        return {**wanted, **dict.fromkeys(gcs_fuse.SIDECAR_LIMITS, gcs_fuse.NO_LIMIT)}
    kept = sum(mount.cache_gib for mount in _mounted(pod) if mount.cache_gib is not None)
    return {**wanted, gcs_fuse.MEMORY_LIMIT: f"{kept + 1}Gi"} if kept else wanted
