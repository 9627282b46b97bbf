"""An autoscaler's calls to the cloud, which may refuse because something else is under way.

When machines of a node pool did not come, the autoscaler pauses before it asks for them again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.api import Body, CloudError, Operation
from simulator.cloud.service import at
from simulator.cloud.stock import capacity_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.cloud.cloud import Cloud
    from simulator.scaling.supply import Group
    from simulator.scaling.times import Times

RETRY_SECONDS: Final = 10.0
"""Simulated time after which a refused call is tried again: the autoscaler's scan interval."""
BUSY: Final = "FAILED_PRECONDITION"
"""How the cloud refuses a second operation on something."""


class Asking:
    """Calls on behalf of one cluster's autoscaler."""

    def __init__(self, cluster: str, cloud: Cloud) -> None:
        self._cluster = cluster
        self.cloud = cloud
        self.is_refused = False
        """Whether something was refused since this was last set to False."""

    def update(self, group: Group, **wish: Any) -> Operation | None:  # noqa: ANN401  any JSON value
        """Change an instance group; None when the cloud refuses for now."""
        return self._try(lambda: self.cloud.update(group.name, wish))

    def delete(self, pool: str) -> Operation | None:
        """Delete a node pool; None when the cloud refuses for now."""
        return self._try(lambda: self.cloud.delete(pool))

    def _try(self, call: Callable[[], Operation]) -> Operation | None:
        try:
            return call()
        except CloudError as error:
            self.is_refused = True
            if error.status != BUSY:
                sys.stderr.write(f"autoscaler of {self._cluster}: {error}\n")
            return None


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause."""

    until: float
    """Simulated seconds since 1970."""
    seconds: float


class BackOff:
    """The pauses of one cluster, by group and by the kind of its machines.

    Another pool of the same kind would fare no better in the same zone.
    """

    def __init__(self) -> None:
        self._pauses: dict[str, Pause] = {}

    def failed(self, group: Group, times: Times, now: float) -> None:
        """The group's machines did not come."""
        before = self._pauses.get(group.name)
        seconds = times.back_off if before is None else min(2 * before.seconds, times.back_off_limit)
        for key in (group.name, _kind(group.body, group.zone)):
            self._pauses[key] = Pause(now + seconds, seconds)

    def came(self, group: Group) -> None:
        """The group's machines came."""
        for key in (group.name, _kind(group.body, group.zone)):
            self._pauses.pop(key, None)

    def stops(self, group: Group, now: float) -> bool:
        """Whether the group is in a pause now."""
        return self._lasts(group.name, now)

    def stops_kind(self, body: Body, zone: str, now: float) -> bool:
        """Whether machines of a pool's document are in a pause in a zone now."""
        return self._lasts(_kind(body, zone), now)

    def next(self, now: float) -> float | None:
        """The next moment at which a pause ends."""
        return min((pause.until for pause in self._pauses.values() if pause.until > now), default=None)

    def _lasts(self, key: str, now: float) -> bool:
        pause = self._pauses.get(key)
        return pause is not None and pause.until > now


def _kind(body: Body, zone: str) -> str:
    """The kind of a pool's machines, and how they are paid for."""
    config = body["config"]
    reservation: list[str] = at(config, "reservationAffinity.values") or []
    return f"{config['machineType']} {config.get('accelerators')} {capacity_type(body)} {reservation} {zone}"
