"""The one comment of a pull request that is for a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from policies.github.api import Repository
    from policies.github.places import Marked


def report(file: Path, about: str) -> str:
    """The report; where there is none, a text that says so, as an older report would be taken for this one."""
    if file.exists():
        return file.read_text(encoding="utf-8")
    return f"> [!CAUTION]\n> **{about}: there is no report, because the run ended before it was written.**\n"


def put(there: Repository, pull_request: int, marked: Marked) -> str:
    """Make the comment, or edit the one that is there; the answer says which.

    Raises:
        GitHubError: it could not be written.
    """
    comments = f"issues/{pull_request}/comments"
    found = marked.find(there.entries(comments))
    if found is None:
        return f"made {there.ask('POST', comments, {'body': marked.body})['html_url']}"
    if found["body"] == marked.body:
        return f"{found['html_url']} says so already"
    there.ask("PATCH", f"issues/comments/{found['id']}", {"body": marked.body})
    return f"edited {found['html_url']}"
