"""Chips, quota and storage before and after, side by side, and when Kueue takes quota back from idle workloads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from components.model.facts import gcs_fuse, gke, hyperdisk, kinds, tpu
from components.model.findings import counted
from components.model.plan.pods import BucketMountPlan
from policies.objects.kueue_config import configurations_in
from policies.objects.pods import pod_groups
from policies.objects.values import MalformedError, UndecidedError

if TYPE_CHECKING:
    from components.model.plan import Plan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import QueueFlavorPlan, QueuePlan
    from policies.observed import Observed
    from policies.report.sides import Side, Sides

    _Mount = tuple[str, str, str]
    """A bucket, who mounts it, and how."""


UNKNOWN: Final = "unknown"
"""The text for a figure that is unknown."""
NONE: Final = "none"


class Change(Struct, frozen=True, kw_only=True):
    """One figure before and after; None for a side where it is unknown."""

    what: tuple[str, ...]
    """In columns."""
    name: str
    """In a word or two."""
    before: str | None
    after: str | None
    rises: bool | None = None
    """Whether there is more of it afterwards; None for neither more nor less, and for what cannot be compared."""


class _Figure(Struct, frozen=True):
    text: str
    number: int = 0
    """By which it is compared; the same for figures that cannot be."""


_Figures = Iterable[tuple[tuple[str, ...], _Figure]]
"""By the texts in the columns before it."""


def _side_by_side(sides: Sides, read: Callable[[Side], _Figures]) -> list[Change]:
    """The figures of both sides, in the order of their names."""
    before, after = (None if side is None else dict(read(side)) for side in (sides.before, sides.after))
    none = _Figure(NONE)
    found: list[Change] = []
    for key in sorted({key for side in (before, after) if side is not None for key in side}):
        one, other = (None if side is None else side.get(key, none) for side in (before, after))
        steps = 0 if one is None or other is None else other.number - one.number
        found.append(
            Change(
                what=key,
                name=" ".join(key),
                before=None if one is None else one.text,
                after=None if other is None else other.text,
                rises=None if steps == 0 else steps > 0,
            )
        )
    return found


def chips(sides: Sides) -> list[Change]:
    """TPU chips, each pool at its largest, by generation and capacity type."""
    return _side_by_side(sides, _chips)


def _chips(side: Side) -> _Figures:
    alike: defaultdict[tuple[str, ...], list[SlicePoolPlan]] = defaultdict(list)
    for pool in side.plan.slice_pools:
        alike[generation(pool), pool.capacity].append(pool)
    for key, pools in alike.items():
        number, slices = sum(pool.chips for pool in pools), sum(pool.slices for pool in pools)
        text = f"{number} ({counted(slices, 'slice')})" if number else NONE
        yield key, _Figure(text if all(pool.labels for pool in pools) else "unknown: no such shape", number)


def generation(pool: SlicePoolPlan) -> str:
    """Id of the TPU generation of a pool; its machine type where there is none."""
    is_known = tpu.is_tpu_machine(pool.machine_type)
    return tpu.generation_of(pool.machine_type).id if is_known else pool.machine_type


def quota(sides: Sides) -> list[Change]:
    """The quota of ClusterQueues for each resource of each flavor, with the namespaces that they serve."""
    return [
        replace(
            each,
            what=(each.what[0], _teams(sides, each.what[0]), *each.what[1:]),
            name=" ".join(each.what[:2] if each.what[2] == gke.RESOURCE_TPU else each.what),
        )
        for each in _side_by_side(sides, _quota)
    ]


def _quota(side: Side) -> _Figures:
    for queue in side.plan.queues:
        for share in queue.flavors:
            key = (queue.name, share.name, gke.RESOURCE_TPU)
            yield key, _Figure(f"{share.chips}{_limits(queue, share)}", share.chips * 1000)
        for share in queue.resources:
            for resource, amount in share.quotas.items():
                yield (queue.name, share.name, resource), _Figure(str(amount), amount.milli)


def _limits(queue: QueuePlan, share: QueueFlavorPlan) -> str:
    """The limits of borrowing and lending, where there is somebody to borrow from."""
    if queue.cohort is None:
        return ""
    borrow = "borrows any" if share.borrow is None else f"borrows {share.borrow}"
    lend = "" if share.lend is None else f", lends {share.lend}"
    return f" ({borrow}{lend})"


def _teams(sides: Sides, queue: str) -> str:
    """The namespaces from which work comes to a queue, on either side."""
    plans = [side.plan for side in (sides.before, sides.after) if side is not None]
    return ", ".join(sorted({name for plan in plans for name in _namespaces(plan, queue)}))


def _namespaces(plan: Plan, queue: str) -> Iterator[str]:
    for each in plan.queues:
        if each.name == queue:
            yield from (local.namespace for local in each.local_queues)


def unread(side: Side | None) -> list[str]:
    """The resources that chips and quota leave out, because a value of each cannot be read."""
    if side is None:
        return []
    wanted = (kinds.NODE_POOL, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR, kinds.LOCAL_QUEUE, kinds.CLUSTER)
    return [side.unread[kind] for kind in wanted if kind in side.unread]


_TIMEOUT: Final = "30m"
"""Kueue's own (0.19.2, apis/config/v1beta2/defaults.go)."""
KEEP: Final = "keep their quota"


def storage(sides: Sides) -> list[Change]:
    """Instances and disks with their sizes, checkpoints, and who mounts which bucket."""
    return _side_by_side(sides, lambda side: ((key, _Figure(text)) for key, text in _rows(side)))


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
