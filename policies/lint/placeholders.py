"""Values that somebody fills in before a file is applied: they are not known, unless the call states them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from policies.objects.values import PLACEHOLDER, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Mapping


_ONE: Final = (
    r"\$\{[^}\n]*\}|\$[A-Za-z_]\w*|<[A-Za-z][^<>\n]*>|\{\{[^\n]*?\}\}|\bYOUR[_-]\w+|\bREPLACE[_-]\w+|\bCHANGE_?ME\b"
    r"|@[A-Za-z_]\w*@|%%[A-Za-z_]\w*%%|__[A-Z][A-Z0-9_]*__|\{[A-Z][A-Z0-9_]+\}"
)
_INSIDE: Final = re.compile(_ONE)
_WHOLE: Final = re.compile(rf"\s*(?:{_ONE})\s*")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*")
_IN_IMAGE: Final = re.compile(r"(?:^|[/.])[A-Z][A-Z0-9_-]+(?=[./:@]|$)|:[A-Z]+_[A-Z_]+$|:(?:TAG|VERSION)$")
_MARKS: Final = ("$", "<", "{", "%%", "@", "__", "YOUR", "REPLACE", "CHANGE")
_CAPITAL_WORD: Final = re.compile(r"[\s:\"'/\[][A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*[\"',/:\]}]*\s")
"""A text with a placeholder contains one of the marks, or such a word."""
_BRACED: Final = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*")
"""A key that stands alone in braces: with an underscore, as a mapping may have short keys without a value."""
_PROGRAMS: Final = frozenset(
    {"command", "args", "data", "stringData", "binaryData", "annotations", "value", "description"}
)
"""Fields whose values belong to programs, which may write `$HOME`: a placeholder there is the whole value."""
_NAMES: Final = frozenset(
    {"name", "namespace", "generateName", "clusterQueue", "cohort", "cohortName", "parentName", "serviceAccountName"}
    | {"priorityClassName", "claimName", "secretName", "subdomain", "volumeHandle", "schedule", "ip", "project"}
    | {"parallelism", "completions", "replicas", "size", "numOfHosts", "backoffLimit", "maxRestarts", "nominalQuota"}
    | {"borrowingLimit", "lendingLimit", "google.com/tpu", "nvidia.com/gpu", "cpu", "memory", "storage", "topology"}
    | {"job-name"}
)
"""Fields whose values contain no capitals, or are numbers."""
_PREFIXES: Final = ("cloud.google.com/", "kueue.x-k8s.io/")
_STATE: Final = "-state"
"""How labels of GKE end whose values are in capitals."""
_IDENTITY: Final = frozenset({"apiVersion", "kind"})
_OF_PROGRAMS: Final = frozenset({"env", "parameters", "headers", "httpHeaders", "variables"})
"""Lists of things with a name of any form."""


def may_have_some(text: str) -> bool:
    """Whether it is worth looking for placeholders in the values of a text."""
    return any(mark in text for mark in _MARKS) or _CAPITAL_WORD.search(text) is not None


def filled(value: Value, key: str = "", outer: str = "") -> Value:
    """The value with an unknown value for each placeholder.

    `key` is the name of the nearest field around it, `outer` that of the field around that.
    """
    if isinstance(value, str):
        return Unknown(PLACEHOLDER, value) if _is_placeholder(value, key, outer) else value
    if isinstance(value, list):
        return [filled(each, key, outer) for each in value]
    if not isinstance(value, dict):
        return value
    if _is_braced(value):
        return Unknown(PLACEHOLDER, f"{{{next(iter(value))}}}")
    is_named = key not in _PROGRAMS
    return {name: filled(each, name if is_named else key, key) for name, each in value.items()}


def _is_braced(value: Mapping[str, Value]) -> bool:
    """Whether a mapping is `{NAME}`, as programs that format text have it: YAML reads a key without a value."""
    key = next(iter(value)) if len(value) == 1 else ""
    return bool(key) and value[key] is None and _BRACED.fullmatch(key) is not None


def _is_placeholder(value: str, key: str, outer: str) -> bool:
    if key in _IDENTITY:
        return False
    if key in _PROGRAMS:
        return _WHOLE.fullmatch(value) is not None
    if _INSIDE.search(value):
        return True
    if key == "image":
        return _IN_IMAGE.search(value) is not None
    is_label = key.startswith(_PREFIXES) and not key.endswith(_STATE)
    has_form = (key in _NAMES and outer not in _OF_PROGRAMS) or is_label
    return has_form and _CAPITALS.fullmatch(value) is not None


def stated(text: str, values: Mapping[str, str]) -> str:
    """The text with the values in the place of their placeholders, as `envsubst` and `sed` would write it."""
    if not values:
        return text
    name = "|".join(re.escape(each) for each in sorted(values, key=len, reverse=True))
    forms = (
        rf"\$\{{({name})(?::?-[^}}\n]*)?\}}|\$({name})\b|<({name})>|\{{({name})\}}|\{{\{{\s*({name})\s*\}}\}}"
        rf"|@({name})@|%%({name})%%|(?<![\w$({{.-])(?<!name: )({name})(?![\w-])"
    )
    return re.sub(forms, lambda found: values[next(each for each in found.groups() if each is not None)], text)


class ValuesError(Exception):
    """A value for a placeholder is not written as NAME=value."""


def values_in(lines: list[str], where: str) -> dict[str, str]:
    """The values that lines of the form NAME=value state, as in a `.env`; comments and empty lines state none.

    Raises:
        ValuesError: a line has another form.
    """
    found = dict[str, str]()
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        name, sign, value = bare.removeprefix("export ").partition("=")
        if not sign or not re.fullmatch(r"[A-Za-z_]\w*", name.strip()):
            raise ValuesError(f"{where}: {bare!r} is not NAME=value")
        is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        found[name.strip()] = value[1:-1] if is_quoted else value
    return found
