"""Keeps a text within a limit: it leaves parts out, and never cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.report.contents import page_of
from policies.report.limits import LEVELS
from policies.report.markdown import as_markdown
from policies.report.page import as_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from policies.report.blocks import Page
    from policies.report.contents import Report
    from policies.report.limits import Limits

CHARACTERS: Final = 60_000
"""Of the Markdown. A comment on GitHub holds 65,536; the rest is left to whoever writes something around it."""


class TooLongError(Exception):
    """Even the shortest page is longer than the limit."""


def markdown_of(report: Report, limit: int = CHARACTERS) -> str:
    """The fullest report in Markdown that is no longer than the limit.

    Raises:
        TooLongError: there is none.
    """
    return fullest(lambda limits: page_of(report, limits), limit)


def fullest(page: Callable[[Limits], Page], limit: int = CHARACTERS) -> str:
    """The fullest page in Markdown that is no longer than the limit; `page` writes it within other limits.

    Raises:
        TooLongError: there is none.
    """
    for limits in LEVELS:
        text = as_markdown(page(limits))
        if len(text) <= limit:
            return text
    raise TooLongError(f"the shortest page has more than {limit} characters")


def html_of(report: Report) -> str:
    """The fullest report, as a page."""
    return as_html(page_of(report, LEVELS[0]))
