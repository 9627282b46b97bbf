"""How a maintenance window recurs: the part of RFC 5545's RRULE that Google Kubernetes Engine takes.

GKE does not support HOURLY, MINUTELY and SECONDLY (GKE API, RecurringTimeWindow.recurrence, read 2026-11). All days are
those of UTC.

The rrule of python-dateutil (4.0.0) does not do it: for a rule that never matches, such as the 30th of February, it
counts until the year 9999, whatever `until` says. That takes seconds a count, and files may come from anybody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

FREQUENCIES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_WITH_NUMBERS: Final = FREQUENCIES[2:]
"""Those with which a weekday may have a number."""
DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY: Final = rf"(?:{'|'.join(DAYS)})"
_NUMBERS: Final = r"[-+]?[0-9]{1,3}(?:,[-+]?[0-9]{1,3})*"
_FORMS: Final = {
    "FREQ": "|".join(FREQUENCIES),
    "INTERVAL": "[1-9][0-9]{0,3}",
    "COUNT": "[1-9][0-9]{0,3}",
    "UNTIL": "[0-9]{8}(?:T[0-9]{6}Z?)?",
    "BYDAY": rf"(?:[-+]?[1-5])?{_DAY}(?:,(?:[-+]?[1-5])?{_DAY})*",
    "BYMONTHDAY": _NUMBERS,
    "BYMONTH": "[0-9]{1,2}(?:,[0-9]{1,2})*",
    "WKST": _DAY,
    **dict.fromkeys(("BYSETPOS", "BYYEARDAY", "BYWEEKNO", "BYHOUR", "BYMINUTE", "BYSECOND"), _NUMBERS),
}
"""The parts of a rule, and the form of each value."""
PARTS: Final = tuple(_FORMS)
_COUNTED: Final = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "WKST"})
"""The parts whose days are counted here."""


class RecurrenceError(ValueError):
    """The text is not such a rule."""

    def __init__(self, reason: str, part: str = "") -> None:
        self.reason = reason
        """A clause; empty where the frequency says it all."""
        self.part = part
        """The name of a part that there is not."""
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The days on which a window opens."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    days: tuple[tuple[int, int], ...] = ()
    """Weekdays from Monday, 0, each behind its number in the month; 0 is every one."""
    month_days: tuple[int, ...] = ()
    """Negative from the end of the month."""
    months: tuple[int, ...] = ()
    week_start: int = 0
    is_counted: bool = field(default=True, compare=False)
    """Whether every part is one whose days are counted here."""

    @property
    def ends(self) -> bool:
        """Whether there is a last day."""
        return self.count is not None or self.until is not None

    def starts(self, first: datetime, begin: datetime, end: datetime) -> Iterator[datetime]:
        """The moments from `begin` to before `end` at which a window opens whose first one opens at `first`."""
        day = first if self.count is not None else max(first, first + (begin - first) // _A_DAY * _A_DAY)
        left = self.count
        while day < end and left != 0 and (self.until is None or day <= self.until):
            if self._has(day.date(), first.date()):
                left = None if left is None else left - 1
                if day >= begin:
                    yield day
            day += _A_DAY

    def _has(self, day: date, first: date) -> bool:
        if self.months and day.month not in self.months:
            return False
        if self.month_days and not {day.day, day.day - _length(day) - 1} & set(self.month_days):
            return False
        return self._periods(day, first) % self.interval == 0 and self._is_of_week(day, first)

    def _periods(self, day: date, first: date) -> int:
        """Days, weeks, months or years since the first one."""
        match self.frequency:
            case "DAILY":
                return (day - first).days
            case "WEEKLY":
                return (self._week(day) - self._week(first)).days // 7
            case "YEARLY":
                return day.year - first.year
            case _:
                return (day.year - first.year) * 12 + day.month - first.month

    def _week(self, day: date) -> date:
        return day - timedelta(days=(day.weekday() - self.week_start) % 7)

    def _is_of_week(self, day: date, first: date) -> bool:
        if self.days:
            numbers = {0, (day.day - 1) // 7 + 1, -((_length(day) - day.day) // 7 + 1)}
            return any(weekday == day.weekday() and number in numbers for number, weekday in self.days)
        if self.frequency == "WEEKLY":
            return day.weekday() == first.weekday()
        is_day = day.day == first.day and (self.frequency != "YEARLY" or bool(self.months) or day.month == first.month)
        return self.frequency == "DAILY" or bool(self.month_days) or is_day


_A_DAY: Final = timedelta(days=1)


def _length(day: date) -> int:
    """Days of the month."""
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1).toordinal() - day.replace(day=1).toordinal()


def parse(text: str) -> Recurrence:
    """The recurrence that a rule states.

    >>> parse("FREQ=WEEKLY;BYDAY=SA,SU").days
    ((0, 5), (0, 6))

    Raises:
        RecurrenceError: it is not a rule that GKE takes.
    """
    parts = _parts(text)
    days = re.findall(rf"([-+]?[1-5])?({_DAY})", parts.get("BYDAY", ""))
    has_numbers = any(number for number, _ in days)
    if has_numbers and parts["FREQ"] not in _WITH_NUMBERS:
        raise RecurrenceError(f"a weekday takes a number only with FREQ={' or FREQ='.join(_WITH_NUMBERS)}")
    if {"COUNT", "UNTIL"} <= parts.keys():
        raise RecurrenceError("COUNT and UNTIL exclude each other")
    return Recurrence(
        frequency=parts["FREQ"],
        interval=int(parts.get("INTERVAL", 1)),
        count=int(parts["COUNT"]) if "COUNT" in parts else None,
        until=_moment(parts["UNTIL"]) if "UNTIL" in parts else None,
        days=tuple((int(number) if number else 0, DAYS.index(day)) for number, day in days),
        month_days=_numbers(parts, "BYMONTHDAY", 31),
        months=_numbers(parts, "BYMONTH", 12),
        week_start=DAYS.index(parts.get("WKST", DAYS[0])),
        is_counted=parts.keys() <= _COUNTED and not (has_numbers and parts["FREQ"] == "YEARLY"),
    )


def _parts(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        form = _FORMS.get(name)
        if form is None and "FREQ=" in text:
            raise RecurrenceError(f"RFC 5545 has no part {name}" if name else "a part of it is empty", name)
        if form is not None and name != "FREQ" and re.fullmatch(form, value) is None:
            raise RecurrenceError(f"{part} is not a valid part")
        if name in found:
            raise RecurrenceError(f"{name} appears twice")
        found[name] = value
    if found.get("FREQ") not in FREQUENCIES:
        raise RecurrenceError("")
    return found


def _numbers(parts: dict[str, str], name: str, most: int) -> tuple[int, ...]:
    numbers = tuple(int(each) for each in parts[name].split(",")) if name in parts else ()
    if any(not 0 < abs(each) <= most for each in numbers):
        raise RecurrenceError(f"{name}={parts[name]} is not from 1 to {most}")
    return numbers


def _moment(text: str) -> datetime:
    try:
        return datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S" if "T" in text else "%Y%m%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise RecurrenceError(f"UNTIL={text} is not a day of the calendar") from error
