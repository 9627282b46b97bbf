"""Refusals about how machines are paid for: flex-start, Spot, queued provisioning, reservations, run duration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.cloud.pool_rules.rule import AUTOSCALER, TOOLKIT, Rule
from simulator.cloud.service import part

if TYPE_CHECKING:
    from simulator.cloud.pool_request import PoolRequest

_FIELD_REPORT: Final = "answers of the API in a field report on flex-start TPU pools, 2026-08"

_DAY: Final = 86400
_FLEX_START_SECONDS: Final = (600, 7 * _DAY)
_OTHER_SECONDS: Final = (30, 120 * _DAY)
"""Shortest and longest max_run_duration."""


def _spot_and_flex_start(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.has_spot:
        return "Flex start node pools don't support spot or preemptible VMs."
    return None


def _flex_start_without_autoscaling(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.autoscaling is None:
        return "Flex start node pools require autoscaling enabled."
    return None


def _flex_start_with_nodes(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.initial_size:
        return "Flex start node pools require initial node count to be set to 0."
    return None


def _flex_start_with_reservation(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.reservation != "NO_RESERVATION":
        return "flex start node pools don't support reservations"
    return None


def _flex_start_generation(request: PoolRequest) -> str | None:
    if request.has_flex_start and request.generation and not request.generation.has_flex_start:
        return f"Machine type {request.machine_type} is not supported in flex start node pools."
    return None


def _queued_without_flex_start(request: PoolRequest) -> str | None:
    if request.is_queued and request.machine and not request.has_flex_start:
        return "Queued_provisioning doesn't support TPUs"
    return None


def _queued_generation(request: PoolRequest) -> str | None:
    if request.is_queued and request.has_flex_start and request.generation and not request.generation.has_queued:
        return "Flex start node pools don't support TPUs with queued provisioning."
    return None


def _queued_minimum(request: PoolRequest) -> str | None:
    limits = request.autoscaling or {}
    if request.is_queued and (limits.get("minNodeCount") or limits.get("totalMinNodeCount")):
        return "Queued provisioning requires the minimum node count to be 0."
    return None


def _queued_with_reservation(request: PoolRequest) -> str | None:
    if request.is_queued and request.reservation not in (None, "NO_RESERVATION"):
        return "Queued provisioning doesn't support reservations."
    return None


def _queued_with_spot(request: PoolRequest) -> str | None:
    if request.is_queued and request.has_spot:
        return "Queued provisioning doesn't support spot or preemptible VMs."
    return None


def _reservation_name(request: PoolRequest) -> str | None:
    affinity = part(request.body, "config.reservationAffinity")
    key, values = affinity.get("key"), affinity.get("values", [])
    if request.reservation == "SPECIFIC_RESERVATION":
        if key and len(values) == 1:
            return None
        return "SPECIFIC_RESERVATION requires the key and exactly one value of the reservation."
    return "Reservation key and values can only be set with SPECIFIC_RESERVATION." if key or values else None


def _spot_with_reservation(request: PoolRequest) -> str | None:
    if request.has_spot and request.reservation == "SPECIFIC_RESERVATION":
        return "Spot and preemptible VMs cannot consume reservations."
    return None


def _run_duration(request: PoolRequest) -> str | None:
    stated = request.body["config"].get("maxRunDuration")
    if not stated:
        return None
    low, high = _FLEX_START_SECONDS if request.has_flex_start else _OTHER_SECONDS
    digits = stated.removesuffix("s")
    if stated.endswith("s") and digits.isdecimal() and low <= int(digits) <= high:
        return None
    return f'max_run_duration "{stated}" must be a number of seconds from {low}s to {high}s.'


RULES: Final = (
    Rule(id="flex-start-and-spot", refuses=_spot_and_flex_start, source=f"{AUTOSCALER}; {TOOLKIT}", is_quoted=False),
    Rule(
        id="flex-start-without-autoscaling",
        refuses=_flex_start_without_autoscaling,
        source=_FIELD_REPORT,
        is_quoted=True,
    ),
    Rule(id="flex-start-with-nodes", refuses=_flex_start_with_nodes, source=_FIELD_REPORT, is_quoted=True),
    Rule(id="flex-start-with-reservation", refuses=_flex_start_with_reservation, source=_FIELD_REPORT, is_quoted=True),
    Rule(
        id="flex-start-generation",
        refuses=_flex_start_generation,
        source=f"{AUTOSCALER}; GKE documentation of Dynamic Workload Scheduler",
        is_quoted=False,
    ),
    Rule(id="queued-without-flex-start", refuses=_queued_without_flex_start, source=_FIELD_REPORT, is_quoted=True),
    Rule(
        id="queued-generation",
        refuses=_queued_generation,
        source=f"AI-Hypercomputer/xpk pull request 900, 2025-12; v6e and TPU7x: {TOOLKIT}",
        is_quoted=True,
    ),
    Rule(id="queued-minimum", refuses=_queued_minimum, source=TOOLKIT, is_quoted=False),
    Rule(id="queued-with-reservation", refuses=_queued_with_reservation, source=TOOLKIT, is_quoted=False),
    Rule(id="queued-with-spot", refuses=_queued_with_spot, source=TOOLKIT, is_quoted=False),
    Rule(id="reservation-name", refuses=_reservation_name, source=TOOLKIT, is_quoted=False),
    Rule(id="spot-with-reservation", refuses=_spot_with_reservation, source=TOOLKIT, is_quoted=False),
    Rule(id="run-duration", refuses=_run_duration, source=AUTOSCALER, is_quoted=False),
)
