"""Requests to GitHub's REST API, by the standard library."""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SECONDS: Final = 30.0
"""For one answer."""
_PAGE: Final = 100
"""Entries of a page: the most that GitHub gives."""
_NEXT: Final = re.compile(r'<(?P<url>[^>]+)>;\s*rel="next"')
_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+")
_VARIABLES: Final = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
"""A runner sets the first two; the token is handed to the one step that needs it."""
_REMEDIES: Final = {
    401: "GITHUB_TOKEN is invalid or has expired.",
    403: "The job lacks a permission: `pull-requests: write` for comments, `issues: write` for issues.",
    404: "It does not exist, or the token may not see it.",
    410: "Issues are switched off in this repository.",
}


class GitHubError(Exception):
    """GitHub did not do what was asked; the text says what it answered and what would help."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, as the holder of a token sees it."""

    api: str
    """Address of the API without a slash at its end, such as `https://api.github.com`."""
    name: str
    """`owner/name`."""
    token: str

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to one request on a path below the repository.

        Raises:
            GitHubError: it was refused, or nobody answered.
        """
        return cast("dict[str, Any]", self._sent(method, f"{self.api}/repos/{self.name}/{path}", body)[0])

    def entries(self, path: str) -> Iterator[dict[str, Any]]:
        """Everything in a list, page by page.

        Raises:
            GitHubError: a page was refused, or the next one is said to be at another place than the API.
        """
        mark = "&" if "?" in path else "?"
        url: str | None = f"{self.api}/repos/{self.name}/{path}{mark}per_page={_PAGE}"
        while url is not None:
            if not url.startswith(f"{self.api}/"):
                raise GitHubError(f"the next page is not at {self.api}: the token is not sent to {url}")
            found, links = self._sent("GET", url, None)
            yield from cast("list[dict[str, Any]]", found)
            following = _NEXT.search(links)
            url = None if following is None else following["url"]

    def _sent(self, method: str, url: str, body: Mapping[str, Any] | None) -> tuple[Any, str]:
        """The answer, and its links to other pages."""
        request = urllib.request.Request(  # noqa: S310  the address is the runner's own
            url,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")  # wherever an answer may lead
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310  as above
                return json.loads(answer.read()), answer.headers.get("Link", "")
        except urllib.error.HTTPError as error:
            with error:
                raise GitHubError(_refusal(method, url, error.code, error.read())) from error
        except (OSError, ValueError) as error:
            raise GitHubError(f"{method} {url} got no answer: {error}") from error


def _refusal(method: str, url: str, code: int, answer: bytes) -> str:
    try:
        said = str(json.loads(answer)["message"])
    except (ValueError, KeyError, TypeError):
        said = "no reason"
    remedy = _REMEDIES.get(code, "")
    return f"{method} {url} was refused with {code}: {said}. {remedy}".rstrip()


def repository() -> Repository:
    """The repository whose workflow runs this.

    Raises:
        GitHubError: the environment does not say which, or has no token.
    """
    missing = [name for name in _VARIABLES if not os.environ.get(name)]
    if missing:
        raise GitHubError(f"{', '.join(missing)} must be set; in a workflow: `GITHUB_TOKEN: ${{{{ github.token }}}}`")
    api, name, token = (os.environ[variable] for variable in _VARIABLES)
    if _NAME.fullmatch(name) is None:
        raise GitHubError(f"GITHUB_REPOSITORY must be owner/name, not {name!r}")
    return Repository(api.rstrip("/"), name, token)
