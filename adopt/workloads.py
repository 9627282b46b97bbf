"""The section `workloads`: the runs that a stack file can state as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from adopt.led import is_pathways, pathways_run, ray_run
from adopt.listings import (
    InexpressibleError,
    Item,
    Listings,
    Remark,
    entries,
    left_out,
    name_of,
    namespace_of,
    section,
)
from adopt.runs import run
from components.model.config import Platform, Section
from components.model.places import Place
from components.model.stack_file.shapes import shape_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.config import Workload
    from components.model.plan.queues import FlavorPlan

_BUCKETS: Final = ("bucket", "scratch_bucket")
"""Keys of workloads that name a bucket."""
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
            _read(entry)
        except InexpressibleError as error:
            remarks.append(left_out(what, str(error), is_run=True))
            continue
        written.append(entry)
        remarks += [Remark(what=what, says=each, remedy="") for each in remark]
    return written, remarks


def named_by(written: Sequence[Mapping[str, Any]], cluster: Mapping[str, Any]) -> dict[str, Any]:
    """The sections of what these runs and the cluster name and what exists: buckets, and the accounts of pods."""
    runs = [_read(each) for each in written]
    accounts = sorted({(run.namespace, name) for run in runs for name in _values(run, "service_account")})
    checkpoints = cluster.get("checkpoints")
    buckets = {checkpoints["bucket"]} if checkpoints else set[str]()
    buckets |= {name for run in runs for key in _BUCKETS for name in _values(run, key)}
    named = {
        "buckets": [{"name": name} for name in sorted(buckets)],
        "service_accounts": [{"name": name, "namespace": space, "existing": True} for space, name in accounts],
    }
    return {key: entries for key, entries in named.items() if entries}


def _values(part: object, key: str) -> Iterator[str]:
    """The texts behind a key, in a section and below it."""
    if isinstance(part, Section):
        for name in type(part).model_fields:
            value: object = getattr(part, name)
            if name == key and isinstance(value, str):
                yield value
            yield from _values(value, key)
    elif isinstance(part, tuple):
        for each in cast("tuple[object, ...]", part):
            yield from _values(each, key)


def _read(entry: Mapping[str, Any]) -> Workload:
    """The entry as the program reads it.

    Raises:
        InexpressibleError: a value is not one that a stack file may have.
    """
    platform = {"cluster": {"existing": {"name": "any", "location": "us-west4"}, "mode": "standard"}}
    try:
        return Platform.model_validate_json(json.dumps({**platform, "workloads": [entry]})).workloads[0]
    except ValidationError as error:
        found = shape_findings(error, Platform)[0]
        raise InexpressibleError(
            f"a stack file does not take {_below(found.place)}: {found.says.rstrip('.')}"
        ) from error


def _below(place: Place) -> str:
    """The place in the entry."""
    return str(Place(place.keys[2:])) or "it"


def _entry(
    listings: Listings, item: Item, flavors: Sequence[FlavorPlan], *, is_autopilot: bool
) -> tuple[dict[str, Any], list[str]]:
    if item["kind"] == "RayJob":
        return ray_run(listings, item, flavors), []
    if is_pathways(item):
        return pathways_run(listings, item, flavors, is_autopilot=is_autopilot), []
    return run(listings, item, flavors, is_autopilot=is_autopilot)


def _is_made(item: Item) -> bool:
    return any(each.get("controller") is True for each in entries(item, "metadata", "ownerReferences"))
