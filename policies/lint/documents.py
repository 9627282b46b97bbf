"""The documents of a file, each with what it says and where; those that cannot be read are reported and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.stack_file.yaml_nodes import PLAIN, TEXT, YamlTextError, compose_all, meaningless
from components.model.stack_file.yaml_scalars import Scalar, resolve_for_kubernetes
from components.model.stack_file.yaml_text import YamlText
from components.model.stack_file.yaml_values import Values, refuse_repetition
from policies.lint.files import File, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

    from policies.objects.values import Value

_STANDARD: Final = "tag:yaml.org,2002:"
_RESOLVED: Final = tuple(f"{_STANDARD}{kind}" for kind in ("int", "float", "bool", "null"))
_TEXTS: Final = (TEXT, f"{_STANDARD}timestamp", f"{_STANDARD}binary")
_SERVERS_OWN: Final = frozenset({"managedFields"})
"""Who set which field; the API server keeps it, no rule reads it, and it is half of a dump."""


class Document(Struct, frozen=True, kw_only=True):
    """One document."""

    origin: str
    """File and number, unlike those of all others."""
    text: YamlText
    value: Value


class Defect(Struct, frozen=True):
    """A document, or the rest of a file, that cannot be read."""

    origin: str
    text: YamlText
    problem: str


def documents(file: File) -> Iterator[Document | Defect]:
    """The documents of a file, in order; those without content are left out."""
    try:
        text = text_of(file.content)
    except YamlTextError as error:
        yield Defect(file.name, YamlText(file.name, (), None, error.span), error.problem)
        return
    lines = tuple(text.splitlines())
    roots, number, scalars = compose_all(text), 0, _Scalars()
    try:
        for number, root in enumerate(roots, start=1):
            if root is not None:
                yield _document(f"{file.name}#{number}", YamlText(file.name, lines, root), root, scalars)
    except YamlTextError as error:
        yield Defect(f"{file.name}#{number + 1}", YamlText(file.name, lines, None, error.span), error.problem)


def _document(origin: str, text: YamlText, root: yaml.Node, scalars: _Scalars) -> Document | Defect:
    values = Values(scalars, ignored=_SERVERS_OWN, has_standard_tags=True)
    try:
        value = values.read(root)
        refuse_repetition(root, values.written, values.meant)
        return Document(origin=origin, text=text, value=value)
    except YamlTextError as error:
        return Defect(origin, YamlText(text.name, text.lines, None, error.span), error.problem)


class _Scalars:
    """The values of scalars in a manifest; each text is resolved once."""

    def __init__(self) -> None:
        self._plain: dict[str, Scalar] = {}

    def __call__(self, node: yaml.ScalarNode) -> Scalar:
        """The value of a scalar.

        Raises:
            YamlTextError: its tag means nothing.
        """
        text: str = node.value
        if node.tag == PLAIN:
            try:
                return self._plain[text]
            except KeyError:
                value = self._plain[text] = resolve_for_kubernetes(text)
                return value
        if node.tag in _TEXTS or node.tag.startswith("!"):
            return text
        if node.tag in _RESOLVED:
            return resolve_for_kubernetes(text)
        raise YamlTextError.at(node, meaningless(node))
