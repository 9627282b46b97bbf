"""A page as Markdown for a comment on GitHub, within its length: the first rows of each part, and a link to all.

What comes from anybody must not become markup, mention a person, or point to an issue: outside of code every character
that means something is escaped, and what GitHub links by itself is broken up with an empty comment. The page in HTML
has all rows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import structs

from components.model.stack_file.report import visible
from policies.report.blocks import (
    Bullets,
    Folded,
    Group,
    Line,
    Page,
    Paragraph,
    Span,
    Table,
    Tone,
    Verbatim,
    Verdict,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from policies.report.blocks import Block


_ALERTS: Final = {Tone.GOOD: "TIP", Tone.PLAIN: "NOTE", Tone.WARNING: "WARNING", Tone.BAD: "CAUTION"}
"""GitHub's own boxes."""
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$])")
_OPENING: Final = re.compile(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[-+=#]))")
"""The characters that make a list or a heading at the beginning of a line."""
_LINKED: Final = re.compile(r"([@#])(?=\w)|(?<=\w)(://)|(\bGH-)(?=\d)|(\bwww\.)")
_STRONG: Final = frozenset({Tone.STRONG, Tone.BAD, Tone.WARNING, Tone.MORE, Tone.LESS})
_ARROWS: Final = {Tone.MORE: "▲ ", Tone.LESS: "▼ "}


def as_markdown(page: Page) -> str:
    """The page, ending with a line break."""
    return "\n".join([f"## {_escaped(page.title)}", "", *_written(page.blocks)]).rstrip("\n") + "\n"


def _written(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from _block(block)
        yield ""


def _block(block: Block) -> Iterable[str]:
    match block:
        case Verdict():
            return _verdict(block)
        case Paragraph():
            return [_line(block.line)]
        case Bullets():
            return [f"- {_line(line)}" for line in block.lines]
        case Table():
            return _table(block)
        case Verbatim():
            return _verbatim(block)
        case Folded():
            return [f"<details><summary>{_html(block.title)}</summary>", "", *_written(block.blocks), "</details>"]
        case Group():
            return [f"### {_escaped(block.title)}", "", *_written(block.blocks)]


def _verdict(block: Verdict) -> Iterator[str]:
    yield f"> [!{_ALERTS[block.tone]}]"
    yield f"> **{_escaped(block.title)}**"
    if block.lines:
        yield ">"
    yield from (f"> - {_line(line)}" for line in block.lines)


def _table(block: Table) -> Iterator[str]:
    yield f"| {' | '.join(_escaped(cell) for cell in block.header)} |"
    yield f"|{'|'.join('--:' if index in block.right else '---' for index in range(len(block.header)))}|"
    yield from (f"| {' | '.join(_line(cell) for cell in row)} |" for row in block.rows)


def _verbatim(block: Verbatim) -> list[str]:
    longest = max((len(found) for found in re.findall(r"`+", block.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{block.language}", *(visible(line) for line in block.text.split("\n")), fence]


def _line(line: Line) -> str:
    return _OPENING.sub(r"\1\\", "".join(_span(span) for span in line))


def _span(span: Span) -> str:
    if span.tone is Tone.NAME:
        return _code(span.text)
    text = _escaped(span.text)
    inside = text.strip()
    if span.tone not in _STRONG or not inside:
        return text
    before, _, after = text.partition(inside)
    return f"{before}{_ARROWS.get(span.tone, '')}**{inside}**{after}"


def _code(text: str) -> str:
    """Text as code, where nothing means anything but the bar of a table and the backtick itself."""
    shown = visible(text).replace("|", "\\|")
    longest = max((len(found) for found in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{shown}{space}{fence}" if shown.strip() else ""


def _escaped(text: str) -> str:
    """Text that is shown as it is, in one line."""
    marked = _SPECIAL.sub(r"\\\1", _html(text))
    return _LINKED.sub(lambda found: f"{found[0][:1]}<!-- -->{found[0][1:]}", marked)


def _html(text: str) -> str:
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


CHARACTERS: Final = 60_000
"""The limit of the text. A comment on GitHub holds 65,536; the rest is left to whoever writes something around it."""
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
