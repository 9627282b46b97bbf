"""Files that mean harm, or are broken: each ends in a finding that says what and where; the rest is still judged."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from policies.lint.files import FILE_LIMIT
from policies.lint.formats import as_text
from tests.lint.given import OBJECTS, edited, linted, told

_LAUGHS = "".join(f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 30))
_MERGES = "".join(f"m{level}: &m{level} {{<<: [*m{level - 1}, *m{level - 1}]}}\n" for level in range(1, 40))

_BROKEN: dict[str, tuple[str | bytes, str, str]] = {
    "no YAML": ("a: [1\n", "a:2:1", "did not find expected ',' or ']'."),
    "a tab": ("a:\n\tb: 1\n", "a:2:1", "found character that cannot start any token."),
    "a mapping as key": ("name: { {a: b}: c}\n", "a:1:9", "a key must be text."),
    "a key twice": ("kind: Pod\napiVersion: v1\nkind: Job\n", "a:3:1", 'the key "kind" appears twice.'),
    "a key twice in JSON": ('{"kind": "Pod",\n "kind": "Job"}', "a:2:2", 'the key "kind" appears twice.'),
    "an anchor in itself": ("a: &a\n  b: *a\n", "a:1:4", "an anchor contains itself."),
    "an unknown anchor": ("a: *b\n", "a:1:4", "found undefined alias."),
    "a list as key": ("? [a]\n: b\n", "a:1:3", "a key must be text."),
    "a Python object": (
        "a: !!python/object/apply:os.system [exit]\n",
        "a:1:4",
        'the tag "tag:yaml.org,2002:python/object/apply:os.system" means nothing here.',
    ),
    "a Python name": (
        "a: 1\nb: !!python/name:os.system\n",
        "a:2:4",
        'the tag "tag:yaml.org,2002:python/name:os.system" means nothing here.',
    ),
    "many laughs": (f"l0: &l0 [x]\n{_LAUGHS}", "a:1:1", "its aliases make "),
    "many merges": (f"m0: &m0 {{a: 1}}\n{_MERGES}", "a:1:1", "its aliases make "),
    "deep lists": ("[" * 300_000, "a:1:101", "values are nested more than 100 levels deep."),
    "deep mappings": ("{a: " * 300_000, "a:1:401", "values are nested more than 100 levels deep."),
    "deep blocks": ("- " * 300_000, "a:1:201", "values are nested more than 100 levels deep."),
    "deep keys": ("? " * 300_000, "a:1:201", "values are nested more than 100 levels deep."),
    "levels one too deep": ("[" * 101 + "]" * 101, "a:1:101", "values are nested more than 100 levels deep."),
    "deep aliases": (
        "a0: &a0 [x]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 200)),
        "a:99:6",
        "values are nested more than 100 levels deep.",
    ),
    "a block with one blank more than its neighbours": (
        "spec:\n  resourceGroups: []\n   preemption: {}\n",
        "a:3:4",
        "did not find expected key.",
    ),
    "NUL": ("a: 1\nb: \0\n", "a:2:4", "it contains a character that YAML does not allow."),
    "an escape sequence": ("a: \x1b[31m\n", "a:1:4", "it contains a character that YAML does not allow."),
    "half a character": ('{"a": "\\ud83d"}', "a:1:10", "found invalid Unicode character escape code."),
    "no UTF-8": (b"a: 1\nb: caf\xe9\n", "a:2:7", "byte 0xe9 is not UTF-8."),
    "UTF-16": ("a: 1".encode("utf-16"), "a:1:1", "it is UTF-16, and must be UTF-8."),
    "too large": (b" " * (FILE_LIMIT + 1), "a:1:1", f"it has more than {FILE_LIMIT} bytes."),
}


@pytest.mark.parametrize("case", _BROKEN)
def test_a_broken_file_is_told_with_its_place(case: str) -> None:
    content, where, says = _BROKEN[case]
    verdict = linted(content, OBJECTS)
    assert [(each.sighting.where, each.finding.rule) for each in verdict.shown] == [(where, "file-is-readable")]
    assert verdict.shown[0].finding.says.startswith(says)
    assert verdict.objects == 8


def test_a_hundred_levels_are_read() -> None:
    assert told(linted("[" * 100 + "]" * 100)) == []


def test_what_stands_before_a_fault_is_judged() -> None:
    verdict = linted(f"{OBJECTS}---\na: [\n")
    assert verdict.objects == 8
    assert [each.finding.rule for each in verdict.shown] == ["file-is-readable"]


def test_a_document_with_a_fault_does_not_hide_the_next() -> None:
    assert linted(f"a: 1\na: 2\n---\n{OBJECTS}").objects == 8


def test_values_cannot_speak_to_the_terminal() -> None:
    text = edited(OBJECTS, "nominalQuota: 16", r'nominalQuota: "\e[31m\u202e\n"')
    shown = as_text(linted(text))
    assert r"\x1b[31m\u202e\n is not an amount" in shown
    assert all(each.isprintable() for each in shown.splitlines())


def test_a_long_line_is_cut_around_its_caret() -> None:
    value = json.dumps({"apiVersion": "v1", "kind": "Pod", "x": "x" * 5000, "metadata": {"name": "a", "name ": 1}})
    text = value.replace('"name ": 1', '"name": "b"')
    lines = as_text(linted(text)).splitlines()
    assert lines[0] == f'a:1:{text.rindex(chr(34) + "name") + 1}: the key "name" appears twice.'
    assert len(lines[1]) < 180
    caret = lines[2].index("^")
    assert lines[1][caret : caret + 6] == '"name"'


def test_characters_beyond_the_first_plane_are_read_in_json() -> None:
    text = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a\\ud83d\\ude00\\\\ud83d"}}'
    assert linted(text).objects == 1


def test_numbers_of_any_length_are_read() -> None:
    assert told(linted(edited(OBJECTS, "value: 500", f"value: {'9' * 5000}"))) == [
        "a:36:8 field-has-its-type WorkloadPriorityClass normal: value"
    ]


def test_deep_text_does_not_end_the_interpreter() -> None:
    """In a process of its own: the composer would overflow the stack of this one."""
    done = subprocess.run(
        [sys.executable, "-m", "policies.lint", "-"],
        input="[" * 100_000 + "]" * 100_000,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
