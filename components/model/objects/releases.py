"""Helm releases of other programs: which chart, of which version, and whether the version is one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from components.model.objects.world import Object

_EXACT: Final = re.compile(r"v?(\d{1,9}\.\d{1,9}\.\d{1,9})([-+][0-9A-Za-z.+-]+)?")
_LOCAL: Final = ("./", "../", "/", "~")


def chart_of(release: Object) -> str | None:
    """The chart's name, without where it is had from; None where none is stated.

    Raises:
        UndecidedError, MalformedError: it cannot be read.
    """
    chart = release.text("chart")
    return None if chart is None else chart.rstrip("/").rpartition("/")[2]


def is_fetched(release: Object) -> bool:
    """Whether the chart is had from a repository by name and version; one in files or at an address is what it is.

    Raises:
        UndecidedError, MalformedError: it cannot be read.
    """
    chart = release.string("chart")
    return bool(chart) and not chart.startswith(_LOCAL) and not chart.endswith(".tgz")


def exact_version(release: Object) -> str | None:
    """The version, such as `0.16.2`, where exactly one is stated.

    Raises:
        UndecidedError, MalformedError: it cannot be read.
    """
    match = _EXACT.fullmatch(release.string("version"))
    return None if match is None else match[1]
