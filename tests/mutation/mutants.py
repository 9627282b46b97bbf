"""Mutants of a module: copies of its source with one change each, made by mutmut.

mutmut itself passes over functions with decorators, and every rule is one. Its own visitor is therefore shown the
module without the decorators of its functions, and each mutant gets them back. What stands in a decorator is not
changed: docs/rules.md is made of it. Methods with decorators, types and docstrings are left alone, as mutmut does.
"""

from __future__ import annotations

import difflib
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import libcst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.file_mutation import create_mutations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from libcst.metadata import CodeRange
    from mutmut.mutation.file_mutation import Mutation

_OF_RULES: Final = re.compile(r"@(\w+_rule|read_in_\w+)\(")
"""Decorators that make a rule of a function; its name is the id with underscores."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change."""

    file: Path
    function: str
    """The function or method that is changed; empty for what stands outside of all."""
    rules: tuple[str, ...]
    """Ids of the rules that it may change: of its function, or of the whole module."""
    lines: range
    """Of the file: a test that runs none of them cannot tell."""
    _stripped: libcst.Module
    _statement: libcst.CSTNode
    """What of the module is changed."""
    _change: Mutation
    _decorators: Mapping[str, tuple[Sequence[libcst.Decorator], Sequence[libcst.EmptyLine]]]
    """Of each function, and the empty lines above them."""

    @property
    def source(self) -> str:
        """The whole module, changed."""
        changed = self._statement.deep_replace(self._change.original_node, self._change.mutated_node)
        body = [self._whole(changed if each is self._statement else each) for each in self._stripped.body]
        return self._stripped.with_changes(body=body).code

    def _whole(self, statement: libcst.CSTNode) -> libcst.CSTNode:
        """A statement of the module with its decorators, if it has any."""
        if not isinstance(statement, libcst.FunctionDef):
            return statement
        decorators, lines = self._decorators[statement.name.value]
        return statement.with_changes(decorators=decorators, leading_lines=lines)

    @property
    def diff(self) -> str:
        """What is changed, as lines with their number in the file."""
        before, after = self.file.read_text(encoding="utf-8").splitlines(), self.source.splitlines()
        pieces = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return "\n".join(
            line
            for tag, start, end, new_start, new_end in pieces
            if tag != "equal"
            for line in (
                *(f"{number + 1:4} - {before[number].strip()}" for number in range(start, end)),
                *(f"     + {each.strip()}" for each in after[new_start:new_end]),
            )
        )


def mutants_of(file: Path) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    original = libcst.parse_module(file.read_text(encoding="utf-8"))
    functions = [each for each in original.body if isinstance(each, libcst.FunctionDef)]
    rules = {each.name.value: rule for each in functions for rule in _rules_of(original, each)}
    module, changes, *_ = create_mutations(str(file), _bare(original).code)
    wrapped = MetadataWrapper(module, unsafe_skip_copy=True)
    spans = Spans(wrapped.resolve(ParentNodeProvider), wrapped.resolve(PositionProvider))
    decorators = {each.name.value: (each.decorators, each.leading_lines) for each in functions}
    found: list[Mutant] = []
    for change in changes:
        holder = change.contained_by_top_level_function
        name = "" if holder is None else holder.name.value
        near = (rules[name],) if name in rules else tuple(rules.values())
        node = change.original_node
        found.append(Mutant(file, name, near, spans.lines(node), module, spans.around(node)[-2], change, decorators))
    return found


class Spans:
    """Which lines must run for a piece of code to run: those of its statement, as far as the statement's own body."""

    def __init__(
        self,
        parents: Mapping[libcst.CSTNode, libcst.CSTNode],
        positions: Mapping[libcst.CSTNode, CodeRange],
    ) -> None:
        """Takes what libcst says of every node of a module."""
        self._parents = parents
        self._positions = positions

    def around(self, node: libcst.CSTNode) -> list[libcst.CSTNode]:
        """The node and all that it is in, the module last."""
        found = [node]
        while not isinstance(found[-1], libcst.Module):
            found.append(self._parents[found[-1]])
        return found

    def lines(self, node: libcst.CSTNode) -> range:
        """The lines for a node; the whole file for what runs when the module is loaded."""
        around = self.around(node)
        if not any(isinstance(each, libcst.FunctionDef) for each in around):
            return range(1, sys.maxsize)
        statements = (libcst.SimpleStatementLine, libcst.BaseCompoundStatement)
        statement = next(each for each in around if isinstance(each, statements))
        own = self._positions[statement]
        if isinstance(statement, libcst.SimpleStatementLine | libcst.FunctionDef):
            return range(own.start.line, own.end.line + 1)
        return range(own.start.line, max(self._positions[statement.body].start.line, own.start.line + 1))


def _bare(module: libcst.Module) -> libcst.Module:
    """The module without decorators, in as many lines."""

    def bare(function: libcst.FunctionDef) -> libcst.FunctionDef:
        lines = sum(module.code_for_node(each).count("\n") for each in function.decorators)
        return function.with_changes(
            decorators=(), leading_lines=(*function.leading_lines, *[libcst.EmptyLine()] * lines)
        )

    body = [bare(each) if isinstance(each, libcst.FunctionDef) else each for each in module.body]
    return module.with_changes(body=body)


def _rules_of(module: libcst.Module, function: libcst.FunctionDef) -> tuple[str, ...]:
    """The id of the rule that a function is."""
    is_rule = any(_OF_RULES.match(module.code_for_node(each).strip()) for each in function.decorators)
    return (function.name.value.strip("_").replace("_", "-"),) if is_rule else ()
