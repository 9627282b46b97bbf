"""The part of a report about those who queue: what `tpu rehearse --format json` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from policies.report.blocks import Block, Bullets, Folded, Group, Page, Paragraph, Table, plain
from policies.report.events import UnreadableError, text_in
from policies.report.markdown import as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


REFUSED: Final = "refused"
"""The key that says why there is no rehearsal."""
_TITLE: Final = "Those who queue"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    title: str
    rows: list[list[str]]
    """The first one is the header."""


class Rehearsed(BaseModel):
    """The words of a rehearsal."""

    model_config = ConfigDict(frozen=True, strict=True)

    refused: str = ""
    heading: str = ""
    sentences: list[str] = []
    tables: list[_Table] = []
    check: str = ""
    remarks: list[str] = []


def rehearsed_in(file: Path) -> Rehearsed:
    """The contents of a file; an empty one is of a command that was interrupted.

    Raises:
        OSError: it cannot be read.
        UnreadableError: it is not the output of `tpu rehearse --format json`.
    """
    text = text_in(file)
    if not text.strip():
        return Rehearsed(refused="the command ended without a result; its own output says why")
    try:
        return Rehearsed.model_validate_json(text)
    except ValidationError as error:
        raise UnreadableError(f"{file}: it is not the output of tpu rehearse --format json") from error


def blocks(found: Rehearsed | None) -> Iterator[Block]:
    """The part; nothing where nobody rehearsed."""
    if found is None:
        return
    if found.refused:
        yield Group(_TITLE, (Paragraph(plain("No rehearsal: ", found.refused)),), is_wide=True)
        return
    said: list[Block] = [
        Paragraph(plain(f"{found.heading}.")),
        Bullets(tuple(plain(each) for each in found.sentences)),
        *(_table(each) for each in found.tables),
        Paragraph(plain(found.check)),
        Folded("Remarks on the rehearsal", (Bullets(tuple(plain(each) for each in found.remarks)),)),
    ]
    yield Group(_TITLE, tuple(said), is_wide=True)


def _table(table: _Table) -> Table:
    header, *rows = table.rows
    shown = [tuple(plain(*(("", cell) if not column else (cell,))) for column, cell in enumerate(row)) for row in rows]
    return Table(tuple(header), tuple(shown), right=tuple(range(1, len(header))))


def markdown_of(found: dict[str, Any]) -> str:
    """The same part as a page of its own."""
    read = Rehearsed.model_validate(found)
    return as_markdown(Page("Rehearsal", tuple(blocks(read))))
