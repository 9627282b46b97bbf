"""Texts of ours on GitHub: a hidden marker makes each findable, so that it is written once and edited ever after.

A marker proves nothing, since anybody can write one. A text counts as ours where its author is the account that the
workflow writes as, too: else a reader would take for a report what somebody else may edit.
"""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from policies.github.api import GitHubError

if TYPE_CHECKING:
    from collections.abc import Iterable

LIMIT: Final = 65_536
"""Characters of a comment or of an issue, by GitHub."""
ACTIONS: Final = "github-actions[bot]"
"""Who writes with the token of a workflow."""
_KEY: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}")
_SHORT: Final = 7


@dataclass(frozen=True, slots=True)
class Marked:
    """One text that is kept in one place."""

    key: str
    """What it is about, such as `preview-dev`."""
    author: str
    text: str

    @property
    def marker(self) -> str:
        """What begins it; GitHub does not show it."""
        return f"<!-- tpu-platform {self.key} -->\n"

    @property
    def body(self) -> str:
        """What GitHub keeps.

        Raises:
            GitHubError: it is longer than GitHub takes.
        """
        body = f"{self.marker}{self.text}"
        if len(body) > LIMIT:
            raise GitHubError(f"the text has {len(body):,} characters, GitHub takes {LIMIT:,}: shorten the report")
        return body

    def find(self, entries: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
        """The first of some comments or issues that is this one as it was written before."""
        return next((each for each in entries if self._is(each)), None)

    def _is(self, entry: dict[str, Any]) -> bool:
        body, user = entry.get("body"), entry.get("user")
        if not isinstance(body, str) or not body.startswith(self.marker.rstrip()):
            return False
        # Nobody is the author of what an account wrote that has been deleted since.
        return user is not None and user["login"] == self.author


def key(text: str) -> str:
    """The argument of `--key`: no character in it can end the marker."""
    if _KEY.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} must be lower-case words joined by hyphens, as in preview-dev")
    return text


def commit(text: str) -> str:
    """The argument of `--commit`."""
    if _COMMIT.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} must be the hash of a commit")
    return text


def origin(of_commit: str | None) -> str:
    """A last line that says which commit a text is about, and which run wrote it."""
    server, name, run = (os.environ.get(each) for each in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"))
    parts = [f"Commit {of_commit[:_SHORT]}"] if of_commit else []
    if server and name and run:
        parts.append(f"[log of the run]({server}/{name}/actions/runs/{run})")
    return f"\n<sub>{' · '.join(parts)}</sub>\n" if parts else ""
