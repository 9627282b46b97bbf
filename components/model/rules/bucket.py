"""Rules about buckets that pods mount: whose they are, and the memory for their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, did_you_mean, listing
from components.model.plan.pods import BucketMountPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_FUSE: Final = "components/model/facts/gcs_fuse.py"


def _mounted(plan: Plan) -> Iterator[BucketMountPlan]:
    for work in plan.programs:
        yield from (mount for mount in work.pod.all_mounts if isinstance(mount, BucketMountPlan))


@rule(
    "mounted-bucket-is-declared",
    summary="pods mount buckets that are declared",
    why="Nobody else grants their service account to read there, and the pods would stay in ContainerCreating.",
    source="components/model/planning/buckets.py",
    family=Family.GUARDRAILS,
)
def _mounted_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    known = [bucket.name for bucket in plan.buckets]
    for mount in _mounted(plan):
        if mount.bucket not in known:
            yield Finding(
                place=mount.place.at("bucket"),
                says=f"no bucket is named {mount.bucket}.",
                remedy=f"{did_you_mean(mount.bucket, known)}Buckets: {listing(known)}. "
                "Without a location, one that exists is meant.",
            )


@rule(
    "parallel-download-has-memory",
    summary="a mount that reads files in parts has memory for files",
    why="Cloud Storage FUSE refuses the mount.",
    source='GKE documentation "Optimize the Cloud Storage FUSE CSI driver for GKE performance", read 2026-11',
    family=Family.GUARDRAILS,
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
    "bucket-memory-is-stated",
    summary="on Autopilot, a mount that keeps files in memory states how much",
    why="Autopilot gives the sidecar 256 MiB unless more is stated, and ends it when files need more.",
    source='GKE documentation "Configure the Cloud Storage FUSE CSI driver sidecar container", read 2026-11',
    family=Family.GUARDRAILS,
)
def _bucket_memory_is_stated(plan: Plan) -> Iterator[Finding]:
    for mount in _mounted(plan) if plan.cluster.mode == "autopilot" else ():
        if mount.has_cache and mount.cache_gib is None:
            yield Finding(
                place=mount.place.at("profile"),
                says=f"the profile {mount.profile} keeps files in memory, and cache_gib does not say how much.",
                remedy="Add cache_gib: 4, or as much as the largest files need.",
                is_about_key=True,
            )


BUCKET_RULES: Final = (_mounted_bucket_is_declared, _parallel_download_has_memory, _bucket_memory_is_stated)
