"""A page as Markdown for a comment on GitHub.

What comes from anybody must not become markup, mention a person, or point to an issue: outside of code every character
that means something is escaped, and what GitHub links by itself is broken up with an empty comment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

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
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from policies.report.blocks import Block

_ALERTS: Final = {Tone.GOOD: "TIP", Tone.PLAIN: "NOTE", Tone.WARNING: "WARNING", Tone.BAD: "CAUTION"}
"""GitHub's own boxes."""
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$])")
_OPENING: Final = re.compile(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[-+=#]))")
"""What makes a list or a heading at the beginning of a line."""
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
