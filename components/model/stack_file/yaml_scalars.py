"""The engine's reading of a plain YAML scalar, so that the text of a stack file can be compared with what it passed.

The engine reads YAML with Go's yaml.v3, whose rules are neither YAML 1.1 nor 1.2 to the letter: `on` and `1:30` are
text, `1e3` and `09` are numbers, `0o17`, `017` and `0x10` too. PyYAML's own rules differ in each of these.

Source: gopkg.in/yaml.v3 3.0.1 `resolve.go`, which Pulumi 3.250 uses; read 2026-11 and run beside this.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from typing import Final

Scalar = str | int | float | bool | None

_CONSTANTS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_BASES: Final = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
    (re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (re.compile(r"[-+]?(0|[1-9][0-9]*)"), 10),
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?")
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?(?:(Z)|([-+])(\d\d):(\d\d))?)?"
)
_WHOLE_FLOATS: Final = 1e21
"""Below it, Go writes a whole number without an exponent, and JSON does not tell it from an integer."""
_INTEGERS: Final = range(-(2**63), 2**64)
_LONGEST_INTEGER: Final = 100
"""Characters that an integer within those bounds may have, zeros before it included."""
_NUMERIC_STARTS: Final = frozenset("+-.0123456789")
_WORDS: Final = {
    **{word: True for stem in ("y", "yes", "on") for word in (stem, stem.capitalize(), stem.upper())},
    **{word: False for stem in ("n", "no", "off") for word in (stem, stem.capitalize(), stem.upper())},
}


def is_timestamp(text: str) -> bool:
    """Whether the engine may read a plain scalar as a point in time, and pass it on as other text than it was."""
    return _DATE.fullmatch(text) is not None


def passed_timestamp(text: str) -> str:
    """The text that the engine passes on for a plain scalar that `is_timestamp`; what is not a moment stays as it is.

    >>> passed_timestamp("2026-01-03T02:00:00Z"), passed_timestamp("2026-02-30")
    ('2026-01-03 02:00:00 +0000 UTC', '2026-02-30')
    """
    match = _MOMENT.fullmatch(text)
    if match is None:
        return text
    *numbers, fraction, _, sign, hours, minutes = match.groups()
    away = timedelta() if sign is None else timedelta(hours=int(f"{sign}{hours}"), minutes=int(f"{sign}{minutes}"))
    try:
        moment = datetime(*(0 if each is None else int(each) for each in numbers), tzinfo=timezone(away))  # pyright: ignore[reportArgumentType]  six numbers
    except ValueError:
        return text
    part = f".{fraction.rstrip('0')}".rstrip(".") if fraction else ""
    zone = f"{sign}{hours}{minutes}" if sign and away else "+0000"
    return f"{moment:%Y-%m-%d %H:%M:%S}{part} {zone} {'UTC' if zone == '+0000' else zone}"


def passed(value: Scalar) -> Scalar:
    """The value as it is behind the engine's JSON, where 3.0 is 3.

    >>> passed(3.0), passed(0.5), passed(True)
    (3, 0.5, True)
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_FLOATS:
        return int(value)
    return value


def resolve(text: str) -> Scalar:
    """The value of a plain scalar.

    >>> resolve("on"), resolve("1e3"), resolve("0x10"), resolve("1_000")
    ('on', 1000.0, 16, 1000)
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMERIC_STARTS:
        return text
    digits = text if text[0] == "." else text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    number = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    return text if math.isinf(number) else number


def resolve_for_kubernetes(text: str) -> Scalar:
    """The value of a plain scalar in a manifest: there `yes` and `on` are true, as in YAML 1.1.

    Source: go.yaml.in/yaml/v2 2.4.3 `resolve.go`, which sigs.k8s.io/yaml 1.6.0 and with it kubectl use; read 2026-11.

    >>> resolve_for_kubernetes("on"), resolve_for_kubernetes("N"), resolve_for_kubernetes("1e3")
    (True, False, 1000.0)
    """
    word = _WORDS.get(text)
    return resolve(text) if word is None else word


def _integer(text: str) -> int | None:
    if len(text) > _LONGEST_INTEGER:
        return None
    for pattern, base in _BASES:
        if pattern.fullmatch(text):
            value = int(text.replace("o", "").replace("O", "") if base == 8 else text, base)  # noqa: PLR2004  octal
            return value if value in _INTEGERS else None
    return None
