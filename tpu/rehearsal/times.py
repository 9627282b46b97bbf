"""Durations as people write and read them."""

from __future__ import annotations

import re
from typing import Final

_SECONDS: Final = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_SHOWN: Final = {"d": "d", "h": "h", "m": "min", "s": "s"}
_PART: Final = re.compile(r"([0-9]+)([wdhms])")
_FORM: Final = re.compile(rf"(?:{_PART.pattern})+")


def seconds_in(text: str) -> int:
    """The seconds of a duration.

    >>> seconds_in("4h"), seconds_in("1h30m"), seconds_in("2d")
    (14400, 5400, 172800)

    Raises:
        ValueError: it is not a duration, or is not above 0.
    """
    found = sum(int(many) * _SECONDS[unit] for many, unit in _PART.findall(text)) if _FORM.fullmatch(text) else 0
    if not found:
        raise ValueError(f"{text} is not a duration. Valid: 4h, 90m, 1h30m, 2d")
    return found


def spoken(seconds: int) -> str:
    """A duration in its two largest units.

    >>> spoken(0), spoken(59), spoken(5400), spoken(7205), spoken(200_000)
    ('0 s', '59 s', '1 h 30 min', '2 h', '2 d 7 h')
    """
    parts: list[str] = []
    for unit, shown in _SHOWN.items():
        many, seconds = divmod(seconds, _SECONDS[unit])
        if parts or many:
            parts.append(f"{many} {shown}" if many else "")
    return " ".join(each for each in parts[:2] if each) or "0 s"
