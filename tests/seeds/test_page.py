"""docs/seeds.md is what docs/seeds.yaml makes of it."""

from __future__ import annotations

from tests.seeds.page import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it anew: python -m tests.seeds page"
