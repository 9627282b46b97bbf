"""How long GKE takes to notice and to act, in simulated seconds.

Source: cluster-autoscaler FAQ (scan-interval 10 s, scale-down-unneeded-time 10 min, scale-down-unready-time 20 min,
back-off of a node group 5 to 30 min) and GKE documentation "Auto-repair nodes" (about 10 min not Ready), read 2026-11.
How long flex-start queues is not documented: waits last from minutes to days. Nodes are booked for ten minutes by the
source of GKE's autoscaler; public reports show requests that fail two minutes after they were made.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.stock import QUEUE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping


class UnknownNameError(Exception):
    """A user named something that does not exist; the text lists what does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Simulated seconds; zero is allowed and means at once."""

    scan: float = 10.0
    """How long a pod must have waited before nodes are added for it: the autoscaler's scan interval."""
    queue: float = QUEUE_SECONDS
    """How long a flex-start request queues before its machines come, or are out of stock."""
    refuse: float = 120.0
    """How long a ProvisioningRequest that fits no node pool is kept before it fails."""
    booking: float = 600.0
    """How long the nodes of a ProvisioningRequest are kept for its pods."""
    idle: float = 600.0
    """How long a node must have been empty before it is removed."""
    unready: float = 1200.0
    """How long an empty node must have failed before the autoscaler removes it, where auto-repair is off."""
    repair: float = 600.0
    """How long a node must have failed before auto-repair makes it anew."""
    evict: float = 300.0
    """How long pods stay on a node that failed, Kubernetes' own setting; a cluster keeps the value from its start."""
    back_off: float = 300.0
    """Pause of a node pool after its first scale-up that failed; it doubles with each that follows."""
    back_off_limit: float = 1800.0
    """The longest such pause."""

    def changed(self, wanted: Mapping[str, float]) -> Times:
        """These times with others in their place.

        Raises:
            UnknownNameError: a name is unknown, or a value is not a number of seconds.
        """
        for name, seconds in wanted.items():
            if name not in NAMES:
                raise UnknownNameError(f"no time named {name}; there are {', '.join(NAMES)}")
            if not 0 <= seconds < math.inf:
                raise UnknownNameError(f"{name}: {seconds} is not a number of seconds")
        return replace(self, **wanted)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


NAMES: Final = tuple(field.name for field in fields(Times))
"""Of the times, in the order in which people are shown them."""
