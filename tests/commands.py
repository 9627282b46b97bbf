"""Commands of the project in the process of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def exit_code(monkeypatch: pytest.MonkeyPatch, main: Callable[[], object], *words: str) -> int:
    """The exit code of a command whose command line is `words`, its name first."""
    monkeypatch.setattr("sys.argv", [*words])
    try:
        main()
    except SystemExit as error:
        return int(error.code or 0)
    return 0
