"""How long GKE takes to notice and to act, in simulated seconds.

Source: cluster-autoscaler FAQ (scan-interval 10 s, scale-down-unneeded-time 10 min, scale-down-unready-time 20 min,
back-off of a node group 5 to 30 min) and GKE documentation "Auto-repair nodes" (about 10 min not Ready), read 2026-11.
How long flex-start queues is not documented: waits last from minutes to days. Nodes are booked for ten minutes by the
source of GKE's autoscaler; public reports show requests that fail two minutes after they were made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.stock import QUEUE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping


class UnknownNameError(Exception):
    """A user named something that does not exist; the text lists what does."""


def _time(default: float, means: str) -> Any:  # noqa: ANN401  a default, as dataclasses have it
    return field(default=default, metadata={"means": means})


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Simulated seconds; zero is allowed and means at once. Each field says what it means, also for the help."""

    scan: float = _time(10.0, "how long a pod must wait before the autoscaler adds nodes for it: its scan interval")
    queue: float = _time(
        QUEUE_SECONDS, "how long a flex-start request queues before its machines come, or are out of stock"
    )
    refuse: float = _time(120.0, "how long a ProvisioningRequest that fits no node pool is kept before it fails")
    booking: float = _time(600.0, "how long the nodes of a ProvisioningRequest are kept for its pods")
    idle: float = _time(600.0, "how long a node must be empty before the autoscaler removes it")
    unready: float = _time(
        1200.0, "how long an empty node must be unready before the autoscaler removes it, without auto-repair"
    )
    repair: float = _time(600.0, "how long a node must be unready before auto-repair recreates it")
    evict: float = _time(
        300.0, "how long pods stay on a node that failed; a cluster keeps the value with which it was made"
    )
    back_off: float = _time(
        300.0, "pause of a node pool after its first failed scale-up; it doubles with each further one"
    )
    back_off_limit: float = _time(1800.0, "the longest such pause")

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


NAMES: Final = tuple(each.name for each in fields(Times))
"""The names of the times, in the order in which people see them."""
MEANINGS: Final = {each.name: f"{each.metadata['means']} (default: {each.default:g})" for each in fields(Times)}
"""The meaning of each time, with its default in seconds."""
