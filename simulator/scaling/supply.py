"""The nodes that a cluster's pools can still add: their instance groups with sizes, limits and the node of each.

Read from the cloud's documents. A group of a pool that is being changed is not resized, as with GKE's autoscaler; a
group of a pool that is being made counts as if it existed, so that it is not requested twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from simulator import nodes
from simulator.cloud.api import Body, Kind
from simulator.cloud.groups import groups_of
from simulator.cloud.names import api_name, parts_of
from simulator.cloud.pool_request import PoolRequest
from simulator.cloud.service import at, part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.cloud.cloud import Survey
    from simulator.cloud.machines import Node

_RESTING: Final = ("RUNNING", "RUNNING_WITH_ERROR", "ERROR")
_GROUP_LINK: Final = "https://www.googleapis.com/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Autoscaling limits of a pool."""

    low: int
    """Fewest nodes in each zone."""
    high: float
    """Most nodes in each zone; infinite when only all zones together are limited."""
    total_low: int
    total_high: float

    @classmethod
    def of(cls, pool: Body) -> Limits | None:
        """The limits in a pool's document; None when it is not autoscaled."""
        settings = part(pool, "autoscaling")
        if not settings.get("enabled"):
            return None
        per_zone, total = settings.get("maxNodeCount", 0), settings.get("totalMaxNodeCount", 0)
        return cls(
            low=settings.get("minNodeCount", 0),
            high=per_zone or math.inf,
            total_low=settings.get("totalMinNodeCount", 0),
            total_high=total or math.inf,
        )


@dataclass(frozen=True, kw_only=True)
class Group:
    """The instance group of a node pool in one zone."""

    name: str
    """API name."""
    pool: str
    """API name of the node pool."""
    zone: str
    size: int
    """Its target size."""
    instances: tuple[Body, ...]
    """Its machines as the cloud knows them."""
    gang: int | None
    """How many machines are made or removed at once."""
    body: Body
    """The pool's document."""
    template: Node
    """The node that its next machine would register."""
    is_there: bool
    """Whether it can be resized now."""

    @cached_property
    def limits(self) -> Limits | None:
        """None when nobody autoscales it."""
        return Limits.of(self.body)

    def has_room(self, machines: int, groups: Iterable[Group], sizes: Mapping[str, int]) -> bool:
        """Whether it can have so many more, where its pool's groups, which are among `groups`, have these sizes."""
        size = sizes[self.name]
        if self.limits is None or (self.gang is not None and size > 0):
            return False
        total = sum(sizes[other.name] for other in groups if other.pool == self.pool)
        return size + machines <= self.limits.high and total + machines <= self.limits.total_high

    @property
    def step(self) -> int:
        """Machines that one growth adds."""
        return self.gang or 1

    @property
    def link(self) -> str:
        """Its address as the autoscaler's events name it."""
        parts = parts_of(Kind.INSTANCE_GROUP, self.name)
        return _GROUP_LINK.format(**parts)

    @property
    def is_autoprovisioned(self) -> bool:
        """Whether GKE made its pool by itself."""
        return bool(at(self.body, "autoscaling.autoprovisioned"))

    @property
    def is_repaired(self) -> bool:
        """Whether auto-repair is on."""
        return bool(at(self.body, "management.autoRepair"))


class GroupReader:
    """Reads groups from the cloud's documents, which are never changed in place: each only once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Body, Group]] = {}
        """Each group with the document that it was read from, by name."""

    def read(self, survey: Survey) -> list[Group]:
        """The groups of a cluster's pools; others are forgotten."""
        found: list[Group] = []
        before, self._known = self._known, {}
        for pool, body in survey.pools:
            if body["status"] == "STOPPING":
                continue
            names = groups_of(body)
            rests = body["status"] in _RESTING and pool not in survey.busy
            for name in names:
                document, is_there = survey.groups[name], rests and name not in survey.busy
                known, group = before.get(name, (None, None))
                if group is None or known is not document or group.body is not body or group.is_there is not is_there:
                    group = _group(pool, body, name, document, is_there=is_there)
                self._known[name] = document, group
                found.append(group)
            if not names and at(body, "autoscaling.autoprovisioned"):
                found += imagined(pool, body)
        return found


def groups(survey: Survey) -> list[Group]:
    """The groups of a cluster's pools."""
    return GroupReader().read(survey)


def imagined_groups(pool: str, body: Body) -> list[tuple[str, Body]]:
    """Names and documents of the groups that a pool's document would have, without machines."""
    request = PoolRequest(name=pool, body=body, is_autopilot=False, policy=None)
    project = parts_of(Kind.NODE_POOL, pool)["project"]
    return [
        (
            api_name(Kind.INSTANCE_GROUP, project=project, zone=zone, name=nodes.group_name(pool, body, zone)),
            {
                "zone": zone,
                "targetSize": 0,
                "instances": [],
                "gangSize": request.gang_size,
                "topology": request.effective_topology,
            },
        )
        for zone in body["locations"]
    ]


def imagined(pool: str, body: Body) -> list[Group]:
    """The groups of a pool that does not exist yet."""
    return [_group(pool, body, *each, is_there=False) for each in imagined_groups(pool, body)]


def _group(pool: str, body: Body, name: str, document: Body, *, is_there: bool) -> Group:
    short = name.rpartition("/")[2].removesuffix("-grp")
    instance = nodes.Instance(name=f"{short}-new", zone=document["zone"], address="", topology=document["topology"])
    return Group(
        name=name,
        pool=pool,
        zone=document["zone"],
        size=document["targetSize"],
        instances=tuple(document["instances"]),
        gang=document["gangSize"],
        body=body,
        template=nodes.node_document(pool, body, instance),
        is_there=is_there,
    )
