"""The section `workloads`: the runs that a stack file can state as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adopt.led import is_pathways, pathways_run, ray_run
from adopt.listings import Item, Listings, Remark, entries, left_out, name_of, namespace_of, section
from adopt.pods import InexpressibleError
from adopt.runs import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.plan.queues import FlavorPlan

_KINDS: Final = ("JobSet", "RayJob", "Job")


def declared_runs(
    listings: Listings, flavors: Sequence[FlavorPlan], *, is_autopilot: bool
) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `workloads`, in the order of creation."""
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    found = [each for kind in _KINDS for each in listings.kind(kind) if not _is_made(each)]
    for item in sorted(found, key=lambda each: str(section(each, "metadata").get("creationTimestamp"))):
        what = f"{item['kind']} {namespace_of(item)}/{name_of(item)}"
        try:
            entry, remark = _entry(listings, item, flavors, is_autopilot=is_autopilot)
        except InexpressibleError as error:
            remarks.append(left_out(what, str(error), is_run=True))
            continue
        written.append(entry)
        remarks += [Remark(what=what, says=each, remedy="") for each in remark]
    return written, remarks


def accounts_of(written: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The section `service_accounts`: the accounts of these runs, which exist."""
    named = {(each["namespace"], each["service_account"]) for each in written if "service_account" in each}
    return [{"name": name, "namespace": namespace, "existing": True} for namespace, name in sorted(named)]


def _entry(
    listings: Listings, item: Item, flavors: Sequence[FlavorPlan], *, is_autopilot: bool
) -> tuple[dict[str, Any], list[str]]:
    if item["kind"] == "RayJob":
        return ray_run(listings, item, flavors), []
    if is_pathways(item):
        return pathways_run(listings, item, flavors), []
    return run(listings, item, flavors, is_autopilot=is_autopilot)


def _is_made(item: Item) -> bool:
    return any(each.get("controller") is True for each in entries(item, "metadata", "ownerReferences"))
