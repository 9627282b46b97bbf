"""Differences between two property bags, path by path, as Pulumi writes paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.providers.base import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.providers.values import Value

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def changes_between(old: Value, new: Value, path: str = "") -> Iterator[tuple[str, Change]]:
    """Every leaf at which `new` differs from `old`, with its path (`spec.ports[0].name`, `metadata.labels["a/b"]`).

    Lists are compared item by item, an unknown value differs from everything.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _between(old.get(key), new.get(key), member(path, key), (key in old, key in new))
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            one = old[index] if index < len(old) else None
            other = new[index] if index < len(new) else None
            yield from _between(one, other, f"{path}[{index}]", (index < len(old), index < len(new)))
    elif old != new or type(old) is not type(new):
        yield path, Change.UPDATE


def member(path: str, key: str) -> str:
    """The path of `key` below `path`."""
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f'{path}["{key}"]'


def is_within(path: str, root: str) -> bool:
    """Whether `path` is `root` or below it.

    >>> is_within("spec.ports[0].name", "spec.ports"), is_within("spec.portsNamed", "spec.ports")
    (True, False)
    """
    return path == root or path.startswith((f"{root}.", f"{root}["))


def _between(old: Value, new: Value, path: str, present: tuple[bool, bool]) -> Iterator[tuple[str, Change]]:
    match present:
        case (False, True):
            yield path, Change.ADD
        case (True, False):
            yield path, Change.DELETE
        case _:
            yield from changes_between(old, new, path)
