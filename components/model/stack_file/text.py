"""The text of a stack file: the position of each value, and what the engine makes of it.

Only for messages. What the program builds comes from the engine; the text is read beside it so that a finding can show
the user's own line, and to see what never reaches a program, such as a misspelt namespace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct

from components.model.stack_file.yaml_nodes import PLAIN, TEXT, compose
from components.model.stack_file.yaml_scalars import Scalar, is_timestamp, passed, passed_timestamp, resolve
from components.model.stack_file.yaml_text import YamlText
from components.model.stack_file.yaml_values import Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    import yaml

    from components.model.places import Key

_NUMBERS_AND_CONSTANTS: Final = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null"))


class Anything(Struct, frozen=True, eq=False):
    """Equal to every value: stands where the engine passes on something else than the text says."""

    passed: str | None = None
    """The value that it passes; None for a secret, which only the engine decrypts."""

    def __eq__(self, other: object) -> bool:
        """Always."""
        return True

    def __hash__(self) -> int:
        """As everything has that may be equal to anything."""
        return 0


ANYTHING: Final = Anything()
"""A secret."""

Value = Scalar | Anything | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class StackText(YamlText):
    """A stack file's text, composed."""

    whole: Value = field(default=None, compare=False)
    """The engine's reading of all of it; values that aliases share are shared."""
    extent: tuple[int, int] = (0, 0)
    """Values that stand in it, and values that they mean with every alias written out."""

    @classmethod
    def parse(cls, name: str, text: str) -> Self:
        """The composed text.

        Raises:
            YamlTextError: it is not YAML, a mapping has a key twice, an anchor contains itself, or values are
                nested too deeply.
        """
        root, values = compose(text), Values(_scalar, mapping=_mapping)
        whole = None if root is None else values.read(root)
        return cls(
            name=name,
            lines=tuple(text.splitlines()),
            root=root,
            whole=whole,
            extent=(values.written, values.meant),
        )

    def value(self, path: Sequence[Key]) -> Value:
        """The engine's reading of the value at `path`; None where there is none."""
        value = self.whole
        for step in path:
            if isinstance(value, dict) and isinstance(step, str):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value


def _mapping(entries: dict[str, Value]) -> Value:
    return ANYTHING if entries.keys() == {"secure"} else entries


def _scalar(node: yaml.ScalarNode) -> Value:
    text = str(node.value)
    if node.tag == PLAIN:
        return Anything(passed_timestamp(text)) if is_timestamp(text) else passed(resolve(text))
    if node.tag in _NUMBERS_AND_CONSTANTS:
        return passed(resolve(text))
    return text if node.tag == TEXT or node.tag.startswith("!") else ANYTHING
