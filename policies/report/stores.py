"""Storage before and after, and when Kueue takes quota back from workloads that do not start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gcs_fuse, hyperdisk
from components.model.plan.pods import BucketMountPlan
from policies.objects.kueue_config import configurations_in
from policies.objects.pods import pod_groups
from policies.objects.values import MalformedError, UndecidedError
from policies.report.ledger import UNKNOWN, Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.plan import Plan
    from policies.observed import Observed
    from policies.report.sides import Side, Sides

    _Mount = tuple[str, str, str]
    """A bucket, who mounts it, and how."""

NONE: Final = "none"
_TIMEOUT: Final = "30m"
"""Kueue's own (0.19.2, apis/config/v1beta2/defaults.go)."""
KEEP: Final = "keep their quota"


def storage(sides: Sides) -> list[Change]:
    """Instances and disks with their sizes, checkpoints, and who mounts which bucket."""
    before, after = (None if side is None else dict(_rows(side)) for side in (sides.before, sides.after))
    keys = sorted({key for rows in (before, after) if rows is not None for key in rows})
    return [
        Change(
            what=key,
            name=" ".join(key),
            before=None if before is None else before.get(key, NONE),
            after=None if after is None else after.get(key, NONE),
        )
        for key in keys
    ]


def _rows(side: Side) -> Iterator[tuple[tuple[str, str], str]]:
    plan = side.plan
    for share in plan.shared_storage:
        yield (f"Filestore {share.tier}", share.name), f"{share.capacity_gib} GiB"
    for each in plan.lustre:
        yield ("Managed Lustre", each.name), f"{each.capacity_gib} GiB, {each.throughput} MBps per TiB"
    for disk in plan.disks:
        yield (hyperdisk.KINDS[disk.kind].title, disk.name), f"{disk.size_gib} GiB, {disk.access}"
    for bucket, memory in side.checkpoints.items():
        yield ("Checkpoints", bucket), f"{memory} of each host"
    mounts = _planned_mounts(plan) if side.is_declared else _observed_mounts(side.named.values())
    of_run: dict[tuple[str, str], list[str]] = {}
    for bucket, run, how in mounts:
        of_run.setdefault((f"Bucket {bucket}", run), []).append(how)
    for key, found in of_run.items():
        yield key, ", ".join(sorted(set(found)))


def _planned_mounts(plan: Plan) -> Iterator[_Mount]:
    for group in plan.pod_groups:
        run = f"{group.work.namespace}/{group.work.name}"
        for mount in group.pod.all_mounts:
            if isinstance(mount, BucketMountPlan):
                yield mount.bucket, run, _how(mount.options, is_read_only=mount.is_read_only)


def _observed_mounts(named: Iterable[Observed]) -> Iterator[_Mount]:
    """Those of runs; a pod whose volumes cannot be read has none, and a rule says so."""
    for seen in named:
        run = f"{seen.object.namespace}/{seen.object.name}"
        try:
            volumes = [each for group in pod_groups(seen.object) for each in group.template.parts("spec", "volumes")]
            for each in volumes:
                if each.text("csi", "driver") == gcs_fuse.DRIVER:
                    options = each.string("csi", "volumeAttributes", "mountOptions").split(",")
                    is_read_only = each.flag("csi", "readOnly") is True
                    yield (
                        each.string("csi", "volumeAttributes", "bucketName"),
                        run,
                        _how(options, is_read_only=is_read_only),
                    )
        except (UndecidedError, MalformedError):
            continue


def _how(options: Iterable[str], *, is_read_only: bool) -> str:
    """How a bucket is mounted, and the profile whose options the mount has."""
    stated = {gcs_fuse.option_name(each) for each in options}
    fitting = [
        (len(tuning.options), profile)
        for profile, tuning in gcs_fuse.PROFILES.items()
        if stated.issuperset(map(gcs_fuse.option_name, tuning.options))
    ]
    how = "read" if is_read_only else "read and written"
    return f"{how}, for {max(fitting)[1]}" if fitting else how


def quota_back(sides: Sides) -> Change | None:
    """When Kueue takes quota back from workloads whose pods are not ready; None where that stays as it is."""
    before, after = (None if side is None else _quota_back(side) for side in (sides.before, sides.after))
    if before == after:
        return None
    return Change(what=("pods_ready",), name="pods_ready", before=before, after=after)


def _quota_back(side: Side) -> str:
    ready = side.plan.controllers.pods_ready
    if ready is not None:
        return _after(f"{ready.timeout_seconds}s")
    for seen in side.named.values():
        try:
            stated = [part for each in configurations_in(seen.object) if (part := each.part("waitForPodsReady"))]
            found = [each.string("timeout", default=_TIMEOUT) for each in stated]
        except (UndecidedError, MalformedError):
            return UNKNOWN
        if found:
            return _after(found[0])
    return KEEP


def _after(time: str) -> str:
    return f"give it back after {time}"
