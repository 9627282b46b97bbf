"""Each combination of settings that GKE refuses of a node pool: refused by a rule first, or not to be written at all.

A combination that a stack file can express is edited into a sound one, and a rule answers. Of one that it cannot, the
plans of all sound pools there are show that it never comes to be. The simulated cloud refuses the same on its own
account, as the last table holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.model.facts import tpu
from simulator.cloud.pool_rules import RULES
from tests.model.test_rules import SOUND
from tests.stacks import Stack, a_platform, on_autopilot, with_capacity

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.model.plan.nodes import SlicePoolPlan

_BLOCK = {"name": "mine"}
_REFUSED: dict[str, tuple[Stack, str, str]] = {
    # the edit, the rule that answers, and where
    "flex-start of a reservation": (
        with_capacity("flex-start", reservation=_BLOCK), "reservation-is-named", "tpu_slices[0].reservation",
    ),
    "flex-start of a generation without it": (
        with_capacity("flex-start", machine_type="ct4p-hightpu-4t", topology="2x2x2"),
        "flex-start-generation", "tpu_slices[0].capacity",
    ),
    "a multi-host slice in more than one zone": (
        a_platform().drop("tpu_slices", 0, "zone").set("tpu_slices", 0, zones=["us-west4-a", "us-west4-b"]),
        "slices-have-a-zone", "tpu_slices[0].zones",
    ),
    "compact placement and a second set of nodes": (
        a_platform().set("tpu_slices", 0, upgrade={"strategy": "BLUE_GREEN"}),
        "blue-green-needs-room", "tpu_slices[0].upgrade.strategy",
    ),
    "queued flex-start of a generation without it": (
        with_capacity("flex-start", queued=True), "queued-may-be-refused", "tpu_slices[0].queued",
    ),
    "queued without flex-start": (
        a_platform().set("tpu_slices", 0, queued=True), "queued-is-flex-start", "tpu_slices[0].queued",
    ),
    "queued of a reservation": (
        with_capacity("reservation", reservation=_BLOCK, queued=True),
        "queued-is-flex-start", "tpu_slices[0].queued",
    ),
    "queued spot": (with_capacity("spot", queued=True), "queued-is-flex-start", "tpu_slices[0].queued"),
    "a number of nodes beside autoscaling": (
        a_platform().set("node_pools", 0, autoscaling={"min": 0, "max": 3}),
        "pool-size-is-stated-once", "node_pools[0].nodes",
    ),
    "a node pool on Autopilot": (
        on_autopilot().set(tpu_slices=a_platform().platform["tpu_slices"]),
        "autopilot-makes-its-nodes", "tpu_slices[0]",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("stack", "rule", "place"), _REFUSED.values(), ids=_REFUSED)
def test_what_can_be_written_is_refused_where_it_is_written(stack: Stack, rule: str, place: str) -> None:
    found = [(each.rule, str(each.place)) for each in stack.findings() if each.severity.value == "error"]
    assert (rule, place) in found


def _policy_of(pool: SlicePoolPlan) -> tpu.WorkloadPolicy:
    return tpu.generation_of(pool.machine_type).workload_policy


_NEVER: dict[str, Callable[[SlicePoolPlan], bool]] = {
    # why it cannot be written, and what no plan has
    "flex-start and spot: capacity is one word, and the labels are those of one": lambda pool: (
        {"cloud.google.com/gke-flex-start", "cloud.google.com/gke-spot"} <= pool.labels.keys()
    ),
    "flex-start without autoscaling: it follows from the capacity": lambda pool: (
        pool.capacity == "flex-start" and pool.autoscaling is None
    ),
    "flex-start with nodes: there is no key for a first number": lambda pool: (
        pool.capacity == "flex-start" and (pool.nodes_per_zone is not None or _least(pool) != 0)
    ),
    "flex-start that does not say NO_RESERVATION: it follows from the capacity": lambda pool: (
        pool.capacity == "flex-start" and pool.takes_reservations is not False
    ),
    "queued that begins above none: slices have no key for a least": lambda pool: pool.is_queued and _least(pool) != 0,
    "more or fewer nodes than the slice has: they follow from the topology": lambda pool: (
        pool.is_multi_host and pool.nodes != tpu.shape(pool.machine_type, pool.topology).hosts
    ),
    "limits of another size than the slice: they follow from the topology": lambda pool: (
        pool.is_multi_host and pool.autoscaling is not None and (_least(pool), _most(pool)) != (0, pool.nodes)
    ),
    "a number of nodes and a first number: one is of fixed pools, the other of autoscaled ones": lambda pool: (
        (pool.nodes_per_zone is None) is (pool.autoscaling is None)
    ),
    "a topology on single hosts: placement follows from the shape": lambda pool: (
        not pool.is_multi_host and pool.placement is not None
    ),
    "several hosts without placement: it follows from the shape": lambda pool: (
        pool.is_multi_host and pool.placement is None
    ),
    "TPU7x of several hosts without a workload policy: it follows from the generation": lambda pool: (
        pool.is_multi_host and _policy_of(pool) is tpu.WorkloadPolicy.REQUIRED and _policy_name(pool) is None
    ),
    "a workload policy on another generation: it follows from the generation": lambda pool: (
        _policy_of(pool) is not tpu.WorkloadPolicy.REQUIRED and _policy_name(pool) is not None
    ),
    "a boot disk that the machine does not take: it follows from the generation": lambda pool: (
        pool.disk_type not in tpu.generation_of(pool.machine_type).boot_disks
    ),
}


def _least(pool: SlicePoolPlan) -> int:
    return 0 if pool.autoscaling is None else pool.autoscaling.minimum


def _most(pool: SlicePoolPlan) -> int:
    return 0 if pool.autoscaling is None else pool.autoscaling.maximum


def _policy_name(pool: SlicePoolPlan) -> str | None:
    return None if pool.placement is None else pool.placement.policy


_STACKS = [*SOUND.values(), with_capacity("flex-start", queued=True)]
_POOLS = [pool for stack in _STACKS for pool in stack.plan().slice_pools]


@pytest.mark.parametrize("is_refused", _NEVER.values(), ids=_NEVER)
def test_what_cannot_be_written_never_comes_to_be(is_refused: Callable[[SlicePoolPlan], bool]) -> None:
    assert [pool for pool in _POOLS if is_refused(pool)] == []


def test_the_sound_pools_are_of_every_kind() -> None:
    assert {pool.capacity for pool in _POOLS} == {"on-demand", "spot", "reservation", "flex-start"}
    assert {(pool.is_multi_host, pool.autoscaling is None) for pool in _POOLS} == {
        (multi, fixed) for multi in (True, False) for fixed in (True, False)
    }
    assert {_policy_of(pool) for pool in _POOLS if pool.is_multi_host} == set(tpu.WorkloadPolicy)
    assert any(pool.is_queued for pool in _POOLS)


@pytest.mark.parametrize("limits", [{"total_min": 0, "total_max": 4}, {"min": 0, "max": 4, "total_max": 4}])
def test_limits_over_all_zones_have_no_key(limits: dict[str, Any]) -> None:
    stack = a_platform().drop("node_pools", 0, "nodes").set("node_pools", 0, autoscaling=limits)
    reading = stack.reading()
    assert reading.plan is None
    assert "node_pools[0].autoscaling.total_max: unknown key." in reading.report


_CLOUD: dict[str, str] = {
    # the combination, and the rule of the simulated cloud that refuses it
    "flex-start and spot": "flex-start-and-spot",
    "flex-start without autoscaling": "flex-start-without-autoscaling",
    "flex-start with nodes": "flex-start-with-nodes",
    "flex-start of a reservation": "flex-start-with-reservation",
    "flex-start of a generation without it": "flex-start-generation",
    "a multi-host slice with limits over all zones, or of another size": "whole-slice",
    "a multi-host slice in more than one zone": "one-zone",
    "a topology on single hosts": "single-host-with-topology",
    "a workload policy on single hosts": "single-host-with-workload-policy",
    "nodes of another number than the slice's hosts": "gang-size",
    "compact placement and a second set of nodes": "blue-green-and-compact",
    "TPU7x of several hosts without a workload policy": "placement-instead-of-workload-policy",
    "a workload policy on another generation": "workload-policy-generation",
    "a boot disk that the machine does not take": "boot-disk",
    "queued without flex-start": "queued-without-flex-start",
    "queued flex-start of a generation without it": "queued-generation",
    "queued of a reservation": "queued-with-reservation",
    "queued that begins above none": "queued-minimum",
    "queued spot": "queued-with-spot",
    "limits of each zone and over all": "two-kinds-of-limits",
    "a node pool on Autopilot": "autopilot",
}


def test_each_has_a_rule_of_the_simulated_clouds_own() -> None:
    """That each refuses, and in the API's words, is shown in tests/simulator/cloud/test_pool_refusals.py."""
    assert set(_CLOUD.values()) <= {rule.id for rule in RULES}
