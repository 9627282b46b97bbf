"""YAML text as nodes that know where they stand; text that somebody else wrote, which may mean harm.

Only the shape is read: no tag makes anything happen. What no engine would accept either is refused with its position:
text that is not YAML, duplicate keys, an anchor that contains itself, values nested too deeply.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

import yaml
from msgspec import Struct
from yaml import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from components.model.places import Key

PLAIN: Final = "plain"
"""Tag of a scalar without quotes that states no tag."""
TEXT: Final = "tag:yaml.org,2002:str"
_MAPPING: Final = "tag:yaml.org,2002:map"
_LIST: Final = "tag:yaml.org,2002:seq"
COLLECTIONS: Final = (_MAPPING, _LIST)
MERGE: Final = "<<"
DEPTH: Final = 100
"""Levels of nesting that are read. The deepest documents in use, definitions of custom resources, have about 40."""
_SURELY_SHALLOW: Final = 1000
"""Levels that the composer, which is recursive, takes without harm to the stack; it dies between 20,000 and 30,000."""
_BLOCK_INDICATORS: Final = " \t?:-"
"""The characters that a level without brackets takes, one of them at least."""
_FORBIDDEN: Final = r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""Source: YAML 1.1, 5.1 "Character Set"."""


class Span(Struct, frozen=True):
    """A stretch of one line; line and columns are counted from 0."""

    line: int
    start: int
    end: int


class YamlTextError(ValueError):
    """The text is not YAML that is read here; the position is counted from 0."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        super().__init__(problem)

    @property
    def span(self) -> Span:
        """The character at which it was seen."""
        return Span(line=self.line, start=self.column, end=self.column + 1)

    @classmethod
    def at(cls, node: yaml.Node, problem: str) -> YamlTextError:
        """With the position of a node."""
        return cls(problem, node.start_mark.line, node.start_mark.column)


class _Loader(yaml.CSafeLoader):
    """Leaves plain scalars to the rules of whoever reads them."""

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:  # noqa: ANN401, ARG002  PyYAML's
        """The tag of a node that states none."""
        if kind is ScalarNode:
            return PLAIN if implicit[0] else TEXT
        return _MAPPING if kind is MappingNode else _LIST


def compose(text: str) -> yaml.Node | None:
    """The one document in the text; None where there is none.

    Raises:
        YamlTextError: it is not YAML, has two documents, or is nested too deeply.
    """
    try:
        _refuse_depths(text)
        return yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _refusal(error, text) from error


def compose_all(text: str) -> Generator[yaml.Node | None, None, None]:
    """The documents in the text, one after the other; None for one without content.

    Raises:
        YamlTextError: as `compose`, where the text stops being YAML; what came before has been yielded.
    """
    try:
        _refuse_depths(text)
        yield from yaml.compose_all(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _refusal(error, text) from error


def _refusal(error: yaml.YAMLError, text: str) -> YamlTextError:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark
        position = (0, 0) if mark is None else (mark.line, mark.column)
        return YamlTextError(str(error.problem), *position)
    return YamlTextError("it contains a character that YAML does not allow", *_position(text))


def _position(text: str) -> tuple[int, int]:
    """Line and column of the first character that is forbidden."""
    found = re.search(_FORBIDDEN, text)
    before = "" if found is None else text[: found.start()]
    return before.count("\n"), len(before) - before.rfind("\n") - 1


def _refuse_depths(text: str) -> None:
    """Refuses what would exhaust the stack of the composer, without composing it.

    Raises:
        YamlTextError: it is nested too deeply.
        yaml.YAMLError: it is not YAML, and was looked at closely enough to see that.
    """
    brackets = text.count("[") + text.count("{") - text.count("[]") - text.count("{}")
    if brackets < _SURELY_SHALLOW and not _may_have_block_levels(text):
        return
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH:
                mark = cast("yaml.Mark", event.start_mark)
                raise YamlTextError(too_deep(), mark.line, mark.column)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _may_have_block_levels(text: str) -> bool:
    """Whether `_SURELY_SHALLOW` characters that open levels without brackets may stand in a row.

    Of such a row a whole stretch is seen wherever it begins, because the stretches are half as long.
    """
    half = _SURELY_SHALLOW // 2
    return any(not text[at : at + half].strip(_BLOCK_INDICATORS) for at in range(0, len(text) - half + 1, half))


def too_deep() -> str:
    """The problem of values below the last level."""
    return f"values are nested more than {DEPTH} levels deep"


def meaningless(node: yaml.Node) -> str:
    """The problem of a tag that nobody reads."""
    return f'the tag "{node.tag}" means nothing here'


def entries(node: MappingNode) -> Iterator[tuple[ScalarNode, yaml.Node]]:
    """Keys and values of a mapping, then those it merges in, which count only where a key is not there yet."""
    waiting, seen = [node], {id(node)}
    while waiting:
        merged: list[yaml.Node] = []
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", waiting.pop(0).value):
            if key.tag == PLAIN and key.value == MERGE:
                merged += cast("list[yaml.Node]", value.value) if isinstance(value, SequenceNode) else [value]
            elif isinstance(key, ScalarNode):
                yield key, value
        new = [each for each in merged if isinstance(each, MappingNode) and id(each) not in seen]
        seen.update(id(each) for each in new)
        waiting = [*new, *waiting]


def child(node: yaml.Node, step: Key) -> tuple[yaml.Node, yaml.Node] | None:
    """Key and value at `step`; an item of a list is its own key."""
    if isinstance(node, MappingNode):
        own = cast("list[tuple[ScalarNode, yaml.Node]]", node.value)  # goes before what it merges in, and is most
        return next((each for pairs in (own, entries(node)) for each in pairs if each[0].value == step), None)
    if isinstance(node, SequenceNode) and isinstance(step, int):
        items = cast("list[yaml.Node]", node.value)
        return (items[step], items[step]) if step < len(items) else None
    return None
