"""The part of the contract that says how Kueue admits workloads, and when it takes their quota back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PodsReady:
    """How long an admitted workload may hold quota while its pods are not ready; Kueue then evicts it."""

    timeout_seconds: int
    """From its admission until all of its pods are ready."""
    recovery_seconds: int
    """The same after it lost a pod; 0 means no limit."""
    block_admission: bool
    """Whether Kueue admits nothing else meanwhile."""
    requeuing_limit: int | None
    """How often it is queued again before Kueue deactivates it; None means no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentAdmission:
    """How Kueue tries all flavors of a queue at once for each workload."""

    mode: str
    """TryPreferredFlavors: a running workload moves to an earlier flavor that admits it. RetainFirstAdmission: it stays
    where it is."""
    last_acceptable_flavor: str | None
    """The last flavor for which a running workload moves; None for any before its own."""
