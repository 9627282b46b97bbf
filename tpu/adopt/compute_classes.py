"""ComputeClasses as the stack file states them: with the entries of their node pools, and machines by their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.model.facts import tpu
from tpu.adopt.listings import InexpressibleError, Item, Listings, Remark, entries, left_out, name_of, section, stated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_STATED: Final = frozenset({"priorities", "whenUnsatisfiable", "nodePoolAutoCreation", "activeMigration"})
_OF_PRIORITY: Final = frozenset(
    {"flexStart", "gpu", "location", "machineFamily", "machineType", "maxRunDurationSeconds", "nodepools"}
    | {"reservations", "spot", "tpu"}
)


def classes(
    listings: Listings, pools: Iterable[str], entries_of: Iterable[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `compute_classes`.

    `pools` are the names of the listed node pools, `entries_of` the entries of `node_pools` and `tpu_slices`.
    """
    names = set(pools)
    entry_of = {name: str(entry["name"]) for entry in entries_of for name in _pool_names(entry) if name in names}
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    for item in listings.kind("ComputeClass"):
        try:
            written.append(_class(item, entry_of))
        except InexpressibleError as error:
            remarks.append(left_out(f"ComputeClass {name_of(item)}", str(error)))
    return written, remarks


def _pool_names(entry: Mapping[str, Any]) -> list[str]:
    """The names of an entry's node pools: numbered where it states several multi-host slices."""
    name, count = str(entry["name"]), entry.get("slices")
    return [name] if count is None else [name, *(f"{name}{number}" for number in range(1, int(count) + 1))]


def _class(item: Item, entry_of: Mapping[str, str]) -> dict[str, Any]:
    spec = section(item, "spec")
    _refuse(spec, _STATED)
    priorities = [_priority(each, entry_of) for each in entries(spec, "priorities")]
    migration = section(spec, "activeMigration")
    _refuse({key: value for key, value in migration.items() if value}, frozenset({"optimizeRulePriority"}))
    unsatisfiable = spec.get("whenUnsatisfiable")
    return {
        "name": name_of(item),
        "priorities": priorities,
        **stated(
            when_unsatisfiable=unsatisfiable if unsatisfiable == "ScaleUpAnyway" else None,
            active_migration=bool(migration.get("optimizeRulePriority")),
        ),
    }


def _refuse(item: Item, known: frozenset[str]) -> None:
    other = sorted(key for key, value in item.items() if key not in known and value not in (None, {}, []))
    if other:
        raise InexpressibleError(f"it states {', '.join(other)}, which a stack file does not state")


def _priority(priority: Item, entry_of: Mapping[str, str]) -> dict[str, Any]:
    _refuse(priority, _OF_PRIORITY)
    named = [str(name) for name in priority.get("nodepools") or ()]
    if named:
        meant = list(dict.fromkeys(entry_of[name] for name in named if name in entry_of))
        if {name for name, entry in entry_of.items() if entry in meant} != set(named):
            raise InexpressibleError(f"its node pools {', '.join(named)} are not whole entries of the stack file")
        return {"node_pools": meant}
    return {**_machines(priority), **_capacity(priority)}


def _machines(priority: Item) -> dict[str, Any]:
    slices, gpu = section(priority, "tpu"), section(priority, "gpu")
    if slices:
        return {"machine_type": _machine_type(slices), "topology": slices.get("topology")}
    if not priority.get("machineType") and not priority.get("machineFamily"):
        raise InexpressibleError("a priority states neither a machine type nor a machine series")
    key = "machineType" if priority.get("machineType") else "machineFamily"
    written: dict[str, Any] = {"machine_type" if key == "machineType" else "machine_family": priority[key]}
    if gpu:
        _refuse(gpu, frozenset({"type", "count"}))
        written["gpu"] = {"type": gpu.get("type"), "count": gpu.get("count", 1)}
    return written


def _machine_type(slices: Item) -> str:
    """The machine type with the chips of each node that makes the slices."""
    wanted = slices.get("type"), slices.get("count")
    for machine in tpu.machines():
        has = tpu.generation_of(machine.name).accelerator, machine.chips
        if has == wanted and slices.get("topology") in tpu.topologies(machine.name):
            return machine.name
    topology, chips = slices.get("topology"), slices.get("count")
    raise InexpressibleError(
        f"no machine type makes {topology} slices of {slices.get('type')} with {chips} chips a node"
    )


def _capacity(priority: Item) -> dict[str, Any]:
    written: dict[str, Any] = {}
    if priority.get("spot"):
        written["capacity"] = "spot"
    if section(priority, "flexStart").get("enabled"):
        _refuse(section(priority, "flexStart"), frozenset({"enabled"}))
        written["capacity"] = "flex-start"
    reservations = section(priority, "reservations")
    if reservations:
        specific = entries(reservations, "specific")
        if reservations.get("affinity") != "Specific" or len(specific) != 1:
            raise InexpressibleError("a priority takes other reservations than one that it names")
        _refuse(specific[0], frozenset({"name", "project"}))
        written |= {"capacity": "reservation", "reservation": dict(specific[0])}
    location = section(priority, "location")
    _refuse(location, frozenset({"zones"}))
    zones = list(location.get("zones") or ())
    return {**written, **stated(max_run_seconds=priority.get("maxRunDurationSeconds") or None, zones=zones)}
