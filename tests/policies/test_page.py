"""The page about the rules is made of them."""

from __future__ import annotations

import re

from components.model.findings import Severity
from policies import rules
from policies.lint.findings import RULES
from tests.policies.page import ORDER, PAGE, page


def test_the_page_names_every_reason_source_and_pack() -> None:
    entries = {each.partition("\n")[0]: each for each in PAGE.read_text(encoding="utf-8").split("\n### ")}
    stated = {each.id: (each.source, each.why, f"(pack {each.family.value})") for each in rules.OBJECT_RULES}
    assert [(each, text) for each, texts in stated.items() for text in texts if text not in entries[each]] == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it anew: python -m tests.policies"


def test_every_rule_that_may_be_ignored_has_an_entry() -> None:
    entries = re.findall(r"^### (\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(entries) == sorted(RULES)


def test_the_most_important_sections_are_first_and_in_them_the_errors() -> None:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    assert [each.splitlines()[0] for each in sections][: len(ORDER)] == list(ORDER)
    levels = "|".join(each.value.capitalize() for each in Severity)
    found = [re.findall(rf"^({levels}); judges", each, re.MULTILINE) for each in sections]
    assert all(found)
    assert found == [sorted(each, key=levels.split("|").index) for each in found]
