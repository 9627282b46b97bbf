"""The HTML file around pictures and tables: everything is within, and it follows the reader's light or dark scheme."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tpu.pictures.axis import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STYLES: Final = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load: nothing, so that no name in a record can make it ask anybody for anything."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with a picture, a table and remarks."""

    title: str
    picture: str = ""
    """SVG."""
    rows: Sequence[Sequence[str]] = ()
    """A table; its first row is the header."""
    remarks: Sequence[str] = ()


def page(title: str, sections: Iterable[Section]) -> str:
    """The file, ending with a line break."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>\n{_STYLES}</style>\n</head>\n<body>\n<main>\n<h1>{text(title)}</h1>\n"
        f"{''.join(map(_section, sections))}</main>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    remarks = "".join(f"<p>{text(each)}</p>\n" for each in section.remarks)
    picture = f"{section.picture}\n" if section.picture else ""
    return f"<section>\n<h2>{text(section.title)}</h2>\n{picture}{_table(section.rows)}{remarks}</section>\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head, *body = (_row(row, "td" if index else "th") for index, row in enumerate(rows))
    return f'<div class="table"><table><thead>{head}</thead><tbody>\n{"".join(body)}</tbody></table></div>\n'


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{text(cell)}</{tag}>' for cell in cells)}</tr>\n"
