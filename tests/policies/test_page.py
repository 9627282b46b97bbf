"""The page about the rules is made of them."""

from __future__ import annotations

from policies import rules
from tests.policies.page import PAGE, page


def test_the_page_names_every_reason_and_source() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [each.id for each in rules.OBJECT_RULES if each.source not in text or each.why not in text] == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it anew: python -m tests.policies"
