"""Loads the profiles of generated tests before a command line chooses one of them; prints the figures of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tests.fuzz as _  # noqa: F401

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests recorded of the corpus, also where workers ran them."""
    for each in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, line in each.user_properties:
            if name == "corpus":
                terminalreporter.write_line(str(line))
