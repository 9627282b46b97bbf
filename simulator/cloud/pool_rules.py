"""Which node pools Google's API refuses, in the API's words where those are known.

Each rule looks at one request and gives the text of its refusal or None. They are checked in the order in which they
stand here; the first that refuses wins, as with the API. First come the rules for every pool, then those about how the
machines are paid for, last those about TPU slices.

Written from the API's side alone: nothing here knows what the program checks. Where sources contradict each other
(queued provisioning with flex-start on v6e and TPU7x, auto-repair on flex-start pools), nothing is refused. Minimum
versions of GKE are not checked: every version that the simulated cloud offers is above them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from components.model.facts import tpu
from components.model.facts.gke import NODE_POOL_NAME_LENGTH
from simulator.cloud import capacity
from simulator.cloud.api import invalid
from simulator.cloud.service import at, part

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.cloud.pool_request import PoolRequest

    Refuses = Callable[[PoolRequest], str | None]

_AUTOSCALER: Final = "GoogleCloudPlatform/cluster-autoscaler @7d250507"
_TOOLKIT: Final = "GoogleCloudPlatform/cluster-toolkit @10470803 modules/compute/gke-node-pool"
_FIELD_REPORT: Final = "answers of the API in a field report on flex-start TPU pools, 2026-08"
_TPU7X_REPORTS: Final = "answers of the API in several field reports on TPU7x node pools, 2026-07 and 2026-08"
_NODES_UPGRADED_AT_ONCE: Final = 20
_LIMITS: Final = (("minNodeCount", "maxNodeCount"), ("totalMinNodeCount", "totalMaxNodeCount"))
_DAY: Final = 86400
_FLEX_START_SECONDS: Final = (600, 7 * _DAY)
_OTHER_SECONDS: Final = (30, 120 * _DAY)
"""Shortest and longest max_run_duration."""


class Stage(Enum):
    """When a rule refuses."""

    ADMISSION = "the request is refused"
    PROVISIONING = "the request is accepted; the operation fails in Compute Engine and leaves the pool in ERROR"


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason to refuse a node pool."""

    id: str
    refuses: Refuses
    """The text of the refusal, or None."""
    source: str
    """The source that shows that the API refuses, read 2026-11."""
    is_quoted: bool
    """Whether somebody published an answer of the API with this text; the other texts are ours."""
    stage: Stage


RULES: Final[list[Rule]] = []


def check(request: PoolRequest, stage: Stage) -> None:
    """Check the request against the rules of one stage.

    Raises:
        CloudError: INVALID_ARGUMENT with the text of the first rule that refuses.
    """
    for rule in RULES:
        text = rule.refuses(request) if rule.stage is stage else None
        if text is not None:
            raise invalid(text)


def _rule(source: str, *, is_quoted: bool = False, stage: Stage = Stage.ADMISSION) -> Callable[[Refuses], Refuses]:
    """Register a rule; its id is the name of the function, with hyphens."""

    def register(refuses: Refuses) -> Refuses:
        name = refuses.__name__.removeprefix("_").replace("_", "-")
        RULES.append(Rule(name, refuses, source, is_quoted, stage))
        return refuses

    return register


@_rule("turbot/steampipe-plugin-gcp pull request 591, gke-labs/kube-agents issue 920", is_quoted=True)
def _autopilot(request: PoolRequest) -> str | None:
    if request.is_autopilot and not request.is_autoprovisioned:
        return "Autopilot node pools cannot be accessed or modified."
    return None


@_rule("GKE API, NodePool.name")
def _name_length(request: PoolRequest) -> str | None:
    length = len(request.name)
    if length > NODE_POOL_NAME_LENGTH:
        return f'Node pool name "{request.name}" has {length} characters; at most {NODE_POOL_NAME_LENGTH} are allowed.'
    return None


@_rule("Compute Engine API, machineTypes.get")
def _machine_exists(request: PoolRequest) -> str | None:
    if capacity.is_known_machine(request.machine_type):
        return None
    return f'Machine type with name "{request.machine_type}" does not exist in zone "{request.zones[0]}".'


@_rule("container_node_pool documentation of Google's Terraform provider: the two exclude each other")
def _two_kinds_of_limits(request: PoolRequest) -> str | None:
    limits = request.autoscaling or {}
    per_zone, total = (any(limits.get(limit) for limit in pair) for pair in _LIMITS)
    if per_zone and total:
        return "Per-zone node limits (min_node_count, max_node_count) and total limits cannot be used together."
    return None


@_rule("terraform-google-modules/terraform-google-kubernetes-engine issue 1554", is_quoted=True)
def _no_maximum(request: PoolRequest) -> str | None:
    limits = request.autoscaling
    if limits is not None and not limits.get("maxNodeCount") and not limits.get("totalMaxNodeCount"):
        return "max_node_count and total_max_node_count cannot be both set to zero"
    return None


@_rule("hashicorp/terraform-provider-google issue 5441")
def _minimum_above_maximum(request: PoolRequest) -> str | None:
    limits = request.autoscaling or {}
    for low, high in _LIMITS:
        if limits.get(low, 0) > limits.get(high, 0):
            return f"Autoscaling {low} {limits[low]} is greater than {high} {limits.get(high, 0)}."
    return None


@_rule("container_node_pool documentation of Google's Terraform provider, upgrade_settings")
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


@_rule(_TOOLKIT)
def _blue_green_and_compact(request: PoolRequest) -> str | None:
    compact = at(request.body, "placementPolicy.type") == "COMPACT"
    if compact and request.body["upgradeSettings"]["strategy"] == "BLUE_GREEN":
        return "Blue-green upgrades are not supported on node pools with compact placement."
    return None


@_rule(f"{_AUTOSCALER}; {_TOOLKIT}")
def _flex_start_and_spot(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.has_spot:
        return "Flex start node pools don't support spot or preemptible VMs."
    return None


@_rule(_FIELD_REPORT, is_quoted=True)
def _flex_start_without_autoscaling(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.autoscaling is None:
        return "Flex start node pools require autoscaling enabled."
    return None


@_rule(_FIELD_REPORT, is_quoted=True)
def _flex_start_with_nodes(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.initial_size:
        return "Flex start node pools require initial node count to be set to 0."
    return None


@_rule(_FIELD_REPORT, is_quoted=True)
def _flex_start_with_reservation(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.reservation != "NO_RESERVATION":
        return "flex start node pools don't support reservations"
    return None


@_rule(f"{_AUTOSCALER}; GKE documentation of Dynamic Workload Scheduler")
def _flex_start_generation(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.generation and not request.generation.has_flex_start:
        return f"Machine type {request.machine_type} is not supported in flex start node pools."
    return None


@_rule(_FIELD_REPORT, is_quoted=True)
def _queued_without_flex_start(request: PoolRequest) -> str | None:
    if request.is_queued and request.machine and not request.has_flex_start:
        return "Queued_provisioning doesn't support TPUs"
    return None


@_rule(f"AI-Hypercomputer/xpk pull request 900, 2025-12; v6e and TPU7x: {_TOOLKIT}", is_quoted=True)
def _queued_generation(request: PoolRequest) -> str | None:
    if request.is_queued and request.has_flex_start and request.generation and not request.generation.has_queued:
        return "Flex start node pools don't support TPUs with queued provisioning."
    return None


@_rule(_TOOLKIT)
def _queued_minimum(request: PoolRequest) -> str | None:
    limits = request.autoscaling or {}
    if request.is_queued and (limits.get("minNodeCount") or limits.get("totalMinNodeCount")):
        return "Queued provisioning requires the minimum node count to be 0."
    return None


@_rule(_TOOLKIT)
def _queued_with_reservation(request: PoolRequest) -> str | None:
    if request.is_queued and request.reservation not in (None, "NO_RESERVATION"):
        return "Queued provisioning doesn't support reservations."
    return None


@_rule(_TOOLKIT)
def _queued_with_spot(request: PoolRequest) -> str | None:
    if request.is_queued and request.has_spot:
        return "Queued provisioning doesn't support spot or preemptible VMs."
    return None


@_rule(_TOOLKIT)
def _reservation_name(request: PoolRequest) -> str | None:
    affinity = part(request.body, "config.reservationAffinity")
    key, values = affinity.get("key"), affinity.get("values", [])
    if request.reservation == "SPECIFIC_RESERVATION":
        if key and len(values) == 1:
            return None
        return "SPECIFIC_RESERVATION requires the key and exactly one value of the reservation."
    return "Reservation key and values can only be set with SPECIFIC_RESERVATION." if key or values else None


@_rule(_TOOLKIT)
def _spot_with_reservation(request: PoolRequest) -> str | None:
    if request.has_spot and request.reservation == "SPECIFIC_RESERVATION":
        return "Spot and preemptible VMs cannot consume reservations."
    return None


@_rule(_AUTOSCALER)
def _run_duration(request: PoolRequest) -> str | None:
    stated = request.body["config"].get("maxRunDuration")
    if not stated:
        return None
    low, high = _FLEX_START_SECONDS if request.has_flex_start else _OTHER_SECONDS
    digits = stated.removesuffix("s")
    if stated.endswith("s") and digits.isdecimal() and low <= int(digits) <= high:
        return None
    return f'max_run_duration "{stated}" must be a number of seconds from {low}s to {high}s.'


def gang_size_refusal(size: int, gang: int) -> str:
    """Compute Engine's answer to a multi-host slice with a wrong number of hosts (AI-Hypercomputer/xpk issue 751)."""
    return (
        f"Requested invalid target size '{size}' for a Managed Instance Group in the gang mode of size '{gang}'. "
        "Should be equal to the gang size."
    )


@_rule("AI-Hypercomputer/xpk pull request 825", is_quoted=True)
def _single_host_with_topology(request: PoolRequest) -> str | None:
    if request.topology and request.shape and request.shape.kind is tpu.HostKind.SINGLE:
        return (
            "TPU topology can't be specified with single-host TPU slice pool; "
            "please remove the tpu_topology from the request."
        )
    return None


@_rule("AI-Hypercomputer/xpk pull request 825")
def _single_host_with_workload_policy(request: PoolRequest) -> str | None:
    if request.machine and request.workload_policy is not None and not request.topology and not request.multi_host:
        return "Workload policy can't be specified with single-host TPU slice pool."
    return None


@_rule(_AUTOSCALER)
def _impossible_topology(request: PoolRequest) -> str | None:
    if request.topology is None:
        return None
    if request.machine is None:
        return f"TPU topology can't be specified with machine type {request.machine_type}."
    try:
        tpu.shape(request.machine_type, request.topology)
    except tpu.ImpossibleTopologyError as error:
        return (
            f'TPU topology "{request.topology}" is not valid for machine type {request.machine_type}: {error.reason}.'
        )
    return None


@_rule(_AUTOSCALER)
def _topology_needed(request: PoolRequest) -> str | None:
    if request.machine and request.machine.single_host_topology is None and request.shape is None:
        return f"TPU topology is required for machine type {request.machine_type}."
    return None


@_rule(_TOOLKIT)
def _one_zone(request: PoolRequest) -> str | None:
    if request.multi_host and len(request.zones) != 1:
        return f"A multi-host TPU slice node pool must be in exactly one zone, not in {', '.join(request.zones)}."
    return None


@_rule("vllm-project/ci-infra pull request 545 (for the maximum; the other two sentences follow it)", is_quoted=True)
def _whole_slice(request: PoolRequest) -> str | None:
    shape = request.multi_host
    if shape is None:
        return None
    empty_or_whole = (0, shape.hosts)
    limits = request.autoscaling or {"maxNodeCount": shape.hosts}
    sizes: tuple[tuple[str, int, tuple[int, ...]], ...] = (
        ("Maximum", limits.get("maxNodeCount", 0), (shape.hosts,)),
        ("Minimum", limits.get("minNodeCount", 0), empty_or_whole),
        ("Initial", request.initial_size, empty_or_whole),
    )
    for which, size, valid in sizes:
        if size not in valid:
            return f'{which} node count {size} is not a valid size of TPU pod slice with topology "{shape.topology}"'
    return None


@_rule(_TOOLKIT)
def _placement_needed(request: PoolRequest) -> str | None:
    if request.multi_host is None or request.policy_name or _requires_workload_policy(request):
        return None
    if at(request.body, "placementPolicy.type") == "COMPACT":
        return None
    return f"A multi-host TPU slice of {request.machine_type} requires placement policy type COMPACT."


@_rule("container_node_pool documentation of Google's Terraform provider, placement_policy.policy_name")
def _policy_missing(request: PoolRequest) -> str | None:
    if request.policy_name and request.policy is None:
        return f"Resource policy {request.policy_name} was not found in the region of the node pool."
    return None


@_rule(_AUTOSCALER)
def _workload_policy_generation(request: PoolRequest) -> str | None:
    generation = request.generation
    refused = generation is None or generation.workload_policy is tpu.WorkloadPolicy.REFUSED
    if request.workload_policy is not None and refused:
        return f"Workload policy is not supported by machine type {request.machine_type}."
    return None


@_rule(_TPU7X_REPORTS, is_quoted=True)
def _workload_policy_without_topology(request: PoolRequest) -> str | None:
    policy = request.workload_policy
    if policy is not None and request.topology and not policy.get("acceleratorTopology"):
        return (
            f"Node pool {request.name} does not support TPU topology with group placement policy and workload policy "
            "at the same time"
        )
    return None


@_rule(_TOOLKIT)
def _provision_only(request: PoolRequest) -> str | None:
    mode = (request.workload_policy or {}).get("acceleratorTopologyMode")
    if mode == "PROVISION_ONLY" and request.reservation != "SPECIFIC_RESERVATION":
        return "Accelerator topology mode PROVISION_ONLY requires a specific reservation."
    return None


@_rule(f"{_AUTOSCALER}; the sentence: rancher/harvester-cloud issue 249", is_quoted=True)
def _boot_disk(request: PoolRequest) -> str | None:
    disk = request.body["config"]["diskType"]
    if request.generation and disk not in request.generation.boot_disks:
        return f"{disk} disk type cannot be used by {request.machine_type} machine type."
    return None


@_rule(_TPU7X_REPORTS, is_quoted=True, stage=Stage.PROVISIONING)
def _placement_instead_of_workload_policy(request: PoolRequest) -> str | None:
    if request.multi_host and request.workload_policy is None and _requires_workload_policy(request):
        return (
            f"Creation of a managed instance group with {request.machine_type} machine type with placement policy is "
            "not supported. Use workload policy instead."
        )
    return None


@_rule("AI-Hypercomputer/xpk issue 751", is_quoted=True, stage=Stage.PROVISIONING)
def _gang_size(request: PoolRequest) -> str | None:
    gang = request.gang_size
    if gang is None or request.initial_size in (0, gang):
        return None
    return gang_size_refusal(request.initial_size, gang)


def _requires_workload_policy(request: PoolRequest) -> bool:
    return request.generation is not None and request.generation.workload_policy is tpu.WorkloadPolicy.REQUIRED
