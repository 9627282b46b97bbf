"""Values of YAML nodes, each made once however many aliases share it; and what makes a document no sound tree of them.

Who reads the text decides what its scalars are. A text of strangers may be small to write and large to read, so how
much it means is counted without writing it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import yaml

from components.model.stack_file.yaml_nodes import (
    COLLECTIONS,
    DEPTH,
    MERGE,
    PLAIN,
    YamlTextError,
    meaningless,
    too_deep,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Values:
    """The values of one document: text, numbers and so on, lists, and mappings with keys of text."""

    def __init__(
        self,
        scalar: Callable[[yaml.ScalarNode], object],
        *,
        mapping: Callable[[dict[str, Any]], object] | None = None,
        ignored: frozenset[str] = frozenset(),
        has_standard_tags: bool = False,
    ) -> None:
        """Takes what a scalar is, what a mapping is if not itself, and keys whose values nobody wants.

        With `has_standard_tags`, collections of other kinds than lists and mappings are refused.
        """
        self.written = 0
        """Values that were read where they stand in the text."""
        self.meant = 0
        """The same with every alias written out; this number may be exponentially larger."""
        self._scalar = scalar
        self._whole = mapping
        self._ignored = ignored
        self._has_standard_tags = has_standard_tags
        self._known: dict[int, tuple[Any, int, int]] = {}
        """Of a collection that was read: its value, how many values that is, and of how many levels."""
        self._open: set[int] = set()
        """Collections that contain what is read now."""
        self._deepest = 0

    def read(self, node: yaml.Node) -> Any:  # noqa: ANN401  whatever the reader of scalars makes of it
        """The value of a node.

        Raises:
            YamlTextError: a mapping contains a key twice or a key that is not a string, an anchor contains itself,
                values are nested too deeply, or a tag is unknown.
        """
        if isinstance(node, yaml.ScalarNode):
            self.written += 1
            self.meant += 1
            return self._scalar(node)
        known = self._known.get(id(node))
        return self._collection(node) if known is None else self._again(node, *known)

    def _again(self, node: yaml.Node, value: object, meant: int, levels: int) -> object:
        """The value of a collection that an alias stands for."""
        self.meant += meant
        self._reach(node, len(self._open) + levels)
        return value

    def _reach(self, node: yaml.Node, depth: int) -> None:
        if depth > DEPTH:
            raise YamlTextError.at(node, too_deep())
        self._deepest = max(self._deepest, depth)

    def _collection(self, node: yaml.Node) -> object:
        identity, opened = id(node), self._open
        if identity in opened:
            raise YamlTextError.at(node, "an anchor contains itself")
        if node.tag not in COLLECTIONS and self._has_standard_tags and node.tag.startswith("tag:"):
            raise YamlTextError.at(node, meaningless(node))
        depth, deepest, meant = len(opened) + 1, self._deepest, self.meant
        if depth > DEPTH:
            raise YamlTextError.at(node, too_deep())
        opened.add(identity)
        self._deepest = depth
        value = self._items(node) if isinstance(node, yaml.SequenceNode) else self._mapping(node)
        self.written += 1
        self.meant += 1
        opened.discard(identity)
        self._known[identity] = value, self.meant - meant, self._deepest - depth + 1
        self._deepest = max(self._deepest, deepest)
        return value

    def _items(self, node: yaml.Node) -> list[object]:
        items: list[yaml.Node] = node.value
        return [self.read(each) for each in items]

    def _mapping(self, node: yaml.Node) -> object:
        """Its own keys, then those that it merges in where they are not there yet."""
        found: dict[str, object] = {}
        merged: list[yaml.Node] = []
        scalars, scalar, ignored = 0, self._scalar, self._ignored
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
        for key, value in pairs:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlTextError.at(key, "a key must be text")
            name: str = key.value
            if name == MERGE and key.tag == PLAIN:
                merged.append(value)
            elif name in found:
                raise YamlTextError.at(key, f'the key "{name}" appears twice')
            elif name in ignored:
                found[name] = None
            elif isinstance(value, yaml.ScalarNode):  # most values are: as `read`, without a call of it
                scalars += 1
                found[name] = scalar(value)
            else:
                found[name] = self.read(value)
        self.written += scalars
        self.meant += scalars
        for each in merged:
            self._merge(found, self.read(each))
        return found if self._whole is None else self._whole(found)

    def _merge(self, found: dict[str, object], source: object) -> None:
        for each in cast("list[object]", source) if isinstance(source, list) else [source]:
            if isinstance(each, dict):
                for name, value in cast("dict[str, object]", each).items():
                    found.setdefault(name, value)
