"""Patterns of translated English that no text of the project has: documents, messages, docstrings and comments."""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING, Final

import pytest

from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_PATTERNS: Final[Mapping[str, str]] = {
    r"\btold\b": "name the actor: the report lists, the error names, `up` says",
    r"\bcom(e|es|ing) by\b": "get",
    r"(?<!here )\b(is|are|was|were) no (?!longer\b|more\b|different\b|other\b|such\b)\w+": "is not a",
    r"\b(one |some |none |all |each |many |most |two |both )?of which\b": "repeat the noun",
    r"\b[Ff]or [\w` ]{1,30} stands?\b|\bthere stands?\b": "contains, has",
    r"\bbears?\b": "tolerates, carries",
    r"\bholds? (it |them |that )?against\b": "checks against",
    r"\b(has|have) got\b|\b(has|have) it that\b": "has, says that",
    r"\bthe (lesser|former|latter)\b|\bthe others of\b": "repeat the noun",
    r"\bcomes? for it\b|\bmakes? way\b": "is provisioned, is preempted",
    r"\bowners? (allows?|states?|decides?)\b": "the environment's policy settings",
    r"\b[Ww]hat (has|have|stands?|asks?|finds?|costs?)\b": "name the noun",
    r"\b[Ww]hat [\w`]+ (has|have|stands?|asks? for|made|makes)\b": "name the noun",
    r"\bit takes an? (text|number)\b|\bthere shall\b": "must be",
}
"""Signs of translated English, and what to write instead."""
_GENERATED: Final = ("tests/",)
"""Texts that are made of others', or compared as they are."""
_TEXTS = tuple(
    path
    for path in tracked("__main__.py", "**/*.py", "**/*.md", "*.md", "*.yaml", "**/*.yml", "**/*.yaml", "Makefile")
    if not str(path.relative_to(ROOT)).startswith(_GENERATED)
)


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of text with their numbers: every line of a document, and what code has of strings and comments."""
    source = path.read_text(encoding="utf-8")
    yield from _in_code(source) if path.suffix == ".py" else enumerate(source.splitlines(), 1)


def _in_code(source: str) -> Iterator[tuple[int, str]]:
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            yield from enumerate(token.string.splitlines(), token.start[0])


def _translated(line: str) -> Iterator[str]:
    for pattern, instead in _PATTERNS.items():
        if found := re.search(pattern, line):
            yield f"{found.group()!r} (write: {instead})"


def test_texts_are_plain_english() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {each}"
        for path in _TEXTS
        for number, line in _texts(path)
        for each in _translated(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "the user is told why",
        "how chips are come by",
        "8500m chips are no whole number",
        "two pools, one of which is spot",
        "for the flavor stands a label",
        "work that bears to be ended",
        "a check holds it against the quota",
        "the cloud has got none",
        "the lesser one wins",
        "nodes come for it",
        "what the owners allow",
        "What finds none goes to spot",
        "what runs ask for",
        "a name, but it takes a number",
    ],
)
def test_a_pattern_is_seen(line: str) -> None:
    assert list(_translated(line))


def test_strings_docstrings_and_comments_are_read() -> None:
    source = 'x = f"a {1} told"\n\n"""two\ntold"""\n# told\ntold = 1\n'
    assert [number for number, line in _in_code(source) if "told" in line] == [1, 4, 5]
