"""The text of a stack file: where each value stands in it, and what the engine makes of it.

Only for messages. What the program builds comes from the engine; the text is read beside it so that a finding can show
the user's own line, and to see what never reaches a program, such as a misspelt namespace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self, cast

import yaml

from components.model.yaml_nodes import PLAIN, TEXT, compose, entries, refuse_faults
from components.model.yaml_scalars import Scalar, is_timestamp, resolve
from components.model.yaml_text import YamlText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.findings import Key

_NUMBERS_AND_CONSTANTS: Final = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null"))


class _Anything:
    """Equal to every value: stands where the engine passes on something else than the text says."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


ANYTHING: Final = _Anything()
"""A timestamp, which the engine rewrites, or a secret, which it decrypts."""

Value = Scalar | _Anything | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class StackText(YamlText):
    """A stack file's text, composed."""

    values: dict[int, Value] = field(default_factory=dict[int, Value], compare=False)
    """Values of nodes by identity, so that an alias costs nothing."""

    @classmethod
    def parse(cls, name: str, text: str) -> Self:
        """The composed text.

        Raises:
            YamlTextError: it is not YAML, a key stands twice in one mapping, an anchor contains itself, or values are
                nested too deeply.
        """
        root = compose(text)
        if root is not None:
            refuse_faults(root)
        return cls(name=name, lines=tuple(text.splitlines()), root=root)

    def value(self, path: Sequence[Key]) -> Value:
        """What the engine makes of the value at `path`; None where there is none."""
        node = self.node(path)
        return None if node is None else self._value(node)

    def _value(self, node: yaml.Node) -> Value:
        if id(node) not in self.values:
            self.values[id(node)] = self._fresh_value(node)
        return self.values[id(node)]

    def _fresh_value(self, node: yaml.Node) -> Value:
        if isinstance(node, yaml.MappingNode):
            found: dict[str, Value] = {}
            for key, value in entries(node):
                found.setdefault(key.value, self._value(value))
            return ANYTHING if found.keys() == {"secure"} else found
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item) for item in cast("list[yaml.Node]", node.value)]
        return _scalar(cast("yaml.ScalarNode", node))


def _scalar(node: yaml.ScalarNode) -> Value:
    text = str(node.value)
    if node.tag == PLAIN:
        return ANYTHING if is_timestamp(text) else resolve(text)
    if node.tag in _NUMBERS_AND_CONSTANTS:
        return resolve(text)
    return text if node.tag == TEXT or node.tag.startswith("!") else ANYTHING
