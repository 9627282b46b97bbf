"""The stack file: all sections put together, read back as the program reads it, and compared with the listings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import yaml

from components.model.config import Platform
from components.model.findings import listing
from components.model.plan.nodes import SlicePoolPlan
from components.model.planning import make_plan
from components.model.project import KEY
from components.model.stack_file.reading import Given, Reading, read
from policies.objects.values import MalformedError, UndecidedError
from tpu.adopt import cloud, compute_classes, documents, nodes, queueing, storage
from tpu.adopt.listings import Item, ListingError, Listings, Remark, entries, name_of, namespace_of, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.model.plan import Plan

_Section = TypeVar("_Section")
_WIDTH: Final = 120
_WORKLOADS: Final = ("JobSet", "Job", "RayJob")
_ENDED: Final = frozenset({"Complete", "Completed", "Failed"})
"""Conditions of Jobs and JobSets that have ended, and the deployment status of RayJobs that have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A stack file."""

    text: str
    project: str
    """The Google Cloud project."""
    remarks: tuple[Remark, ...]
    reading: Reading
    """What the program makes of it."""


def written(listings: Listings, *, stack: str, project: str, cluster: str | None) -> Written:
    """The stack file of the platform that is listed; `project` is Pulumi's.

    Raises:
        ListingError: the listings do not say which platform is meant, or cannot be read.
    """
    home = cloud.home(listings, cluster)
    try:
        platform, remarks, found = _platform(listings, home)
        return _checked(listings, _Draft(home, platform, remarks, found), stack, project)
    except (MalformedError, UndecidedError, ValueError) as error:
        raise ListingError(f"the listings cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class _Draft:
    home: cloud.Home
    platform: dict[str, Any]
    remarks: list[Remark]
    pools: Sequence[nodes.Pool]


def _platform(listings: Listings, home: cloud.Home) -> tuple[dict[str, Any], list[Remark], list[nodes.Pool]]:
    """The sections in the order of the configuration's fields; empty ones are left out."""
    found, remarks = nodes.read_pools(() if home.is_autopilot else home.pools)

    def noted(read: tuple[_Section, list[Remark]]) -> _Section:
        remarks.extend(read[1])
        return read[0]

    slice_pools = [pool for pool in found if isinstance(pool, SlicePoolPlan)]
    world = queueing.world_of(listings)
    reasons, on_network = cloud.why_existing(home), str(home.cluster.get("network"))
    sections: dict[str, Any] = {"services": cloud.services(listings), "labels": cloud.billing_labels(home)}
    if not reasons:
        sections["network"] = noted(cloud.network(listings, home))
    sections["cluster"] = noted(cloud.cluster(home, reasons))
    if not (reasons or home.is_autopilot):
        machine_types = {pool.machine_type for pool in slice_pools}
        sections["cluster"] |= noted(cloud.checkpoints(listings, home, machine_types))
    sections |= {
        "auto_provisioning": None if reasons else cloud.auto_provisioning(home),
        "node_pools": nodes.ordinary(found),
        "tpu_slices": nodes.slices(found),
    }
    stated = (*sections["node_pools"], *sections["tpu_slices"])
    sections |= {
        "compute_classes": noted(compute_classes.classes(listings, (pool.name for pool in found), stated)),
        "shared_storage": noted(storage.shared_storage(listings, on_network)),
        "lustre": noted(storage.lustre_instances(listings, on_network)),
        "disks": noted(storage.disks(listings)),
    }
    if "checkpoints" in sections["cluster"]:
        sections["buckets"] = [{"name": sections["cluster"]["checkpoints"]["bucket"]}]
    sections["controllers"] = noted(queueing.controllers(listings))
    if sections["controllers"].get("kueue") != {"install": False}:
        sections |= {
            "flavors": queueing.flavors(listings, world, slice_pools),
            "cohorts": queueing.cohorts(listings),
            "admission_checks": queueing.checks(listings, world),
            "queues": queueing.queues(listings),
        }
    sections["priorities"] = noted(queueing.priorities(listings))
    return {key: value for key, value in sections.items() if value}, remarks, found


def _checked(listings: Listings, draft: _Draft, stack: str, project: str) -> Written:
    """The draft as the program reads it, compared with the listings."""
    remarks = list(draft.remarks)
    plan = _plan(draft.platform, draft.home.project)
    if plan is not None:
        remarks += documents.differences(listings, plan)
        remarks += nodes.differences(draft.home.pools, draft.pools, plan)
    text = _text(draft.platform, stack=stack, project=project, gcp_project=draft.home.project)
    reading = read(
        Given(
            project=project,
            file_name=f"Pulumi.{stack}.yaml",
            file_text=text,
            platform=json.dumps(draft.platform),
            gcp_project=draft.home.project,
        )
    )
    quota = Remark(
        what=f"project {draft.home.project}",
        says="its quota of chips and GPUs is not listed, so the stack file states no quota.",
        remedy="State it, so that the program checks the pools against it.",
    )
    remarks += [*_left_running(listings), quota]
    return Written(text=text, project=draft.home.project, remarks=tuple(remarks), reading=reading)


def _left_running(listings: Listings) -> Iterator[Remark]:
    """The workloads that have not ended; those that another object controls end with it."""
    found = [
        f"{kind} {namespace_of(item)}/{name_of(item)}"
        for kind in _WORKLOADS
        for item in listings.kind(kind)
        if not _has_ended(item) and not _is_controlled(item)
    ]
    if found:
        is_one = len(found) == 1
        says = f"{listing(found)} {'is' if is_one else 'are'} running or queued: "
        says += f"the stack file leaves {'it' if is_one else 'them'} out, "
        says += f"and {'it ends by itself' if is_one else 'they end by themselves'}."
        yield Remark(what="workloads", says=says, remedy="")


def _has_ended(item: Item) -> bool:
    status = section(item, "status")
    conditions = {each.get("type") for each in entries(status, "conditions") if each.get("status") == "True"}
    return bool(_ENDED & {*conditions, status.get("jobDeploymentStatus")})


def _is_controlled(item: Item) -> bool:
    return any(each.get("controller") is True for each in entries(item, "metadata", "ownerReferences"))


def _plan(platform: dict[str, Any], gcp_project: str) -> Plan | None:
    """The plan, even if it breaks rules; None if a section has a wrong shape, which the reader reports."""
    try:
        return make_plan(Platform.model_validate_json(json.dumps(platform)), gcp_project)
    except ValueError:
        return None


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _text_node(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)  # pyright: ignore[reportUnknownMemberType]


_Dumper.add_representer(str, _text_node)


def _text(platform: dict[str, Any], *, stack: str, project: str, gcp_project: str) -> str:
    document = {"config": {"gcp:project": gcp_project, f"{project}:{KEY}": platform}}
    body = yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=_WIDTH, allow_unicode=True)
    return f"# The platform that runs in {gcp_project}, as its listings say; stack {stack}.\n{body}"
