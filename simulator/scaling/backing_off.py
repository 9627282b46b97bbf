"""Node pools whose machines did not come, and how long the autoscaler pauses before it asks again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.cloud.service import at

if TYPE_CHECKING:
    from simulator.cloud.api import Body
    from simulator.scaling.supply import Group
    from simulator.scaling.times import Times


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
    mode = "spot" if config.get("spot") else "flex-start" if config.get("flexStart") else "standard"
    reservation: list[str] = at(config, "reservationAffinity.values") or []
    return f"{config['machineType']} {config.get('accelerators')} {mode} {reservation} {zone}"
