"""A YAML document with the lines that it stands in, so that a finding can show the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import yaml

from components.model.stack_file.yaml_nodes import Span, YamlTextError, child, entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.places import Key


@dataclass(frozen=True, slots=True)
class YamlText:
    """One document of a file."""

    name: str
    """File name, as messages show it."""
    lines: tuple[str, ...]
    """All lines of the file."""
    root: yaml.Node | None
    """None for a document without content."""
    fault: Span | None = None
    """Where a text that could not be composed stopped being YAML."""

    @classmethod
    def unread(cls, name: str, text: str, error: YamlTextError | None = None) -> Self:
        """A text that is shown but was not composed."""
        fault = None if error is None else error.span
        return cls(name=name, lines=tuple(text.splitlines()), root=None, fault=fault)

    def keys(self, path: Sequence[Key]) -> tuple[str, ...]:
        """The keys of the mapping at `path` in the order of the file; none where there is no mapping."""
        node = self.node(path)
        return tuple(key.value for key, _ in entries(node)) if isinstance(node, yaml.MappingNode) else ()

    def span(self, path: Sequence[Key], *, is_about_key: bool) -> Span | None:
        """Where the value at `path` begins, or its key; where it is not in the text, the key of what would hold it.

        None for a document without content; in a file that is not YAML, where it stops being YAML.
        """
        node, key = self.root, None
        for step in path:
            inner = None if node is None else child(node, step)
            if inner is None:
                is_about_key = True
                break
            key, node = inner
        shown = key if is_about_key and key is not None else node
        return self.fault if shown is None else self._span(shown)

    def node(self, path: Sequence[Key]) -> yaml.Node | None:
        """The node at `path`; None where there is none."""
        node = self.root
        for step in path:
            inner = None if node is None else child(node, step)
            if inner is None:
                return None
            node = inner[1]
        return node

    def line(self, span: Span | None) -> str:
        """The line that a stretch is in; empty where the text has none there."""
        return self.lines[span.line] if span is not None and span.line < len(self.lines) else ""

    def _span(self, node: yaml.Node) -> Span:
        start, end = node.start_mark, node.end_mark
        last = (
            end.column
            if end.line == start.line
            else len(self.lines[start.line].rstrip())
            if start.line < len(self.lines)
            else 0
        )
        return Span(line=start.line, start=start.column, end=max(last, start.column + 1))
