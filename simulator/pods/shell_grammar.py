"""A shell script with loops, branches and functions, as a tree: the part of the language that small programs use.

Pipelines, subshells, `case`, here-documents and `(( ))` are not read; a script with one of them is not played.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from simulator.pods.shell import ShellSyntaxError, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_REDIRECT: Final = re.compile(r"(\d*|&)(>>|>\||>&|<&|<>|>|<)\s*(.*)", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_SEPARATORS: Final = frozenset({";", "\n"})


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where a stream of a command goes."""

    stream: int
    """1 is its output, 2 its errors, 0 its input."""
    operator: str
    target: str
    """Source text of a word."""


@dataclass(frozen=True, slots=True)
class Simple:
    """Variables that are set, and a program with its arguments; words are source text."""

    assignments: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class While:
    """Commands that are repeated while others succeed."""

    condition: Block
    body: Block
    is_until: bool


@dataclass(frozen=True, slots=True)
class For:
    """Commands that are repeated for each word."""

    name: str
    words: tuple[str, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class If:
    """The first commands whose condition succeeds."""

    branches: tuple[tuple[Block, Block], ...]
    otherwise: Block


@dataclass(frozen=True, slots=True)
class Group:
    """Commands in braces."""

    body: Block


@dataclass(frozen=True, slots=True)
class Function:
    """Commands with a name."""

    name: str
    body: Block


@dataclass(frozen=True, slots=True)
class Not:
    """A command whose success is failure."""

    command: Node


Node: TypeAlias = Simple | While | For | If | Group | Function | Not


@dataclass(frozen=True, slots=True)
class Item:
    """A command in a list."""

    operator: str
    """Before it: `;`, `&&` or `||`."""
    command: Node
    is_background: bool


Block: TypeAlias = tuple[Item, ...]


def parse(script: str) -> Block:
    """The commands of a script.

    Raises:
        ShellSyntaxError: it is not a script, or has a part that is not read here.
    """
    parser = _Parser([(str(token.lastgroup), token.group()) for token in tokens(script)])
    block = parser.block(())
    parser.end()
    return block


class _Parser:
    """Reads tokens one after the other."""

    def __init__(self, found: Sequence[tuple[str, str]]) -> None:
        self._tokens = found
        self._at = 0

    def end(self) -> None:
        """Refuse what is left."""
        if self._at < len(self._tokens):
            raise ShellSyntaxError(self._tokens[self._at][1])

    def block(self, until: tuple[str, ...]) -> Block:
        """The commands up to one of the words, which is not read."""
        items: list[Item] = []
        operator = ";"
        while True:
            self._blank_lines()
            if self._peek() is None or self._word() in until:
                return tuple(items)
            command = self._command()
            mark = self._operator()
            items.append(Item(operator, command, mark == "&"))
            operator = mark if mark in ("&&", "||") else ";"
            if mark is None:
                return tuple(items)

    def _command(self) -> Node:
        word = self._word()
        if word == "!":
            self._at += 1
            return Not(self._command())
        readers = {"while": self._while, "until": self._while, "for": self._for, "if": self._if, "{": self._group}
        if word in readers:
            return readers[word]()
        if word is not None and self._is_function():
            self._at += 3
            self._blank_lines()
            return Function(word, self._group().body)
        return self._simple()

    def _while(self) -> While:
        is_until = self._take() == "until"
        condition = self._through("do")
        return While(condition, self._through("done"), is_until)

    def _for(self) -> For:
        self._at += 1
        name = self._take()
        if _NAME.fullmatch(name) is None or self._take() != "in":
            raise ShellSyntaxError(f"for {name}")
        words: list[str] = []
        while self._word() is not None:
            words.append(self._take())
        self._operator()
        self._blank_lines()
        if self._take() != "do":
            raise ShellSyntaxError(f"for {name}")
        return For(name, tuple(words), self._through("done"))

    def _if(self) -> If:
        branches: list[tuple[Block, Block]] = []
        word = "if"
        while word in ("if", "elif"):
            self._at += 1
            condition = self._through("then")
            branches.append((condition, self.block(("elif", "else", "fi"))))
            word = self._word() or ""
        otherwise: Block = ()
        if word == "else":
            self._at += 1
            otherwise = self.block(("fi",))
        if self._take() != "fi":
            raise ShellSyntaxError("if without fi")
        return If(tuple(branches), otherwise)

    def _group(self) -> Group:
        if self._take() != "{":
            raise ShellSyntaxError("a function without braces")
        return Group(self._through("}"))

    def _through(self, word: str) -> Block:
        """The commands up to a word, which is read."""
        block = self.block((word,))
        if self._take() != word:
            raise ShellSyntaxError(f"no {word}")
        return block

    def _simple(self) -> Simple:
        assignments: list[tuple[str, str]] = []
        words: list[str] = []
        redirects: list[Redirect] = []
        while (token := self._peek()) is not None and token[0] in ("word", "redirect"):
            self._at += 1
            assigned = _ASSIGNMENT.fullmatch(token[1])
            if token[0] == "redirect":
                redirects.append(_redirect(token[1]))
            elif assigned is not None and not words:
                assignments.append((assigned[1], assigned[2]))
            else:
                words.append(token[1])
        if not (assignments or words or redirects):
            raise ShellSyntaxError("" if token is None else token[1])
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _is_function(self) -> bool:
        return [token[1] for token in self._tokens[self._at + 1 : self._at + 3]] == ["(", ")"]

    def _operator(self) -> str | None:
        """The operator after a command; None where a block or the script ends."""
        token = self._peek()
        if token is None or token[0] != "operator":
            return None
        self._at += 1
        if token[1] in _SEPARATORS:
            return ";"
        if token[1] in ("&&", "||", "&"):
            return token[1]
        raise ShellSyntaxError(token[1])

    def _blank_lines(self) -> None:
        while (token := self._peek()) is not None and token[0] == "operator" and token[1] in _SEPARATORS:
            self._at += 1

    def _peek(self) -> tuple[str, str] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _word(self) -> str | None:
        token = self._peek()
        return token[1] if token is not None and token[0] == "word" else None

    def _take(self) -> str:
        word = self._word()
        if word is None:
            raise ShellSyntaxError("the end of the script")
        self._at += 1
        return word


def _redirect(text: str) -> Redirect:
    found = _REDIRECT.fullmatch(text)
    if found is None:
        raise ShellSyntaxError(text)
    stream, operator, target = found.groups()
    if stream == "&":
        return Redirect(1, ">", target)
    return Redirect(int(stream) if stream else int(operator.startswith(">")), operator, target)
