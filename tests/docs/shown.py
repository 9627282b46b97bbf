"""Whether a command printed what a document shows.

The lines that are shown occur in the output in their order, with others between them. `...` stands for anything, in a
line or as one. What differs from run to run is not compared: times, ids, and how wide a column is.
"""

from __future__ import annotations

import re
from typing import Final

_VARYING: Final = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"(?<![\w.])[+]?\d+(?:\.\d+)?(?:ms|s|m|h|d)(?![\w.])"), "<time>"),
    (re.compile(r"(?<![\w.])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?"), "<moment>"),
    (re.compile(r"(?<![\w])[0-9a-f]{8}(?![\w])"), "<id>"),
    (re.compile(r"(?<=[a-z0-9>]-)(?=[a-z]*\d)[a-z0-9]{4,5}(?![\w-])"), "<id>"),
    (re.compile(r"[ \t]+"), " "),
)
_ANYTHING: Final = "..."


def plain(line: str) -> str:
    """A line without what differs from run to run."""
    for pattern, stands_for in _VARYING:
        line = pattern.sub(stands_for, line)
    return line.strip()


def missing_line(shown: str, printed: str) -> str | None:
    """The first line that is shown and was not printed after those before it; None where all were."""
    waiting = iter([plain(line) for line in printed.splitlines()])
    for line in shown.splitlines():
        wanted = plain(line)
        if wanted in ("", _ANYTHING):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split(_ANYTHING)))
        if not any(pattern.fullmatch(each) for each in waiting):
            return line
    return None
