"""The words of a shell script with their variables, substitutions and arithmetic put in."""

from __future__ import annotations

import ast
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simulator.pods.shell import ShellSyntaxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PART: Final = re.compile(
    r"""
    '(?P<single>[^']*)'
  | (?P<quote>")
  | \$\(\((?P<sum>.*?)\)\)
  | \$\((?P<command>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)
  | \$\{(?P<name>\w+|[@*#?])(?:(?P<mark>:?[-=+?])(?P<other>[^}]*))?\}
  | \$(?P<short>\w+|[@*#?$!])
  | \\(?P<escaped>.)
  | (?P<plain>[^'"\\$]+|\$)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES_IN_QUOTES: Final = '$`"\\\n'
_VARIABLE: Final = re.compile(r"\$?\{?([A-Za-z_]\w*)\}?")
_SUMS: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda one, other: int(one / other),
    ast.Mod: lambda one, other: one - other * int(one / other),
}
_COMPARED: Final[dict[type[ast.cmpop], Callable[[int, int], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass(frozen=True, slots=True)
class Words:
    """Puts values into words."""

    value: Callable[[str], str | None]
    """Of a variable; None where it is not set."""
    output: Callable[[str], str]
    """Of a script, for `$(...)`."""

    def expand(self, word: str) -> list[str]:
        """The words that a word of the script becomes: none, one or several.

        Raises:
            ShellSyntaxError: it has a part that is not read here.
        """
        fields: list[str] = []
        current: str | None = None
        for text, is_quoted in self._parts(word, is_quoted=False):
            if is_quoted:
                current = (current or "") + text
                continue
            pieces = text.split()
            if current is not None and (not pieces or text[:1].isspace()):
                fields.append(current)
                current = None
            for index, piece in enumerate(pieces):
                if index and current is not None:
                    fields.append(current)
                    current = None
                current = (current or "") + piece
            if pieces and text[-1:].isspace() and current is not None:
                fields.append(current)
                current = None
        return fields if current is None else [*fields, current]

    def text(self, word: str) -> str:
        """A word as one text, as in an assignment.

        Raises:
            ShellSyntaxError: as `expand`.
        """
        return "".join(text for text, _ in self._parts(word, is_quoted=True))

    def _parts(self, word: str, *, is_quoted: bool) -> Iterator[tuple[str, bool]]:
        """The parts of a word, each with whether it stays whole."""
        position = 0
        while position < len(word):
            match = _PART.match(word, position)
            if match is None:
                raise ShellSyntaxError(word)
            position = match.end()
            if match["quote"] is not None:
                inner, position = _quoted(word, position)
                yield "", True
                yield "".join(self._in_quotes(inner)), True
            elif match["single"] is not None:
                yield match["single"], True
            elif match["plain"] is not None and "`" in match["plain"]:
                raise ShellSyntaxError(word)
            elif match["escaped"] is not None or match["plain"] is not None:
                yield match["escaped"] or match["plain"], True
            else:
                yield self._value(match), is_quoted

    def _in_quotes(self, text: str) -> Iterator[str]:
        position = 0
        while position < len(text):
            if text[position] == "\\" and text[position + 1 : position + 2] in _ESCAPES_IN_QUOTES:
                yield text[position + 1 : position + 2].replace("\n", "")
                position += 2
                continue
            match = _PART.match(text, position) if text[position] == "$" else None
            if match is None or match["plain"] is not None:
                yield text[position]
                position += 1
            else:
                yield self._value(match)
                position = match.end()

    def _value(self, match: re.Match[str]) -> str:
        if match["sum"] is not None:
            return str(self.number(match["sum"]))
        if match["command"] is not None:
            return self.output(match["command"]).rstrip("\n")
        name = match["name"] or match["short"]
        value, mark = self.value(name), match["mark"]
        if mark is None:
            return value or ""
        is_missing = value is None or (mark.startswith(":") and not value)
        if mark.endswith("+"):
            return "" if is_missing else self.text(match["other"])
        if mark.endswith("-"):
            return self.text(match["other"]) if is_missing else str(value)
        raise ShellSyntaxError(match.group())

    def number(self, text: str) -> int:
        """The value of an arithmetic expression of whole numbers.

        Raises:
            ShellSyntaxError: it is another expression.
        """
        named = _VARIABLE.sub(lambda found: str(int(self.value(found[1]) or 0)), text)
        try:
            return _number(ast.parse(named.replace("/", "//").strip(), mode="eval").body)
        except (SyntaxError, ValueError, ZeroDivisionError) as error:
            raise ShellSyntaxError(f"$(({text}))") from error


def _quoted(word: str, start: int) -> tuple[str, int]:
    """The text up to the double quote that ends it, and the position after that."""
    position, depth = start, 0
    while position < len(word):
        if word[position] == "\\":
            position += 2
            continue
        depth += word.startswith("$(", position) - (depth > 0 and word[position] == ")")
        if word[position] == '"' and depth == 0:
            return word[start:position], position + 1
        position += 1
    raise ShellSyntaxError(word)


def _number(node: ast.expr) -> int:
    match node:
        case ast.Constant(int() as value):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            return -_number(operand)
        case ast.BinOp(left, kind, right) if type(kind) in _SUMS:
            return _SUMS[type(kind)](_number(left), _number(right))
        case ast.Compare(left, [kind], [right]) if type(kind) in _COMPARED:
            return int(_COMPARED[type(kind)](_number(left), _number(right)))
        case _:
            raise ValueError(ast.unparse(node))
