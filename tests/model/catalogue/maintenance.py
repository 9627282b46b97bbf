"""When the cluster is worked on: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

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


BROKEN: dict[str, dict[str, Stack]] = {
    "maintenance-ends-after-start": {
        "an exclusion that ends before it starts": a_platform().set(
            "cluster", maintenance={"exclusions": [{**_FREEZE, "end": "2026-11-15T00:00:00Z"}]}
        ),
        "a window that ends when it starts": a_platform().set(
            "cluster", maintenance={"window": {**_WINDOW, "end": _WINDOW["start"]}}
        ),
    },
    "maintenance-recurs": {
        "a window that recurs by no rule": a_platform().set(
            "cluster", maintenance={"window": {**_WINDOW, "recurrence": "weekends"}}
        ),
        "a part that no rule has": _with("FREQ=WEEKLY;BYDAYS=SA,SU"),
        "a weekday that does not exist": _with("FREQ=WEEKLY;BYDAY=SAT"),
        "a part that is empty": _with("FREQ=DAILY;"),
        "a part that is there twice": _with("FREQ=DAILY;FREQ=WEEKLY"),
        "the second Saturday of a week": _with("FREQ=WEEKLY;BYDAY=2SA"),
        "a number of windows and a last day": _with("FREQ=DAILY;COUNT=3;UNTIL=20270101"),
        "a last day that its month does not have": _with("FREQ=DAILY;UNTIL=20270230"),
        "the day 32 of a month": _with("FREQ=MONTHLY;BYMONTHDAY=32"),
        "windows every hour": _with("FREQ=HOURLY"),
    },
    "maintenance-has-time": {
        "a window of three hours": _with("FREQ=DAILY", end="2026-01-03T03:00:00Z"),
        "a window of eight hours each week": _with("FREQ=WEEKLY;BYDAY=SA"),
        "a window each month": _with("FREQ=MONTHLY"),
        "a window each year": _with("FREQ=YEARLY"),
        "the same day in some months of each year": _with("FREQ=YEARLY;BYMONTH=1,2"),
        "windows that end one day": _with("FREQ=DAILY;UNTIL=20270101T000000Z"),
        "ten windows and no more": _with("FREQ=WEEKLY;BYDAY=SA,SU;COUNT=10"),
        "windows in winter": _with("FREQ=DAILY;BYMONTH=1,2"),
        "a window of long ago, and weeks without upgrades": _with(
            "FREQ=WEEKLY;BYDAY=SA,SU",
            _without("2026-12-18", "2027-01-05"),
            start="1970-01-03T00:00:00Z",
            end="1970-01-03T08:00:00Z",
        ),
    },
    "exclusions-have-limits, maintenance-has-time": {
        "a quarter of a year without upgrades": _with("FREQ=DAILY", _without("2026-10-01", "2026-12-30")),
    },
    "exclusions-have-limits": {
        "91 days without upgrades": _excluding(_without("2026-10-01", "2026-12-31")),
        "31 days without upgrades": _excluding(_without("2026-10-01", "2026-11-01")),
        "two years without upgrades to another minor version": _excluding(
            _without("2026-10-01", "2028-11-01", "NO_MINOR_UPGRADES")
        ),
        "three years of an extended version": _excluding(_without("2026-10-01", "2029-10-01", "NO_MINOR_UPGRADES")).set(
            "cluster", release_channel="EXTENDED"
        ),
        "four exclusions of all upgrades": _excluding(
            *(_without(f"2026-0{month}-01", f"2026-0{month}-05", name=f"quiet-{month}") for month in (1, 2, 3, 4))
        ),
        "21 exclusions": _excluding(
            *(_without(f"2026-01-{day:02}", "2026-02-01", "NO_MINOR_UPGRADES", f"quiet-{day}") for day in range(1, 22))
        ),
    },
    "names-differ": {
        "two exclusions of one name": _excluding(
            _without("2026-01-01", "2026-01-02"), _without("2026-02-01", "2026-02-02")
        ),
    },
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
