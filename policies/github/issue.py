"""An issue that is open for as long as there is something to say, and no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from policies.github.api import Repository
    from policies.github.places import Marked

_OPEN: Final = "issues?state=open"


def put(there: Repository, title: str, marked: Marked) -> str:
    """Open the issue, or edit the one that is open; the answer says which.

    Raises:
        GitHubError: it could not be written.
    """
    found = marked.find(there.entries(_OPEN))
    if found is None:
        return f"opened {there.ask('POST', 'issues', {'title': title, 'body': marked.body})['html_url']}"
    there.ask("PATCH", f"issues/{found['number']}", {"title": title, "body": marked.body})
    return f"updated {found['html_url']}"


def close(there: Repository, marked: Marked) -> str:
    """Close the issue where one is open; the answer says whether.

    Raises:
        GitHubError: it could not be closed.
    """
    found = marked.find(there.entries(_OPEN))
    if found is None:
        return f"no issue of {marked.key} is open"
    there.ask("PATCH", f"issues/{found['number']}", {"state": "closed", "state_reason": "completed"})
    return f"closed {found['html_url']}"
