"""When the cluster is worked on: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

_WINDOW = {"start": "2026-01-03T00:00:00Z", "end": "2026-01-03T08:00:00Z", "recurrence": "FREQ=WEEKLY;BYDAY=SA,SU"}
_FREEZE = {
    "name": "launch",
    "start": "2026-12-01T00:00:00Z",
    "end": "2026-12-15T00:00:00Z",
    "scope": "NO_MINOR_OR_NODE_UPGRADES",
}


def _with(recurrence: str, *exclusions: dict[str, str], **window: str) -> Stack:
    """With a window that recurs so, and exclusions."""
    whole = {**_WINDOW, "recurrence": recurrence, **window}
    return a_platform().set("cluster", maintenance={"window": whole, "exclusions": list(exclusions)})


def _without(start: str, end: str, scope: str = "NO_UPGRADES", name: str = "quiet") -> dict[str, str]:
    """An exclusion between two days."""
    return {"name": name, "start": f"{start}T00:00:00Z", "end": f"{end}T00:00:00Z", "scope": scope}


def _excluding(*exclusions: dict[str, str]) -> Stack:
    """With exclusions and no window."""
    return a_platform().set("cluster", maintenance={"exclusions": list(exclusions)})


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "an exclusion that ends before it starts": (
        a_platform().set("cluster", maintenance={"exclusions": [{**_FREEZE, "end": "2026-11-15T00:00:00Z"}]}),
        [
            Told(
                rule="maintenance-ends-after-start",
                place="cluster.maintenance.exclusions[0].end",
                says="2026-11-15T00:00:00Z is not after 2026-12-01T00:00:00Z.",
                remedy="Set a later moment.",
            ),
        ],
    ),
    "a window that ends when it starts": (
        a_platform().set("cluster", maintenance={"window": {**_WINDOW, "end": _WINDOW["start"]}}),
        [
            Told(
                rule="maintenance-ends-after-start",
                place="cluster.maintenance.window.end",
                says="2026-01-03T00:00:00Z is not after 2026-01-03T00:00:00Z.",
                remedy="Set a later moment.",
            ),
        ],
    ),
    "a window that recurs by no rule": (
        a_platform().set("cluster", maintenance={"window": {**_WINDOW, "recurrence": "weekends"}}),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="weekends is not how a window recurs.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a part that no rule has": (
        _with("FREQ=WEEKLY;BYDAYS=SA,SU"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=WEEKLY;BYDAYS=SA,SU is not how a window recurs: RFC 5545 has no part BYDAYS.",
                remedy="Did you mean BYDAY? Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a weekday that does not exist": (
        _with("FREQ=WEEKLY;BYDAY=SAT"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=WEEKLY;BYDAY=SAT is not how a window recurs: BYDAY=SAT is not a valid part.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a part that is empty": (
        _with("FREQ=DAILY;"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=DAILY; is not how a window recurs: a part of it is empty.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a part that is there twice": (
        _with("FREQ=DAILY;FREQ=WEEKLY"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=DAILY;FREQ=WEEKLY is not how a window recurs: FREQ appears twice.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "the second Saturday of a week": (
        _with("FREQ=WEEKLY;BYDAY=2SA"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=WEEKLY;BYDAY=2SA is not how a window recurs: a weekday takes a number only with "
                "FREQ=MONTHLY or FREQ=YEARLY.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a number of windows and a last day": (
        _with("FREQ=DAILY;COUNT=3;UNTIL=20270101"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=DAILY;COUNT=3;UNTIL=20270101 is not how a window recurs: "
                "COUNT and UNTIL exclude each other.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a last day that its month does not have": (
        _with("FREQ=DAILY;UNTIL=20270230"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=DAILY;UNTIL=20270230 is not how a window recurs: "
                "UNTIL=20270230 is not a day of the calendar.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "the day 32 of a month": (
        _with("FREQ=MONTHLY;BYMONTHDAY=32"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=MONTHLY;BYMONTHDAY=32 is not how a window recurs: BYMONTHDAY=32 is not from 1 to 31.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "windows every hour": (
        _with("FREQ=HOURLY"),
        [
            Told(
                rule="maintenance-recurs",
                place="cluster.maintenance.window.recurrence",
                says="FREQ=HOURLY is not how a window recurs.",
                remedy="Such as FREQ=DAILY, or FREQ=WEEKLY;BYDAY=SA,SU.",
            ),
        ],
    ),
    "a window of three hours": (
        _with("FREQ=DAILY", end="2026-01-03T03:00:00Z"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.end",
                says="the window is 3 hours long; GKE counts windows of 4 hours or more.",
                remedy="Set 2026-01-03T04:00:00Z or later.",
            ),
        ],
    ),
    "a window of eight hours each week": (
        _with("FREQ=WEEKLY;BYDAY=SA"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 32 hours for maintenance in the 32 days from 2026-01-03; older pages of GKE's "
                "documentation ask for 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
                severity="warning",
            ),
        ],
    ),
    "a window each month": (
        _with("FREQ=MONTHLY"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 24 hours for maintenance in the 92 days from 2026-01-03; GKE needs 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
            ),
        ],
    ),
    "a window each year": (
        _with("FREQ=YEARLY"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 0 hours for maintenance in the 92 days from 2026-01-03; GKE needs 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
            ),
        ],
    ),
    "the same day in some months of each year": (
        _with("FREQ=YEARLY;BYMONTH=1,2"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 0 hours for maintenance in the 92 days from 2026-02-03; GKE needs 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
            ),
        ],
    ),
    "windows that end one day": (
        _with("FREQ=DAILY;UNTIL=20270101T000000Z"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 0 hours for maintenance in the 92 days from 2027-01-01; GKE needs 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
            ),
        ],
    ),
    "ten windows and no more": (
        _with("FREQ=WEEKLY;BYDAY=SA,SU;COUNT=10"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 0 hours for maintenance in the 92 days from 2026-02-01; GKE needs 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
            ),
        ],
    ),
    "windows in winter": (
        _with("FREQ=DAILY;BYMONTH=1,2"),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 0 hours for maintenance in the 92 days from 2026-02-28; GKE needs 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=SA,SU, or a longer window.",
            ),
        ],
    ),
    "a quarter of a year without upgrades": (
        _with("FREQ=DAILY", _without("2026-10-01", "2026-12-30")),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[0].end",
                says="the exclusion is 90 days long; older pages of GKE's documentation allow 30.",
                remedy="Set 2026-10-31T00:00:00Z or earlier.",
                severity="warning",
            ),
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 16 hours for maintenance in the 92 days from 2026-09-28; GKE needs 48.",
                remedy="Shorten the exclusions.",
            ),
        ],
    ),
    "a window of long ago, and weeks without upgrades": (
        _with(
            "FREQ=WEEKLY;BYDAY=SA,SU",
            _without("2026-12-18", "2027-01-05"),
            start="1970-01-03T00:00:00Z",
            end="1970-01-03T08:00:00Z",
        ),
        [
            Told(
                rule="maintenance-has-time",
                place="cluster.maintenance.window.recurrence",
                says="the windows leave 16 hours for maintenance in the 32 days from 2026-12-06; older pages of GKE's "
                "documentation ask for 48.",
                remedy="Such as FREQ=WEEKLY;BYDAY=TH,FR,SA,SU, or a longer window.",
                severity="warning",
            ),
        ],
    ),
    "91 days without upgrades": (
        _excluding(_without("2026-10-01", "2026-12-31")),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[0].end",
                says="the exclusion is 91 days long; GKE allows 90.",
                remedy="Set 2026-12-30T00:00:00Z or earlier.",
            ),
        ],
    ),
    "31 days without upgrades": (
        _excluding(_without("2026-10-01", "2026-11-01")),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[0].end",
                says="the exclusion is 31 days long; older pages of GKE's documentation allow 30.",
                remedy="Set 2026-10-31T00:00:00Z or earlier.",
                severity="warning",
            ),
        ],
    ),
    "two years without upgrades to another minor version": (
        _excluding(_without("2026-10-01", "2028-11-01", "NO_MINOR_UPGRADES")),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[0].end",
                says="the exclusion is 762 days long; it ends earlier: GKE supports a minor version for 426.",
                remedy="Set 2027-12-01T00:00:00Z or earlier.",
                severity="warning",
            ),
        ],
    ),
    "three years of an extended version": (
        _excluding(_without("2026-10-01", "2029-10-01", "NO_MINOR_UPGRADES")).set(
            "cluster", release_channel="EXTENDED"
        ),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[0].end",
                says="the exclusion is 1096 days long; it ends earlier: GKE supports a minor version for 731.",
                remedy="Set 2028-10-01T00:00:00Z or earlier.",
                severity="warning",
            ),
        ],
    ),
    "four exclusions of all upgrades": (
        _excluding(
            *(_without(f"2026-0{month}-01", f"2026-0{month}-05", name=f"quiet-{month}") for month in (1, 2, 3, 4))
        ),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[3].scope",
                says="this is exclusion number 4 of scope NO_UPGRADES; a cluster may have 3.",
                remedy="Set NO_MINOR_OR_NODE_UPGRADES, or remove an exclusion that is over.",
            ),
        ],
    ),
    "21 exclusions": (
        _excluding(
            *(_without(f"2026-01-{day:02}", "2026-02-01", "NO_MINOR_UPGRADES", f"quiet-{day}") for day in range(1, 22))
        ),
        [
            Told(
                rule="exclusions-have-limits",
                place="cluster.maintenance.exclusions[20]",
                says="this is exclusion number 21; a cluster may have 20.",
                remedy="Remove exclusions that are over.",
            ),
        ],
    ),
    "two exclusions of one name": (
        _excluding(_without("2026-01-01", "2026-01-02"), _without("2026-02-01", "2026-02-02")),
        [
            Told(
                rule="names-differ",
                place="cluster.maintenance.exclusions[1].name",
                says="the maintenance exclusion name quiet is taken by cluster.maintenance.exclusions[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "maintenance at weekends and none at a launch": a_platform().set(
        "cluster", maintenance={"window": _WINDOW, "exclusions": [_FREEZE]}
    ),
    "four hours each night": _with("FREQ=DAILY", end="2026-01-03T04:00:00Z"),
    "a whole day, every day": _with("FREQ=DAILY", end="2026-01-04T00:00:00Z"),
    "two weekends of each month": _with("FREQ=MONTHLY;BYDAY=1SA,2SA,3SA,-1SA", end="2026-01-04T00:00:00Z"),
    "the first days of each month": _with("FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,-1", end="2026-01-03T16:00:00Z"),
    "a part whose days nobody counts here": _with("FREQ=MONTHLY;BYDAY=SA;BYSETPOS=1"),
    "every second week, from Monday to Friday": _with("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,TU,WE,TH,FR"),
    "the weekends of each year": _with("FREQ=YEARLY;BYDAY=SA,SU"),
    "the first days of each month of each year": _with("FREQ=YEARLY;BYMONTHDAY=1,2,3,4,-1", end="2026-01-03T16:00:00Z"),
    "a weekday of the year, whose days nobody counts here": _with("FREQ=YEARLY;BYDAY=1SA"),
    "a month without upgrades": _excluding(_without("2026-12-01", "2026-12-31")),
    "a year without upgrades to another minor version": _excluding(
        _without("2026-12-01", "2027-12-01", scope="NO_MINOR_UPGRADES")
    ),
    "two weeks without upgrades, and a window each night": _with("FREQ=DAILY", _without("2026-12-18", "2027-01-02")),
}
