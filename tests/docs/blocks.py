"""Reads the fenced blocks of the documents, with the notes above them, and the commands that stand in prose.

A note is an HTML comment on the line above a block, `<!-- exit: 1 -->`; `NOTES` says which there are. The reader of the
rendered page does not see it.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMMANDS: Final = "sh"
CLOUD: Final = "sh cloud"
OUTPUT: Final = ""
YAML: Final = "yaml"
PICTURE: Final = "mermaid"
LANGUAGES: Final = frozenset({COMMANDS, CLOUD, OUTPUT, YAML, PICTURE, "diff", "json", "python"})
"""What blocks are of; whatever stands in one of another language, no test would look at."""
NOTES: Final[Mapping[str, tuple[str, str]]] = {
    "exit": (COMMANDS, "the exit code of each command; 0 without it"),
    "given": (COMMANDS, "a file of the project that is copied into the folder before the first command"),
    "also in": (CLOUD, "`the simulator`, where the commands are run all the same"),
    "printed by": (OUTPUT, "`the commands above`, where a text stands between"),
    "edit": (YAML, "a stack file of the walk, into which the fragment is merged"),
    "stack": (YAML, "the committed stack that the fragment is merged into; dev without it"),
    "part of": (YAML, "the committed stack that has the fragment already"),
    "refused": (YAML, "`yes` where the platform is refused; the block that follows is what is told"),
    "not of": (YAML, "`a stack file`"),
}
"""For blocks of which language, and what it says."""
_FENCE: Final = re.compile(r"(?P<indent> *)```(?P<language>[^`]*)")
_COMMENT_ABOVE: Final = re.compile(r"^ *(<!--(?!.*-->.*\S).*)\n+(?= *(?:```|~~~))", re.MULTILINE)
"""A comment on the last line before a block that is not empty."""
_OTHER_FENCE: Final = re.compile(r"^[ >]*(?:~~~|````|(?:> *)+```|<pre\b|<code\b).*", re.MULTILINE)
"""Other ways to write a block, which are not read here."""
_NOTE: Final = re.compile(r" *<!-- (?P<name>[a-z ]+): (?P<value>.+) -->")
_SPAN: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_COMMENT: Final = re.compile(r"(?:^|\s+)#\s.*$")
_GOLDEN: Final = "golden"
"""Folders of what commands are to print, Markdown too."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    document: str
    """Path from the project's folder."""
    line: int
    """Number of the line of its opening fence."""
    language: str
    text: str
    notes: Mapping[str, str] = field(hash=False)
    follows: bool
    """Nothing but empty lines stands between it and the block before."""

    @property
    def where(self) -> str:
        """Its place for a message."""
        return f"{self.document}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """What a reader types, one command each: continued lines joined, comments left out."""
        joined = self.text.replace("\\\n", " ")
        lines = (" ".join(_COMMENT.sub("", line).split()) for line in joined.splitlines())
        return [line for line in lines if line]


@cache
def documents() -> tuple[str, ...]:
    """Every Markdown file of the project that somebody reads, by its path from the project's folder."""
    paths = [path.relative_to(ROOT) for path in tracked("**/*.md")]
    return tuple(str(path) for path in paths if _GOLDEN not in path.parts)


@cache
def blocks(document: str) -> tuple[Block, ...]:
    """The blocks of a document of the project, from top to bottom."""
    return tuple(blocks_of(document, text_of(document)))


def blocks_of(document: str, text: str) -> Iterator[Block]:
    """The blocks of a Markdown text, from top to bottom; one that is not closed is an error."""
    lines = text.splitlines()
    number, notes, follows = 0, dict[str, str](), False
    while number < len(lines):
        line = lines[number]
        if opened := _FENCE.fullmatch(line):
            start, fence = number, f"{opened['indent']}```"
            number += 1
            while number < len(lines) and lines[number] != fence:
                number += 1
            assert number < len(lines), f"{document}:{start + 1}: the block does not end"
            inside = textwrap.dedent("\n".join(lines[start + 1 : number]))
            yield Block(document, start + 1, opened["language"].strip(), inside, notes, follows)
            notes, follows = {}, True
        elif noted := _NOTE.fullmatch(line):
            notes[noted["name"]] = noted["value"]
        elif line.strip():
            notes, follows = {}, False
        number += 1


def unread(text: str) -> Iterator[str]:
    """What would be a block or a note to whoever writes a Markdown text, and is none to `blocks_of`."""
    yield from (found[0].strip() for found in _OTHER_FENCE.finditer(text))
    yield from (found[1] for found in _COMMENT_ABOVE.finditer(text) if _NOTE.fullmatch(found[1]) is None)


@cache
def spans(document: str) -> tuple[str, ...]:
    """What stands between single backquotes in the prose of a document, on one line each."""
    return tuple(spans_of(text_of(document)))


def spans_of(text: str) -> Iterator[str]:
    """What stands between single backquotes in prose and tables; a span may go on in the next line."""
    prose: list[str] = []
    is_inside = False
    for line in text.splitlines():
        if _FENCE.fullmatch(line):
            is_inside = not is_inside
        prose.append("" if is_inside else line.replace("```", ""))
    for paragraph in "\n".join(prose).split("\n\n"):
        for span in _SPAN.finditer(paragraph):
            yield " ".join(span[1].replace("\\|", "|").split())


def text_of(document: str) -> str:
    """The text of a document."""
    return (ROOT / document).read_text(encoding="utf-8")
