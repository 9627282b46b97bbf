"""The simple commands of a shell script, without running it.

Quoting, comments, redirections and the operators between commands are read as a POSIX shell would. Words that only a
shell can expand (variables, command substitution) are marked, and a loop, branch or function is one command that is not
understood. Here-documents are not read at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUBSTITUTION: Final = r"\$\( (?: [^()] | \( (?: [^()] | \([^()]*\) )* \) )* \)"
_WORD: Final = rf"""(?: {_SUBSTITUTION} | [^\s;&|()<>'"\\] | \\. | '[^']*' | "(?: [^"\\] | \\. )*" )+"""
_TOKEN: Final = re.compile(
    rf"""
    (?P<blank> (?: [ \t\r] | \\\n )+ | \#[^\n]* )
  | (?P<redirect> (?: &>>? | \d*(?: >> | >& | >\| | <> | <& | > | <(?!<) ) ) [ \t]* {_WORD} )
  | (?P<operator> \n | && | \|\| | ;; | [;&|()] )
  | (?P<word> {_WORD} )
    """,
    re.VERBOSE | re.DOTALL,
)
_JOINING: Final = frozenset({"&", "&&", "|", "||"})
_PART: Final = re.compile(
    r"""'(?P<single>[^']*)' | "(?P<double>(?:[^"\\]|\\.)*)" | \\(?P<escaped>.) | (?P<plain>.)""", re.VERBOSE | re.DOTALL
)
_ESCAPE_IN_QUOTES: Final = re.compile(r'\\([$`"\\\n])')
_EXPANSION: Final = re.compile(r"(?<!\\)[$`]")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_OPENING: Final = frozenset({"case", "for", "function", "if", "select", "until", "while", "{"})
_CLOSING: Final = frozenset({"done", "esac", "fi", "}"})
_LEADING: Final = frozenset({"do", "elif", "else", "then", "!"})
"""Words after which a command begins."""


class ShellSyntaxError(Exception):
    """The script cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A simple command, or a compound one that is not taken apart."""

    operator: str
    """The operator before it: `;` (also for a new line), `&`, `|`, `&&`, `||`."""
    words: tuple[str, ...]
    """Program and arguments, quotes removed; empty for a compound command."""
    text: str
    """Its source text."""
    is_literal: bool
    """Whether the words are all that the command depends on: nothing in them is expanded."""
    is_shown: bool
    """Whether its standard output goes to the script's own."""


@dataclass(slots=True)
class _Collected:
    """The tokens between two operators."""

    operator: str
    start: int
    end: int = 0
    words: list[str] = field(default_factory=list[str])
    """Their source text."""
    redirects: list[str] = field(default_factory=list[str])


def commands(script: str) -> list[Command]:
    """The commands in their order.

    Raises:
        ShellSyntaxError: a quote is not closed, or there is a here-document in it.
    """
    found: list[Command] = []
    pieces = list(_pieces(script))
    while pieces:
        piece = pieces.pop(0)
        depth = _depth(piece)
        last = piece
        while depth > 0 and pieces:
            last = pieces.pop(0)
            depth += _depth(last)
        text = script[piece.start : last.end]
        is_piped = bool(pieces) and pieces[0].operator == "|"
        simple = piece if last is piece and _depth(piece) == 0 else None
        found.append(_command(piece.operator, text, simple, is_piped=is_piped))
    return found


def _command(operator: str, text: str, simple: _Collected | None, *, is_piped: bool) -> Command:
    raw = simple.words if simple is not None else []
    program = next((index for index, word in enumerate(raw) if not _ASSIGNMENT.fullmatch(word)), len(raw))
    goes_elsewhere = simple is not None and any(each.lstrip("1").startswith((">", "&>")) for each in simple.redirects)
    return Command(
        operator=operator,
        words=tuple(_unquoted(word) for word in raw[program:]) if simple is not None else (),
        text=text,
        is_literal=simple is not None and not any(_is_expanded(word) for word in raw[program:]),
        is_shown=not is_piped and not goes_elsewhere,
    )


def _pieces(script: str) -> Iterator[_Collected]:
    """The pieces between operators; empty pieces are left out."""
    piece = _Collected(";", 0)
    for token in tokens(script):
        match token.lastgroup:
            case "operator":
                operator = token.group() if token.group() in _JOINING else ";"
                if piece.words:
                    yield piece
                    piece = _Collected(operator, token.end())
                elif operator != ";":
                    piece.operator = operator
            case "redirect":
                piece.redirects.append(token.group())
                piece.end = token.end()
            case _:
                piece.start = piece.start if piece.words else token.start()
                piece.words.append(token.group())
                piece.end = token.end()
    if piece.words:
        yield piece


def tokens(script: str) -> Iterator[re.Match[str]]:
    """Words, redirections and operators; blanks and comments are left out."""
    position = 0
    while position < len(script):
        match = _TOKEN.match(script, position)
        if match is None:
            raise ShellSyntaxError(script[position:].partition("\n")[0])
        position = match.end()
        if match.lastgroup != "blank":
            yield match


def _depth(piece: _Collected) -> int:
    """How many compound commands the piece opens, less those that it closes."""
    words = iter(piece.words)
    first = next((word for word in words if word not in _LEADING), "")
    return (first in _OPENING) - (first in _CLOSING)


def _unquoted(word: str) -> str:
    parts: list[str] = []
    for match in _PART.finditer(word):
        if match["double"] is not None:
            parts.append(_ESCAPE_IN_QUOTES.sub(r"\1", match["double"]))
        else:
            parts.append(next(part for part in match.group("single", "escaped", "plain") if part is not None))
    return "".join(parts)


def _is_expanded(word: str) -> bool:
    return any(_EXPANSION.search(match.group()) for match in _PART.finditer(word) if match["single"] is None)
