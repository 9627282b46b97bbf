"""Reading documents with parts that are absent or null."""

from __future__ import annotations

import pytest

from components.kubeapi import Document, describe


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
