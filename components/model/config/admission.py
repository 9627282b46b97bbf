"""What can be configured of admissions that do not hold: pods that do not start, and better flavors that free."""

from __future__ import annotations

from typing import Literal

from components.model.config.section import Count, OptionalCount, Section
from components.model.config.values import KubernetesName


class Requeue(Section):
    """When a workload that was evicted because its pods were not ready is queued again."""

    base_seconds: OptionalCount = 60
    """The wait after the first eviction; each further wait is twice as long."""
    max_seconds: OptionalCount = 3600
    """The longest wait."""
    limit: OptionalCount | None = None
    """How often a workload is queued again; then Kueue deactivates it. By default there is no limit."""
    timestamp: Literal["Eviction", "Creation"] = "Eviction"
    """Its place in the queue: that of the moment of its eviction, or its old place, that of its creation."""


class PodsReady(Section):
    """How long an admitted workload may hold quota without running: then Kueue evicts it and queues it again."""

    timeout_seconds: Count
    """The time from the admission of a workload until all its pods are ready."""
    recovery_timeout_seconds: OptionalCount | None = None
    """The same for a workload that ran and lost a pod; 0 means no limit. By default it is `timeout_seconds`."""
    block_admission: bool = False
    """Whether Kueue admits nothing else while an admitted workload is not ready."""
    requeue: Requeue = Requeue()


class ConcurrentAdmission(Section):
    """Kueue tries all flavors of the queue at once for each workload, and starts it on the first that admits it."""

    mode: Literal["TryPreferredFlavors", "RetainFirstAdmission"] = "TryPreferredFlavors"
    """Whether a workload that runs is evicted and started again on a flavor that is earlier in the list, once that
    flavor admits it; or stays where it is."""
    last_acceptable_flavor: KubernetesName | None = None
    """The last flavor of the list for which a running workload moves; by default any flavor before its own."""
