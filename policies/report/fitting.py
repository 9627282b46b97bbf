"""Keeps a page in Markdown within the length of a comment on GitHub: the first rows of each part, and a link to all.

The page in HTML has all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import structs

from policies.report.blocks import Bullets, Folded, Group, Page, Paragraph, Span, Table, Verbatim, Verdict, plain
from policies.report.markdown import as_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from policies.report.blocks import Block, Line

CHARACTERS: Final = 60_000
"""Of the Markdown. A comment on GitHub holds 65,536; the rest is left to whoever writes something around it."""
_ROWS: Final = (200, 60, 20, 4)
"""How many rows a shortened list or table keeps: the first number with which the page fits."""
_TEXT: Final = 10
"""Characters that a shortened text keeps, for each row that a list keeps."""
_Item = TypeVar("_Item")


class TooLongError(Exception):
    """Even the shortest page is longer than the limit."""


def markdown_within(page: Page, whole: str, limit: int = CHARACTERS) -> str:
    """The page in Markdown, no longer than the limit.

    The verdict and the groups that every report must have stay whole as long as everything else can be shortened.

    Args:
        page: with everything.
        whole: Markdown that says where the whole page is; the last paragraph of a shortened one.
        limit: in characters.

    Raises:
        TooLongError: even the first rows of each part are longer.
    """
    text = as_markdown(page)
    if len(text) <= limit:
        return text
    for shortens_all in (False, True):
        for rows in _ROWS:
            blocks = (_short(each, rows) if shortens_all or not _is_needed(each) else each for each in page.blocks)
            text = f"{as_markdown(Page(_cut(page.title, rows), tuple(blocks)))}\nThis page is shortened. {whole}\n"
            if len(text) <= limit:
                return text
    raise TooLongError(f"the shortest page has {len(text):,} characters, more than {limit:,}")


def _is_needed(block: Block) -> bool:
    return isinstance(block, Verdict) or (isinstance(block, Group) and block.is_needed)


def _short(block: Block, rows: int) -> Block:
    match block:
        case Verdict():
            return structs.replace(block, lines=tuple(_short_line(line, rows) for line in block.lines))
        case Paragraph():
            return Paragraph(_short_line(block.line, rows))
        case Bullets():
            return Bullets(tuple(_short_line(line, rows) for line in _first(block.lines, rows, plain)))
        case Table():
            blank = ((),) * (len(block.header) - 1)
            kept = _first(block.rows, rows, lambda more: (plain(more), *blank))
            return structs.replace(block, rows=tuple(tuple(_short_line(cell, rows) for cell in row) for row in kept))
        case Verbatim():
            lines = _first(block.text.split("\n"), rows, str)
            return Verbatim("\n".join(_cut(line, rows) for line in lines), block.language)
        case Folded() | Group():
            return structs.replace(block, blocks=tuple(_short(each, rows) for each in block.blocks))


def _first(items: Sequence[_Item], rows: int, told: Callable[[str], _Item]) -> Sequence[_Item]:
    """The first items; the last one says how many more there are."""
    more = len(items) - rows
    return items if more <= 0 else (*items[:rows], told(f"and {more:,} more"))


def _short_line(line: Line, rows: int) -> Line:
    return tuple(Span(_cut(span.text, rows), span.tone) for span in line)


def _cut(text: str, rows: int) -> str:
    """A text that is not too long; what is left of a longer one says how long it is."""
    most = max(80, _TEXT * rows)
    return text if len(text) <= most else f"{text[:most].rstrip()}... ({len(text):,} characters)"
