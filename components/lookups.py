"""What a provider says of a resource that the program looks up before it registers anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_FOUND: Final = "not found"
"""In what the provider of Google Cloud says of a resource that does not exist."""


def refusal(ask: Callable[[], object]) -> str:
    """What the provider says instead of an answer, in one line; empty where it answers."""
    try:
        ask()
    except Exception as error:
        if type(error) is not Exception:  # the SDK raises just this for an answer with an error (runtime/settings.py)
            raise
        return " ".join(str(error).split())
    return ""
