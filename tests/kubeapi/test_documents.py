"""Reading documents with parts that are absent or null."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubeapi import condition, describe, entries, is_true, section

if TYPE_CHECKING:
    from kubeapi import Document


@pytest.mark.parametrize("document", [None, {}, {"a": None}, {"a": {}}, {"a": {"b": None}}])
def test_what_is_absent_or_null_is_empty(document: Document | None) -> None:
    assert section(document, "a", "b") == {}
    assert entries(document, "a", "b") == []


def test_what_is_there_is_found() -> None:
    document = {"a": {"b": {"c": 1}, "list": [{"d": 2}]}}
    assert section(document, "a", "b") == {"c": 1}
    assert section(document) is document
    assert entries(document, "a", "list") == [{"d": 2}]


def test_a_condition_is_true_only_when_it_says_so() -> None:
    document = {"status": {"conditions": [{"type": "Ready", "status": "False"}, {"type": "Done", "status": "True"}]}}
    assert condition(document, "Ready") == {"type": "Ready", "status": "False"}
    assert (is_true(document, "Ready"), is_true(document, "Done"), is_true(document, "Other")) == (False, True, False)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (None, "it does not exist"),
        ({}, "no status yet"),
        ({"status": {"conditions": None}}, "no status yet"),
        ({"status": {"phase": "Pending", "conditions": []}}, "phase Pending"),
        (
            {
                "status": {
                    "phase": "Pending",
                    "conditions": [
                        {"type": "A", "status": "False", "reason": "Why", "message": "because"},
                        {"type": "B", "status": "True"},
                    ],
                }
            },
            "A=False, Why, because; B=True",
        ),
    ],
)
def test_a_state_is_told_in_one_line(document: Document | None, text: str) -> None:
    assert describe(document) == text
