"""Values of YAML nodes, each made once however many aliases share it; and what makes a document no sound tree of them.

Who reads the text decides what its scalars are. A text of strangers may be small to write and large to read, so how
much it means is counted without writing it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from yaml import ScalarNode, SequenceNode

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

    from yaml import Node


REPEATED: Final = 100_000
"""Values that the aliases of a document may add to those that stand in it."""
_OPEN: Final = object()


class Values:
    """The values of one document: text, numbers and so on, lists, and mappings with keys of text."""

    def __init__(
        self,
        scalar: Callable[[ScalarNode], object],
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
        self._known: dict[int, Any] = {}
        """The value of each collection that was read; of those that contain what is read now, that they are open."""
        self._sizes: dict[int, tuple[int, int]] = {}
        """The size of a collection that an alias stands for, and of those in it: its values and levels."""
        self._depth = 0

    def read(self, node: Node) -> Any:  # noqa: ANN401  whatever the reader of scalars makes of it
        """The value of a node.

        Raises:
            YamlTextError: a mapping contains a key twice or a key that is not a string, an anchor contains itself,
                values are nested too deeply, or a tag is unknown.
        """
        if isinstance(node, ScalarNode):
            self.written += 1
            self.meant += 1
            return self._scalar(node)
        return self._again(node) if id(node) in self._known else self._collection(node)

    def _again(self, node: Node) -> object:
        """The value of a collection that an alias stands for."""
        value = self._known[id(node)]
        if value is _OPEN:
            raise YamlTextError.at(node, "an anchor contains itself")
        meant, levels = self._size(node)
        self.meant += meant
        if self._depth + levels > DEPTH:
            raise YamlTextError.at(node, too_deep())
        return value

    def _size(self, node: Node) -> tuple[int, int]:
        """How many values a node that was read is, every alias written out, and of how many levels."""
        if isinstance(node, ScalarNode):
            return 1, 0
        found = self._sizes.get(id(node))
        if found is None:
            items: list[Any] = node.value
            is_list, ignored = isinstance(node, SequenceNode), self._ignored
            inner = items if is_list else [value for key, value in items if key.value not in ignored]
            sizes = [self._size(each) for each in inner]
            found = 1 + sum(meant for meant, _ in sizes), 1 + max((levels for _, levels in sizes), default=0)
            self._sizes[id(node)] = found
        return found

    def _collection(self, node: Node) -> object:
        if node.tag not in COLLECTIONS and self._has_standard_tags and node.tag.startswith("tag:"):
            raise YamlTextError.at(node, meaningless(node))
        known, identity = self._known, id(node)
        known[identity] = _OPEN
        self._depth += 1
        if self._depth > DEPTH:
            raise YamlTextError.at(node, too_deep())
        value = known[identity] = self._items(node) if isinstance(node, SequenceNode) else self._mapping(node)
        self._depth -= 1
        self.written += 1
        self.meant += 1
        return value

    def _items(self, node: Node) -> list[object]:
        items: list[Node] = node.value
        return [self.read(each) for each in items]

    def _mapping(self, node: Node) -> object:
        """Its own keys, then those that it merges in where they are not there yet."""
        found: dict[str, object] = {}
        merged: list[Node] = []
        scalars, scalar, ignored = 0, self._scalar, self._ignored
        pairs: list[tuple[Node, Node]] = node.value
        for key, value in pairs:
            if not isinstance(key, ScalarNode):
                raise YamlTextError.at(key, "a key must be text")
            name: str = key.value
            if name == MERGE and key.tag == PLAIN:
                merged.append(value)
            elif name in found:
                raise YamlTextError.at(key, f'the key "{name}" appears twice')
            elif name in ignored:
                found[name] = None
            elif isinstance(value, ScalarNode):  # most values are: as `read`, without a call of it
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


def refuse_repetition(root: Node, written: int, meant: int) -> None:
    """Refuses a document that is small to write and large to read.

    Raises:
        YamlTextError: its aliases add too many values.
    """
    if meant > written + REPEATED:
        raise YamlTextError.at(root, f"its aliases make {meant} values of {written}; they may add {REPEATED} at most")
