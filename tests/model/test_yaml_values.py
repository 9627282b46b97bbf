"""What YAML nodes mean, and how much that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.model.stack_file.yaml_nodes import YamlTextError, compose
from components.model.stack_file.yaml_values import Values

if TYPE_CHECKING:
    import yaml


def _text(node: yaml.ScalarNode) -> str:
    return node.value


def _read(values: Values, text: str) -> object:
    root = compose(text)
    assert root is not None
    return values.read(root)


@pytest.mark.parametrize(
    ("text", "written", "meant"),
    [
        ("a", 1, 1),
        ("[a, b]", 3, 3),
        ("{a: b, c: [d], e: f}", 5, 5),
        ("a: &x {b: c, d: [e]}\nf: *x\n", 5, 9),
        ("a: &x [&y {b: c}, *y]\nf: [*x, *y]\n", 5, 14),
        ("a: &x {b: c, d: e}\nf: {<<: *x, g: h}\n", 6, 9),
    ],
)
def test_values_are_counted_as_they_are_written_and_as_aliases_repeat_them(text: str, written: int, meant: int) -> None:
    values = Values(_text)
    _read(values, text)
    assert (values.written, values.meant) == (written, meant)


def test_what_nobody_wants_is_neither_read_nor_counted() -> None:
    values = Values(_text, ignored=frozenset({"a"}))
    assert _read(values, "a: [{b: c, b: twice}]\nd: e\n") == {"a": None, "d": "e"}
    assert (values.written, values.meant) == (2, 2)


def test_a_collection_of_another_kind_is_refused_where_tags_are_the_standards() -> None:
    assert _read(Values(_text), "!!set {a: b}") == {"a": "b"}
    with pytest.raises(YamlTextError, match=r'the tag "tag:yaml\.org,2002:set" means nothing here'):
        _read(Values(_text, has_standard_tags=True), "!!set {a: b}")
