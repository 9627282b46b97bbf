"""Rules about buckets, Filestore shares, Managed Lustre, and checkpoints near the chips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, gke, kinds, lustre, tpu
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.plan.pods import BucketMountPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

FAMILY: Final = Family.GUARDRAILS

_FILESTORE: Final = "components/model/facts/filestore.py"
_LUSTRE: Final = "components/model/facts/lustre.py"
_CHECKPOINTING: Final = "components/model/facts/checkpointing.py"
_FUSE: Final = "components/model/facts/gcs_fuse.py"


def undeclared_bucket(place: Place, bucket: str, plan: Plan) -> Finding:
    """The finding that no bucket of the plan has the name at the place."""
    known = [each.name for each in plan.buckets]
    return Finding(
        place=place,
        says=f"no bucket is named {bucket}.",
        remedy=f"{did_you_mean(bucket, known)}Buckets: {listing(known)}. Without a location, one that exists is meant.",
    )


@rule(
    summary="a share has a capacity that its tier has",
    why="The API refuses others.",
    source=_FILESTORE,
    kinds=(kinds.FILESTORE,),
)
def _share_fits_tier(plan: Plan) -> Iterator[Finding]:
    for storage in plan.shared_storage:
        tier = filestore.tier(storage.tier)
        if tier.has(storage.capacity_gib):
            continue
        step = tier.step_at(storage.capacity_gib)
        steps = "" if step == 1 else f" in steps of {step}"
        near = [str(capacity) for capacity in tier.nearest(storage.capacity_gib)]
        yield Finding(
            place=storage.place.at("capacity_gib"),
            says=f"{tier.name} has no share of {storage.capacity_gib} GiB: it has {tier.least} to {tier.most}{steps}.",
            remedy=f"Set {listing(near, 'or')}.",
        )


@rule(
    summary="zonal tiers are in a zone, regional ones in a region, both in the region of the cluster",
    why="The API refuses the other form of location; from another region every read would cross the continent.",
    source=_FILESTORE,
    also_warns=True,
    kinds=(kinds.FILESTORE,),
    needs=(kinds.CLUSTER,),
)
def _share_is_where_its_tier_is(plan: Plan) -> Iterator[Finding]:
    region = plan.cluster.region
    for storage in plan.shared_storage:
        tier = filestore.tier(storage.tier)
        wanted = f"a region, such as {region}" if tier.is_regional else f"a zone, such as {region}-a"
        if gke.is_zone(storage.location) == tier.is_regional:
            yield Finding(
                place=storage.place.at("location"),
                says=f"{storage.location} is a {'zone' if tier.is_regional else 'region'}; {tier.name} lies in "
                f"{'a region' if tier.is_regional else 'a zone'}.",
                remedy=f"Name {wanted}.",
            )
        elif gke.region_of(storage.location) != region:
            yield Finding(
                place=storage.place.at("location"),
                says=f"{storage.location} is not in {region}, the region of the cluster.",
                remedy=f"Name {wanted}.",
                severity=Severity.WARNING,
            )


@rule(
    summary="deletion protection is stated for tiers that have it",
    why="The API refuses it on the basic tiers.",
    source=_FILESTORE,
    kinds=(kinds.FILESTORE,),
)
def _share_protection_exists(plan: Plan) -> Iterator[Finding]:
    for storage in plan.shared_storage:
        if storage.deletion_protection and not filestore.tier(storage.tier).has_deletion_protection:
            able = [tier.name for tier in filestore.TIERS if tier.has_deletion_protection]
            yield Finding(
                place=storage.place.at("deletion_protection"),
                says=f"{storage.tier} has no deletion protection.",
                remedy=f"Use protect: true, by which the engine refuses to delete it, or one of {listing(able)}.",
            )


@rule(
    summary="a Managed Lustre instance has a capacity that its throughput has",
    why="The API refuses others.",
    source=_LUSTRE,
)
def _lustre_fits_tier(plan: Plan) -> Iterator[Finding]:
    for each in plan.lustre:
        tier = lustre.tier(each.throughput)
        if not tier.has(each.capacity_gib):
            near = [str(capacity) for capacity in tier.nearest(each.capacity_gib)]
            yield Finding(
                place=each.place.at("capacity_gib"),
                says=f"no instance of {tier.throughput} MBps per TiB has {each.capacity_gib} GiB: it has {tier.least} "
                f"to {tier.most} in steps of {tier.step_at(each.capacity_gib)}.",
                remedy=f"Set {listing(near, 'or')}.",
            )


@rule(
    summary="a Managed Lustre instance is in the region of the cluster",
    why="From another region every read would cross the continent.",
    source=_LUSTRE,
    severity=Severity.WARNING,
)
def _lustre_is_where_nodes_are(plan: Plan) -> Iterator[Finding]:
    for each in plan.lustre:
        if gke.region_of(each.location) != plan.cluster.region:
            yield Finding(
                place=each.place.at("location"),
                says=f"{each.location} is not in {plan.cluster.region}, the region of the cluster.",
                remedy=f"Name a zone, such as {plan.cluster.region}-a.",
            )


@rule(
    summary="Managed Lustre instances have different file system names",
    why="A node cannot mount two file systems of one name, so pods of both instances fail on it.",
    source='GKE documentation "About the Managed Lustre CSI driver", read 2026-11',
    severity=Severity.WARNING,
)
def _lustre_filesystems_differ(plan: Plan) -> Iterator[Finding]:
    taken: dict[str, str] = {}
    for each in plan.lustre:
        other = taken.setdefault(each.filesystem, each.name)
        if other != each.name:
            yield Finding(
                place=each.place.at("filesystem"),
                says=f"the file system of {other} is also named {each.filesystem}.",
                remedy="Choose another name.",
            )


@rule(
    summary="where a stack switches on APIs, those of Managed Lustre are among them",
    why="The API refuses the instance, after minutes, if nobody has switched them on.",
    source=_LUSTRE,
    severity=Severity.WARNING,
)
def _lustre_apis_are_on(plan: Plan) -> Iterator[Finding]:
    stated = {service.name for service in plan.services}
    missing = [name for name in lustre.APIS if name not in stated]
    if plan.lustre and stated and missing:
        yield Finding(
            place=plan.place.at("services"),
            says=f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} missing, which Managed Lustre needs.",
            remedy="Add the names, unless the APIs are on already.",
        )


@rule(
    summary="checkpoints are copied to a bucket that is declared",
    why="Nobody else grants the driver to write there.",
    source="components/model/planning/storage.py",
)
def _checkpoints_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    checkpoints, known = plan.cluster.checkpoints, [bucket.name for bucket in plan.buckets]
    if checkpoints is not None and checkpoints.bucket not in known:
        yield undeclared_bucket(checkpoints.place.at("bucket"), checkpoints.bucket, plan)


@rule(
    summary="checkpoints are held by hosts of one machine type of the slices",
    why="The driver runs on the nodes of one machine type; pods elsewhere cannot mount its volume.",
    source=_CHECKPOINTING,
)
def _checkpoints_have_hosts(plan: Plan) -> Iterator[Finding]:
    checkpoints = plan.cluster.checkpoints
    known = sorted({pool.machine_type for pool in plan.slice_pools})
    if checkpoints is None or checkpoints.machine_type in known:
        return
    if not known:
        says, remedy = "no slices are declared, whose hosts would hold checkpoints.", "Add tpu_slices."
    elif checkpoints.machine_type:
        says = f"no slices have hosts of {checkpoints.machine_type}."
        remedy = f"{did_you_mean(checkpoints.machine_type, known)}Machine types: {listing(known)}."
    else:
        says, remedy = f"slices have hosts of {listing(known)}; one of them must hold checkpoints.", "Name one of them."
    yield Finding(place=checkpoints.place.at("machine_type"), says=says, remedy=remedy)


@rule(
    summary="checkpoints leave memory to the pods of their host",
    why="Checkpoints are kept in memory; a host without memory ends its pods.",
    source=_CHECKPOINTING,
)
def _checkpoints_fit_memory(plan: Plan) -> Iterator[Finding]:
    checkpoints = plan.cluster.checkpoints
    if checkpoints is None or not tpu.is_tpu_machine(checkpoints.machine_type):
        return
    memory = tpu.machine(checkpoints.machine_type).memory_gb
    if checkpoints.local_gib >= memory:
        yield Finding(
            place=checkpoints.place.at("local_gib"),
            says=f"a host of {checkpoints.machine_type} has {memory} GiB of memory, and checkpoints would take "
            f"{checkpoints.local_gib}.",
            remedy=f"Set {memory // 2} or less: the pods of the host need the rest.",
        )


def _mounted(plan: Plan) -> Iterator[BucketMountPlan]:
    for group in plan.pod_groups:
        yield from (mount for mount in group.pod.all_mounts if isinstance(mount, BucketMountPlan))


@rule(
    summary="pods mount buckets that are declared",
    why="Nobody else grants their service account to read there, and the pods would stay in ContainerCreating.",
    source="components/model/planning/buckets.py",
)
def _mounted_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    known = [bucket.name for bucket in plan.buckets]
    for mount in _mounted(plan):
        if mount.bucket not in known:
            yield undeclared_bucket(mount.place.at("bucket"), mount.bucket, plan)


@rule(
    summary="a mount that reads files in parts has memory for files",
    why="Cloud Storage FUSE refuses the mount.",
    source='GKE documentation "Optimize the Cloud Storage FUSE CSI driver for GKE performance", read 2026-11',
)
def _parallel_download_has_memory(plan: Plan) -> Iterator[Finding]:
    for mount in _mounted(plan):
        if mount.is_parallel and not mount.has_cache:
            yield Finding(
                place=mount.place.at("parallel_download"),
                says="files are read in parts into memory, and the mount has none.",
                remedy="Set cache_gib: 4, or parallel_download: false.",
            )


@rule(
    summary="on Autopilot, a mount that keeps files in memory states how much",
    why="Autopilot gives the sidecar 256 MiB unless more is stated, and ends it when files need more.",
    source='GKE documentation "Configure the Cloud Storage FUSE CSI driver sidecar container", read 2026-11',
)
def _bucket_memory_is_stated(plan: Plan) -> Iterator[Finding]:
    for mount in _mounted(plan) if plan.cluster.mode == "autopilot" else ():
        if mount.has_cache and mount.cache_gib is None:
            yield about_key(
                place=mount.place.at("profile"),
                says=f"the profile {mount.profile} keeps files in memory, and cache_gib does not say how much.",
                remedy="Add cache_gib: 4, or as much as the largest files need.",
            )
