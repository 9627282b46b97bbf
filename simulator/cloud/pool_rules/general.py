"""Refusals that any node pool can meet: names, machine types, autoscaling limits, upgrade settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts.gke import NODE_POOL_NAME_LENGTH
from simulator.cloud import capacity
from simulator.cloud.pool_rules.rule import TOOLKIT, Rule
from simulator.cloud.service import at

if TYPE_CHECKING:
    from simulator.cloud.pool_request import PoolRequest

_NODES_UPGRADED_AT_ONCE: Final = 20
_LIMITS: Final = (("minNodeCount", "maxNodeCount"), ("totalMinNodeCount", "totalMaxNodeCount"))


def _autopilot(request: PoolRequest) -> str | None:
    if request.is_autopilot and not request.is_autoprovisioned:
        return "Autopilot node pools cannot be accessed or modified."
    return None


def _name_length(request: PoolRequest) -> str | None:
    length = len(request.name)
    if length > NODE_POOL_NAME_LENGTH:
        return f'Node pool name "{request.name}" has {length} characters; at most {NODE_POOL_NAME_LENGTH} are allowed.'
    return None


def _machine_exists(request: PoolRequest) -> str | None:
    if capacity.is_known_machine(request.machine_type):
        return None
    return f'Machine type with name "{request.machine_type}" does not exist in zone "{request.zones[0]}".'


def _two_kinds_of_limits(request: PoolRequest) -> str | None:
    limits = request.autoscaling or {}
    per_zone, total = (any(limits.get(limit) for limit in pair) for pair in _LIMITS)
    if per_zone and total:
        return "Per-zone node limits (min_node_count, max_node_count) and total limits cannot be used together."
    return None


def _no_maximum(request: PoolRequest) -> str | None:
    limits = request.autoscaling
    if limits is not None and not limits.get("maxNodeCount") and not limits.get("totalMaxNodeCount"):
        return "max_node_count and total_max_node_count cannot be both set to zero"
    return None


def _minimum_above_maximum(request: PoolRequest) -> str | None:
    limits = request.autoscaling or {}
    for low, high in _LIMITS:
        if limits.get(low, 0) > limits.get(high, 0):
            return f"Autoscaling {low} {limits[low]} is greater than {high} {limits.get(high, 0)}."
    return None


def _surge(request: PoolRequest) -> str | None:
    settings = request.body["upgradeSettings"]
    if settings["strategy"] != "SURGE":
        return None
    together = settings.get("maxSurge", 0) + settings.get("maxUnavailable", 0)
    if not 1 <= together <= _NODES_UPGRADED_AT_ONCE:
        return (
            f"The sum of max_surge and max_unavailable is {together}; it must be at least 1 and at most "
            f"{_NODES_UPGRADED_AT_ONCE}."
        )
    return None


def _blue_green_and_compact(request: PoolRequest) -> str | None:
    compact = at(request.body, "placementPolicy.type") == "COMPACT"
    if compact and request.body["upgradeSettings"]["strategy"] == "BLUE_GREEN":
        return "Blue-green upgrades are not supported on node pools with compact placement."
    return None


RULES: Final = (
    Rule(
        id="autopilot",
        refuses=_autopilot,
        source="turbot/steampipe-plugin-gcp pull request 591, gke-labs/kube-agents issue 920",
        is_quoted=True,
    ),
    Rule(id="name-length", refuses=_name_length, source="GKE API, NodePool.name", is_quoted=False),
    Rule(id="machine-exists", refuses=_machine_exists, source="Compute Engine API, machineTypes.get", is_quoted=False),
    Rule(
        id="two-kinds-of-limits",
        refuses=_two_kinds_of_limits,
        source="container_node_pool documentation of Google's Terraform provider: the two exclude each other",
        is_quoted=False,
    ),
    Rule(
        id="no-maximum",
        refuses=_no_maximum,
        source="terraform-google-modules/terraform-google-kubernetes-engine issue 1554",
        is_quoted=True,
    ),
    Rule(
        id="minimum-above-maximum",
        refuses=_minimum_above_maximum,
        source="hashicorp/terraform-provider-google issue 5441",
        is_quoted=False,
    ),
    Rule(
        id="surge",
        refuses=_surge,
        source="container_node_pool documentation of Google's Terraform provider, upgrade_settings",
        is_quoted=False,
    ),
    Rule(
        id="blue-green-and-compact",
        refuses=_blue_green_and_compact,
        source=TOOLKIT,
        is_quoted=False,
    ),
)
