"""Refusals about TPU slices: topology, size, zone, placement, workload policy, boot disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import tpu
from simulator.cloud.pool_rules.rule import AUTOSCALER, TOOLKIT, Rule, Stage
from simulator.cloud.service import at

if TYPE_CHECKING:
    from simulator.cloud.pool_request import PoolRequest

_TPU7X_REPORTS: Final = "answers of the API in several field reports on TPU7x node pools, 2026-07 and 2026-08"


def gang_size_refusal(size: int, gang: int) -> str:
    """Compute Engine's answer to a multi-host slice with a wrong number of hosts (AI-Hypercomputer/xpk issue 751)."""
    return (
        f"Requested invalid target size '{size}' for a Managed Instance Group in the gang mode of size '{gang}'. "
        "Should be equal to the gang size."
    )


def _single_host_with_topology(request: PoolRequest) -> str | None:
    if request.topology and request.shape and request.shape.kind is tpu.HostKind.SINGLE:
        return (
            "TPU topology can't be specified with single-host TPU slice pool; "
            "please remove the tpu_topology from the request."
        )
    return None


def _single_host_with_workload_policy(request: PoolRequest) -> str | None:
    if request.machine and request.workload_policy is not None and not request.topology and not request.multi_host:
        return "Workload policy can't be specified with single-host TPU slice pool."
    return None


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


def _topology_needed(request: PoolRequest) -> str | None:
    if request.machine and request.machine.single_host_topology is None and request.shape is None:
        return f"TPU topology is required for machine type {request.machine_type}."
    return None


def _one_zone(request: PoolRequest) -> str | None:
    if request.multi_host and len(request.zones) != 1:
        return f"A multi-host TPU slice node pool must be in exactly one zone, not in {', '.join(request.zones)}."
    return None


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


def _placement_needed(request: PoolRequest) -> str | None:
    if request.multi_host is None or request.policy_name or _requires_workload_policy(request):
        return None
    if at(request.body, "placementPolicy.type") == "COMPACT":
        return None
    return f"A multi-host TPU slice of {request.machine_type} requires placement policy type COMPACT."


def _policy_missing(request: PoolRequest) -> str | None:
    if request.policy_name and request.policy is None:
        return f"Resource policy {request.policy_name} was not found in the region of the node pool."
    return None


def _workload_policy_generation(request: PoolRequest) -> str | None:
    generation = request.generation
    refused = generation is None or generation.workload_policy is tpu.WorkloadPolicy.REFUSED
    if request.workload_policy is not None and refused:
        return f"Workload policy is not supported by machine type {request.machine_type}."
    return None


def _workload_policy_without_topology(request: PoolRequest) -> str | None:
    policy = request.workload_policy
    if policy is not None and request.topology and not policy.get("acceleratorTopology"):
        return (
            f"Node pool {request.name} does not support TPU topology with group placement policy and workload policy "
            "at the same time"
        )
    return None


def _provision_only(request: PoolRequest) -> str | None:
    mode = (request.workload_policy or {}).get("acceleratorTopologyMode")
    if mode == "PROVISION_ONLY" and request.reservation != "SPECIFIC_RESERVATION":
        return "Accelerator topology mode PROVISION_ONLY requires a specific reservation."
    return None


def _boot_disk(request: PoolRequest) -> str | None:
    disk = request.body["config"]["diskType"]
    if request.generation and disk not in request.generation.boot_disks:
        return f"{disk} disk type cannot be used by {request.machine_type} machine type."
    return None


def _placement_instead_of_workload_policy(request: PoolRequest) -> str | None:
    if request.multi_host and request.workload_policy is None and _requires_workload_policy(request):
        return (
            f"Creation of a managed instance group with {request.machine_type} machine type with placement policy is "
            "not supported. Use workload policy instead."
        )
    return None


def _gang_size(request: PoolRequest) -> str | None:
    gang = request.gang_size
    if gang is None or request.initial_size in (0, gang):
        return None
    return gang_size_refusal(request.initial_size, gang)


def _requires_workload_policy(request: PoolRequest) -> bool:
    return request.generation is not None and request.generation.workload_policy is tpu.WorkloadPolicy.REQUIRED


RULES: Final = (
    Rule(
        id="single-host-with-topology",
        refuses=_single_host_with_topology,
        source="AI-Hypercomputer/xpk pull request 825",
        is_quoted=True,
    ),
    Rule(
        id="single-host-with-workload-policy",
        refuses=_single_host_with_workload_policy,
        source="AI-Hypercomputer/xpk pull request 825",
        is_quoted=False,
    ),
    Rule(id="impossible-topology", refuses=_impossible_topology, source=AUTOSCALER, is_quoted=False),
    Rule(id="topology-needed", refuses=_topology_needed, source=AUTOSCALER, is_quoted=False),
    Rule(id="one-zone", refuses=_one_zone, source=TOOLKIT, is_quoted=False),
    Rule(
        id="whole-slice",
        refuses=_whole_slice,
        source="vllm-project/ci-infra pull request 545 (for the maximum; the other two sentences follow it)",
        is_quoted=True,
    ),
    Rule(id="placement-needed", refuses=_placement_needed, source=TOOLKIT, is_quoted=False),
    Rule(
        id="policy-missing",
        refuses=_policy_missing,
        source="container_node_pool documentation of Google's Terraform provider, placement_policy.policy_name",
        is_quoted=False,
    ),
    Rule(
        id="workload-policy-generation",
        refuses=_workload_policy_generation,
        source=AUTOSCALER,
        is_quoted=False,
    ),
    Rule(
        id="workload-policy-without-topology",
        refuses=_workload_policy_without_topology,
        source=_TPU7X_REPORTS,
        is_quoted=True,
    ),
    Rule(id="provision-only", refuses=_provision_only, source=TOOLKIT, is_quoted=False),
    Rule(
        id="boot-disk",
        refuses=_boot_disk,
        source=f"{AUTOSCALER}; the sentence: rancher/harvester-cloud issue 249",
        is_quoted=True,
    ),
    Rule(
        id="placement-instead-of-workload-policy",
        refuses=_placement_instead_of_workload_policy,
        source=_TPU7X_REPORTS,
        is_quoted=True,
        stage=Stage.PROVISIONING,
    ),
    Rule(
        id="gang-size",
        refuses=_gang_size,
        source="AI-Hypercomputer/xpk issue 751",
        is_quoted=True,
        stage=Stage.PROVISIONING,
    ),
)
