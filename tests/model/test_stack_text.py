"""The text of a stack file against what the engine makes of it, and where its values stand.

The engine's values were written down from Pulumi 3.250 itself: its loading of these very lines.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.model.stack_file.text import ANYTHING, Anything, StackText
from components.model.stack_file.yaml_nodes import Span, YamlTextError

_ENGINE = [
    # as written, as the engine passes it
    ("on", "on"), ("yes", "yes"), ("NO", "NO"), ("y", "y"), ("True", True), ("FALSE", False), ('"on"', "on"),
    ("~", None), ("", None), ("Null", None), ("=", "="), ("2x4", "2x4"), ("1:30", "1:30"),
    ("24", 24), ('"24"', "24"), ("'1.33'", "1.33"), ("1.33", 1.33), ("1.33.0-gke.1", "1.33.0-gke.1"),
    ("1e3", 1000), ("12e03", 12000), ("1e400", "1e400"), ("1.0", 1), (".5", 0.5), ("+.5", 0.5), ("1.", 1), ("0.1e1", 1),
    ("0x10", 16), ("0X1F", 31), ("-0x1f", -31), ("0777", 511), ("0o17", 15), ("0O17", 15), ("0o8", "0o8"),
    ("0b11", 3), ("0b102", "0b102"), ("09", 9), ("08.5", 8.5), ("0_7", 7), ("0777_1", 4089), ("1_000", 1000),
    ("1__0", 10), ("_1", "_1"), ("1,000", "1,000"), ("0x", "0x"), ("+5", 5), ("-0", 0),
    ("100000000000000000000000", 1e23), ("!!str 5", "5"), ('!!int "5"', 5), ("!!float 5", 5), ("!custom 5", "5"),
]  # fmt: skip
_FILE = """\
# A comment.
config:
  gcp:project: tpu-sandbox
  tpu-platform:platform:
    cluster: {name: ml, location: us-west4}
    queues:
      - name: a
        flavors: [{name: x}]
      - &second
        name: b
    again: *second
    merged: {<<: *second, extra: 1}
    script: |
      one
      two
"""
_PLATFORM = ("config", "tpu-platform:platform")


def _text() -> StackText:
    return StackText.parse("Pulumi.test.yaml", _FILE)


def _shown(path: tuple[str | int, ...], *, is_about_key: bool = False) -> str | None:
    """The text under the caret."""
    text = _text()
    span = text.span((*_PLATFORM, *path), is_about_key=is_about_key)
    return None if span is None else text.lines[span.line][span.start : span.end]


@pytest.mark.parametrize(("written", "passed"), _ENGINE)
def test_a_scalar_is_what_the_engine_makes_of_it(written: str, passed: object) -> None:
    value = StackText.parse("test", f"key: {written}\n").value(("key",))
    assert value == passed
    assert isinstance(value, bool) == isinstance(passed, bool)


@pytest.mark.parametrize("written", ["2018-04-01", "2018-4-1 10:00:00", "2018-04-01T10:00:00Z", "!!binary aGVsbG8="])
def test_what_the_engine_rewrites_equals_all(written: str) -> None:
    assert StackText.parse("test", f"key: {written}\n").value(("key",)) == "2018-04-01 00:00:00 +0000 UTC"


@pytest.mark.parametrize(
    ("written", "passed"),
    [
        ("2018-04-01", "2018-04-01 00:00:00 +0000 UTC"),
        ("2018-4-1 10:00:00", "2018-04-01 10:00:00 +0000 UTC"),
        ("2018-04-01T10:00:00.50Z", "2018-04-01 10:00:00.5 +0000 UTC"),
        ("2018-04-01T10:00:00-06:30", "2018-04-01 10:00:00 -0630 -0630"),
        ("2018-02-30", "2018-02-30"),
        ("2018-02-30x", None),
    ],
)
def test_a_date_is_passed_as_go_writes_it(written: str, passed: str | None) -> None:
    """Source: Go's time.Time.String, and what yaml.v3 3.0.1 reads as a time; the first is from the engine itself."""
    value = StackText.parse("test", f"key: {written}\n").value(("key",))
    assert (value.passed if isinstance(value, Anything) else None) == passed


def test_a_whole_number_with_a_point_is_whole() -> None:
    """As behind the engine's JSON, in which 3.0 is 3."""
    values = [StackText.parse("test", f"key: {each}\n").value(("key",)) for each in ("3.0", "1e3", "1e21", "0.5")]
    assert json.dumps(values) == "[3, 1000, 1e+21, 0.5]"


def test_a_secret_equals_what_it_holds() -> None:
    value = StackText.parse("test", "key: {inner: {secure: AAAB}}\n").value(("key",))
    assert value == {"inner": "a password"}
    assert value != {"other": "a password"}


def test_the_value_is_what_the_engine_passes() -> None:
    passed: dict[str, Any] = {
        "cluster": {"name": "ml", "location": "us-west4"},
        "queues": [{"name": "a", "flavors": [{"name": "x"}]}, {"name": "b"}],
        "again": {"name": "b"},
        "merged": {"name": "b", "extra": 1},
        "script": "one\ntwo\n",
    }
    assert json.loads(json.dumps(_text().value(_PLATFORM))) == passed


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (("cluster", "location"), "us-west4"),
        (("queues", 0, "name"), "a"),
        (("queues", 0, "flavors", 0), "{name: x}"),
        (("queues", 1, "name"), "b"),
        (("again", "name"), "b"),
        (("merged", "name"), "b"),
        (("merged", "extra"), "1"),
        (("script",), "|"),
        (("queues",), "- name: a"),
    ],
)
def test_a_value_is_found(path: tuple[str | int, ...], shown: str) -> None:
    assert _shown(path) == shown


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (("cluster",), "cluster"),
        (("queues", 0, "flavors"), "flavors"),
        (("queues", 0, "missing"), "name: a"),
        (("missing", "deeper"), "tpu-platform:platform"),
        (("cluster", "name", "deeper"), "name"),
        (("queues", 7), "queues"),
    ],
)
def test_a_key_is_found_and_else_what_would_hold_it(path: tuple[str | int, ...], shown: str) -> None:
    assert _shown(path, is_about_key=True) == shown


def test_a_file_without_content_has_no_places() -> None:
    text = StackText.parse("test", "# nothing\n")
    assert (text.span(("config",), is_about_key=False), text.value(("config",)), text.keys(())) == (None, None, ())


@pytest.mark.parametrize(
    ("written", "problem", "line", "column"),
    [
        ("a: 1\n\tb: 2\n", "found a tab character that violates indentation", 1, 0),
        ("a: 1\nb: {x: 1, x: 2}\n", 'the key "x" appears twice', 1, 10),
        ("a: &a [*a]\n", "an anchor contains itself", 0, 3),
        ("a: *b\n", "found undefined alias", 0, 3),
        ("a: 1\nb: \0\n", "it contains a character that YAML does not allow", 1, 3),
        ("a: 1\n? [b]\n: 2\n", "a key must be text", 1, 2),
        ("a: [1\n", "did not find expected ',' or ']'", 1, 0),
    ],
)
def test_what_is_no_yaml_says_where(written: str, problem: str, line: int, column: int) -> None:
    with pytest.raises(YamlTextError) as refused:
        StackText.parse("test", written)
    assert (refused.value.problem, refused.value.line, refused.value.column) == (problem, line, column)


def test_a_text_that_is_no_yaml_is_still_shown() -> None:
    text = StackText.unread("test", "a: 1\n\tb: 2\n", YamlTextError("no", 1, 0))
    assert text.span(("config",), is_about_key=True) == Span(line=1, start=0, end=1)
    assert text.lines == ("a: 1", "\tb: 2")


def test_aliases_cost_nothing() -> None:
    levels = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 30))
    assert StackText.parse("test", f"l0: &l0 [x]\n{levels}").value(("l29", 0, 0)) is not None


def test_anything_is_equal_from_both_sides() -> None:
    assert "x" == ANYTHING == {"x": 1}
