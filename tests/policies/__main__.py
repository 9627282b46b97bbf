"""`python -m tests.policies` makes docs/rules.md."""

from __future__ import annotations

from tests.policies.page import PAGE, page

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
