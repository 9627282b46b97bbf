"""What `.gitignore` files leave out, by the patterns of https://git-scm.com/docs/gitignore."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

_PARTS: Final = re.compile(
    r"(?P<deep>\*\*/)|(?P<rest>\*\*$)|(?P<star>\*+)|(?P<one>\?)|(?P<set>\[!?\]?[^\]]*\])|\\?(?P<char>.)"
)


class Pattern(Struct, frozen=True):
    """One line of a `.gitignore`."""

    folder: str
    """The folder of the file, with `/` at its end; empty for the folder that the paths are relative to."""
    path: re.Pattern[str]
    """Of the rest of a path below the folder."""
    is_negated: bool
    is_of_folders: bool


def patterns(folder: str, text: str) -> tuple[Pattern, ...]:
    """The patterns of a `.gitignore` in `folder`, with `/` at its end or empty; lines that mean nothing are skipped."""
    return tuple(each for line in text.splitlines() if (each := _pattern(folder, line)) is not None)


def is_ignored(path: str, known: Iterable[Pattern], *, is_folder: bool) -> bool:
    """Whether git leaves out `path`; of several patterns that match it the last one decides."""
    verdict = False
    for each in known:
        if (is_folder or not each.is_of_folders) and path.startswith(each.folder):
            verdict = (not each.is_negated) if each.path.fullmatch(path, len(each.folder)) else verdict
    return verdict


def _pattern(folder: str, line: str) -> Pattern | None:
    stated = re.sub(r"(?<!\\)\s+$", "", line)
    is_negated = stated.startswith("!")
    body = stated[is_negated:]
    bare = body.rstrip("/")
    if not bare or body.startswith("#"):
        return None
    anywhere = "" if "/" in bare else "(?:.*/)?"
    try:
        path = re.compile(anywhere + "".join(_regex(part) for part in _PARTS.finditer(bare.removeprefix("/"))))
    except re.error:
        return None
    return Pattern(folder, path, is_negated, is_of_folders=body.endswith("/"))


def _regex(part: re.Match[str]) -> str:
    known = {"deep": "(?:.*/)?", "rest": ".+", "star": "[^/]*", "one": "[^/]"}
    kind, found = str(part.lastgroup), part.group(str(part.lastgroup))
    if kind == "set":
        return "[^" + found[2:] if found.startswith("[!") else found
    return known.get(kind) or re.escape(found)
