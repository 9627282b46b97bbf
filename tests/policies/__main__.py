"""`python -m tests.policies` makes docs/rules.md."""

from __future__ import annotations

import argparse

from tests.policies.page import PAGE, page

if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tests.policies", description=__doc__).parse_args()
    PAGE.write_text(page(), encoding="utf-8")
