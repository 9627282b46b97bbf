"""A page as HTML that needs nothing else: no script, no address, one sheet of styles within."""

from __future__ import annotations

from html import escape
from pathlib import Path
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
    from collections.abc import Iterable

    from policies.report.blocks import Block

_STYLES: Final = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_SHORT: Final = 30
"""Characters of a name that is not broken, for want of room, where it has a hyphen."""
_WHOLE: Final = ' class="whole"'
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""The policy of what a browser may load: nothing, so that no name in a report can make it ask anybody for anything."""


def as_html(page: Page) -> str:
    """The page, ending with a line break."""
    title = _text(page.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>\n{_STYLES}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f"{_written(page.blocks)}</main>\n</body>\n</html>\n"
    )


def _written(blocks: Iterable[Block]) -> str:
    return "".join(f"{_block(block)}\n" for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Verdict():
            inside = f"<p>{_text(block.title)}</p>{_list(block.lines) if block.lines else ''}"
            return f'<section class="verdict {block.tone.value}">{inside}</section>'
        case Paragraph():
            return f"<p>{_line(block.line)}</p>"
        case Bullets():
            return _list(block.lines)
        case Table():
            return _table(block)
        case Verbatim():
            return f"<pre>{_verbatim(block)}</pre>"
        case Folded():
            return f"<details><summary>{_text(block.title)}</summary>\n{_written(block.blocks)}</details>"
        case Group():
            return _group(block)


def _group(block: Group) -> str:
    head = f'<h2 class="{block.tone.value}">{_text(block.title)}</h2>'
    wide = " wide" if block.is_wide else ""
    return f'<section class="group{wide}">\n{head}\n{_written(block.blocks)}</section>'


def _list(lines: Iterable[Line]) -> str:
    return f"<ul>{''.join(f'<li>{_line(line)}</li>' for line in lines)}</ul>"


def _table(block: Table) -> str:
    def row(cells: Iterable[str], tag: str) -> str:
        marked = ((' class="right"' if index in block.right else "", cell) for index, cell in enumerate(cells))
        return f"<tr>{''.join(f'<{tag}{mark}>{cell}</{tag}>' for mark, cell in marked)}</tr>"

    head = row((_text(cell) for cell in block.header), "th")
    body = "\n".join(row((_line(cell) for cell in each), "td") for each in block.rows)
    return f'<div class="table"><table><thead>{head}</thead><tbody>\n{body}\n</tbody></table></div>'


def _verbatim(block: Verbatim) -> str:
    shown = [visible(line) for line in block.text.split("\n")]
    lines = (_diff_line(line) if block.language == "diff" else escape(line) for line in shown)
    return "\n".join(lines)


def _diff_line(line: str) -> str:
    tone = {"+": Tone.GOOD, "-": Tone.BAD, "@": Tone.STRONG}.get(line[:1])
    return escape(line) if tone is None else f'<span class="{tone.value}">{escape(line)}</span>'


def _line(line: Line) -> str:
    return "".join(_span(span) for span in line)


def _span(span: Span) -> str:
    text = _text(span.text)
    if span.tone is Tone.PLAIN:
        return text
    if span.tone is Tone.NAME:
        return f"<code{_WHOLE if len(span.text) <= _SHORT else ''}>{text}</code>"
    return f'<span class="{span.tone.value}">{text}</span>'


def _text(text: str) -> str:
    return escape(visible(text))
