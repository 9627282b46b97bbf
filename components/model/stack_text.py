"""The text of a stack file: where each value stands in it, and what the engine makes of it.

Only for messages. What the program builds comes from the engine; the text is read beside it so that a finding can show
the user's own line, and to see what never reaches a program, such as a misspelt namespace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

import yaml

from components.model.yaml_scalars import Scalar, is_timestamp, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.model.findings import Key

_PLAIN: Final = "plain"
_TEXT: Final = "tag:yaml.org,2002:str"
_MAPPING: Final = "tag:yaml.org,2002:map"
_LIST: Final = "tag:yaml.org,2002:seq"
_NUMBERS_AND_CONSTANTS: Final = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null"))
_MERGE: Final = "<<"


class _Anything:
    """Equal to every value: stands where the engine passes on something else than the text says."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


ANYTHING: Final = _Anything()
"""A timestamp, which the engine rewrites, or a secret, which it decrypts."""

Value = Scalar | _Anything | list["Value"] | dict[str, "Value"]


class StackTextError(ValueError):
    """The text is not YAML that the engine would accept; the position is counted from 0."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        super().__init__(problem)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one line; line and columns are counted from 0."""

    line: int
    start: int
    end: int


class _Loader(yaml.CSafeLoader):
    """Leaves plain scalars to the engine's rules."""

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: object) -> str:  # noqa: ARG002  PyYAML's own
        """The tag of a node that states none."""
        if kind is yaml.ScalarNode:
            return _PLAIN if cast("tuple[bool, bool]", implicit)[0] else _TEXT
        return _MAPPING if kind is yaml.MappingNode else _LIST


@dataclass(frozen=True, slots=True)
class StackText:
    """A stack file's text, composed."""

    name: str
    """File name, as messages show it."""
    lines: tuple[str, ...]
    root: yaml.Node | None
    """None for a file without content."""
    fault: Span | None = None
    """Where a text that could not be composed stopped being YAML."""
    values: dict[int, Value] = field(default_factory=dict[int, Value], compare=False)
    """Values of nodes by identity, so that an alias costs nothing."""

    @classmethod
    def parse(cls, name: str, text: str) -> StackText:
        """The composed text.

        Raises:
            StackTextError: it is not YAML, a key stands twice in one mapping, or an anchor contains itself.
        """
        try:
            root = yaml.compose(text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            position = (0, 0) if mark is None else (mark.line, mark.column)
            raise StackTextError(str(error.problem), *position) from error
        except yaml.YAMLError as error:
            raise StackTextError("there is a character in it that no YAML may hold", 0, 0) from error
        if root is not None:
            _refuse_duplicates(root, above=set(), done=set())
        return cls(name=name, lines=tuple(text.splitlines()), root=root)

    @classmethod
    def unread(cls, name: str, text: str, error: StackTextError | None = None) -> StackText:
        """A text that is shown but was not composed."""
        fault = None if error is None else Span(line=error.line, start=error.column, end=error.column + 1)
        return cls(name=name, lines=tuple(text.splitlines()), root=None, fault=fault)

    def keys(self, path: Sequence[Key]) -> tuple[str, ...]:
        """The keys of the mapping at `path` in the order of the file; none where there is no mapping."""
        node = self._node(path)
        return tuple(key.value for key, _ in _entries(node)) if isinstance(node, yaml.MappingNode) else ()

    def value(self, path: Sequence[Key]) -> Value:
        """What the engine makes of the value at `path`; None where there is none."""
        node = self._node(path)
        return None if node is None else self._value(node)

    def span(self, path: Sequence[Key], *, is_about_key: bool) -> Span | None:
        """Where the value at `path` begins, or its key; where it is not in the text, the key of what would hold it.

        None for a file without content; in a file that is no YAML, where it stops being any.
        """
        node, key = self.root, None
        for step in path:
            inner = None if node is None else _child(node, step)
            if inner is None:
                is_about_key = True
                break
            key, node = inner
        shown = key if is_about_key and key is not None else node
        return self.fault if shown is None else self._span(shown)

    def _node(self, path: Sequence[Key]) -> yaml.Node | None:
        node = self.root
        for step in path:
            inner = None if node is None else _child(node, step)
            if inner is None:
                return None
            node = inner[1]
        return node

    def _span(self, node: yaml.Node) -> Span:
        start, end = node.start_mark, node.end_mark
        last = end.column if end.line == start.line else len(self.lines[start.line].rstrip())
        return Span(line=start.line, start=start.column, end=max(last, start.column + 1))

    def _value(self, node: yaml.Node) -> Value:
        if id(node) not in self.values:
            self.values[id(node)] = self._fresh_value(node)
        return self.values[id(node)]

    def _fresh_value(self, node: yaml.Node) -> Value:
        if isinstance(node, yaml.MappingNode):
            entries: dict[str, Value] = {}
            for key, value in _entries(node):
                entries.setdefault(key.value, self._value(value))
            return ANYTHING if entries.keys() == {"secure"} else entries
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item) for item in cast("list[yaml.Node]", node.value)]
        return _scalar(cast("yaml.ScalarNode", node))


def _scalar(node: yaml.ScalarNode) -> Value:
    text = str(node.value)
    if node.tag == _PLAIN:
        return ANYTHING if is_timestamp(text) else resolve(text)
    if node.tag in _NUMBERS_AND_CONSTANTS:
        return resolve(text)
    return text if node.tag == _TEXT or node.tag.startswith("!") else ANYTHING


def _entries(node: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    """Keys and values of a mapping, then those it merges in, which count only where a key is not there yet."""
    pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
    merged: list[yaml.Node] = []
    for key, value in pairs:
        if key.tag == _PLAIN and key.value == _MERGE:
            merged += cast("list[yaml.Node]", value.value) if isinstance(value, yaml.SequenceNode) else [value]
        elif isinstance(key, yaml.ScalarNode):
            yield key, value
    for source in merged:
        if isinstance(source, yaml.MappingNode):
            yield from _entries(source)


def _child(node: yaml.Node, step: Key) -> tuple[yaml.Node, yaml.Node] | None:
    """Key and value at `step`; an item of a list is its own key."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in _entries(node) if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        items = cast("list[yaml.Node]", node.value)
        return (items[step], items[step]) if step < len(items) else None
    return None


def _refuse_duplicates(node: yaml.Node, *, above: set[int], done: set[int]) -> None:
    """Walks the tree, each node once; `above` are the nodes that contain this one."""
    if id(node) in above:
        raise StackTextError("an anchor contains itself", node.start_mark.line, node.start_mark.column)
    if id(node) in done:
        return
    done.add(id(node))
    above.add(id(node))
    for child in _children(node):
        _refuse_duplicates(child, above=above, done=done)
    above.discard(id(node))


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        yield from cast("list[yaml.Node]", node.value)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        if isinstance(key, yaml.ScalarNode) and key.value in seen and key.value != _MERGE:
            raise StackTextError(f'the key "{key.value}" stands twice', key.start_mark.line, key.start_mark.column)
        seen.add(str(key.value))
        yield value
