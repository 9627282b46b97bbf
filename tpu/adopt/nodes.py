"""Node pools as the stack file states them: ordinary ones, and TPU slices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from components.model.plan.nodes import AutoscalingPlan, OrdinaryPoolPlan, ReservationPlan, SlicePoolPlan
from policies.objects import api_names
from policies.objects.rebuilding import pools
from policies.objects.values import MalformedError
from policies.objects.world import cloud_object
from tpu.adopt.listings import Item, Remark, left_out, section, stated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from components.model.plan import Plan

Pool = SlicePoolPlan | OrdinaryPoolPlan

_NUMBERED: Final = re.compile(r"(?P<name>.*[^0-9])(?P<number>[1-9][0-9]*)")
_GKES_OWN: Final = {"strategy": "SURGE", "max_surge": 1, "max_unavailable": None}
"""How GKE upgrades pools by default."""
_COMPARED: Final = (
    "machine_type",
    "topology",
    "zones",
    "nodes_per_zone",
    "autoscaling",
    "capacity",
    "is_queued",
    "max_run_seconds",
    "host_maintenance",
    "placement",
    "added_labels",
    "compute_class",
    "billing_labels",
    "disk_type",
    "auto_repair",
    "is_spot",
)
_UNSAID: Final = ("sandboxConfig", "gvnic", "confidentialNodes", "bootDiskKmsKey", "minCpuPlatform", "localSsdCount")
"""Fields of a node configuration that no stack file states, and that change the nodes."""


def read_pools(items: Iterable[Item]) -> tuple[list[Pool], list[Remark]]:
    """The pools of the chip ledger, and remarks on those that cannot be read."""
    found: list[Pool] = []
    remarks: list[Remark] = []
    for item in items:
        name = str(item.get("name"))
        if _is_gkes_own(item):
            continue
        each = cloud_object(api_names.NODE_POOL.kind, api_names.NODE_POOL.properties(item), origin=name)
        try:
            of_tpus = pools.is_tpu_pool(each)
            found.append(pools.slice_pool(each, None) if of_tpus else pools.ordinary_pool(each, None))
        except MalformedError as error:
            remarks.append(left_out(f"node pool {name}", f"its {error}"))
    return found, remarks


def _is_gkes_own(item: Item) -> bool:
    """Whether GKE created the pool by itself; GKE deletes it when nothing needs it."""
    return section(item, "autoscaling").get("autoprovisioned") is True


def ordinary(found: Sequence[Pool]) -> list[dict[str, Any]]:
    """The section `node_pools`."""
    return [_ordinary(pool) for pool in found if isinstance(pool, OrdinaryPoolPlan)]


def _ordinary(pool: OrdinaryPoolPlan) -> dict[str, Any]:
    written: dict[str, Any] = {"name": pool.name, "machine_type": pool.machine_type}
    if pool.autoscaling is None:
        written["nodes"] = pool.nodes_per_zone
    else:
        written["autoscaling"] = {"min": pool.autoscaling.minimum, "max": pool.autoscaling.maximum}
    written["zones"] = list(pool.zones)
    written |= stated(spot=pool.is_spot)
    if pool.gpu is not None:
        driver = pool.gpu.driver.lower() if pool.gpu.driver else "default"
        written["gpu"] = {"type": pool.gpu.type, "count": pool.gpu.count, "driver": driver}
    if pool.flex_start is not None:
        life = pool.flex_start
        written["flex_start"] = stated(queued=life.is_queued, max_run_seconds=life.max_run_seconds)
    return {**written, **_labels_and_upgrade(pool)}


def slices(found: Sequence[Pool]) -> list[dict[str, Any]]:
    """The section `tpu_slices`: multi-host pools that are numbered from 1 and differ by name alone are one entry."""
    of_tpus = [pool for pool in found if isinstance(pool, SlicePoolPlan)]
    entries = {pool.name: _slice(pool) for pool in of_tpus}
    numbered: dict[str, list[int]] = {}
    for pool in of_tpus:
        match = _NUMBERED.fullmatch(pool.name)
        if match is not None and pool.is_multi_host:
            numbered.setdefault(match["name"], []).append(int(match["number"]))
    written: dict[str, dict[str, Any]] = {}
    for name, entry in entries.items():
        match = _NUMBERED.fullmatch(name)
        group = "" if match is None else match["name"]
        count = len(numbered.get(group, ()))
        members = [entries[f"{group}{number}"] for number in range(1, count + 1) if f"{group}{number}" in entries]
        if count and len(members) == count and all(_but_name(each) == _but_name(entry) for each in members):
            written.setdefault(group, {"name": group, "slices": count, **_but_name(entry)})
        else:
            written[name] = entry
    return list(written.values())


def _but_name(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "name"}


def _slice(pool: SlicePoolPlan) -> dict[str, Any]:
    written: dict[str, Any] = {"name": pool.name}
    most = pool.autoscaling.maximum if pool.autoscaling is not None else pool.nodes_per_zone
    if not pool.is_multi_host and most is not None and most > 1:
        written["slices"] = most
    written |= {"machine_type": pool.machine_type, "topology": pool.topology}
    written |= {"zone": pool.zones[0]} if len(pool.zones) == 1 else {"zones": list(pool.zones)}
    written |= stated(
        capacity=pool.capacity if pool.capacity != "on-demand" else None,
        autoscaled=pool.autoscaling is not None and pool.capacity != "flex-start",
        reservation=None if pool.reservation is None else _reservation(pool.reservation),
        max_run_seconds=pool.max_run_seconds,
        queued=pool.is_queued,
        host_maintenance=pool.host_maintenance,
    )
    return {**written, **_labels_and_upgrade(pool)}


def _reservation(plan: ReservationPlan) -> dict[str, Any]:
    block = plan.path.partition("/reservationBlocks/")[2]
    return {"name": plan.name, **stated(project=plan.project, block=block)}


def _labels_and_upgrade(pool: Pool) -> dict[str, Any]:
    keys = ("strategy", "max_surge", "max_unavailable", "batch_nodes", "soak_seconds")
    upgrade = {} if pool.upgrade is None else stated(**{key: getattr(pool.upgrade, key) for key in keys})
    is_gkes_own = all(_GKES_OWN.get(key) == value for key, value in upgrade.items())
    return stated(labels=dict(sorted(pool.added_labels.items())), upgrade={} if is_gkes_own else upgrade)


def differences(items: Iterable[Item], found: Sequence[Pool], plan: Plan) -> list[Remark]:
    """Remarks on listed pools that the written stack file states differently, or not at all."""
    planned: dict[str, Pool] = {pool.name: pool for pool in (*plan.node_pools, *plan.slice_pools)}
    remarks: list[Remark] = []
    for pool in found:
        other = planned.get(pool.name)
        if other is None:
            remarks.append(left_out(f"node pool {pool.name}", "the stack file has no pool of this name"))
            continue
        for key in _COMPARED:
            there, wanted = getattr(pool, key, None), getattr(other, key, None)
            if not _alike(key, there, wanted):
                remarks.append(_differs(pool.name, key, there, wanted))
    for item in items:
        unsaid = [key for key in _UNSAID if section(item, "config").get(key)]
        remarks += [_differs(str(item.get("name")), f"config.{key}", "set", None) for key in unsaid]
    return remarks


def _alike(key: str, there: object, wanted: object) -> bool:
    if key == "disk_type" and not wanted:
        return True
    if isinstance(there, AutoscalingPlan) and isinstance(wanted, AutoscalingPlan):
        return (there.minimum, there.maximum) == (wanted.minimum, wanted.maximum)
    if key == "zones" and isinstance(there, tuple) and isinstance(wanted, tuple):
        return sorted(map(str, there)) == sorted(map(str, wanted))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if key == "billing_labels" and isinstance(there, dict):
        return {name: value for name, value in there.items() if not str(name).startswith("goog-")} == wanted  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return there == wanted


def _differs(name: str, key: str, there: object, wanted: object) -> Remark:
    return Remark(
        what=f"node pool {name}",
        says=f"{key} is {there!r}, but the stack file makes it {wanted!r}.",
        remedy="pulumi up would change it or recreate the pool. Check pulumi preview, and remove the pool from the "
        "stack file if that must not happen.",
    )
