"""Doubles GitHub's REST API as far as comments and issues go: real HTTP on this machine, everything in memory.

As GitHub's: pages of at most 100 with `Link` headers whose addresses name the repository by number, bodies of at most
65,536 characters (422), a token without the permission (403), what does not exist (404), a token that is none (401),
and the page of a gateway that nobody answers behind (502).
A repository that was renamed is answered by a redirect (301). Not doubled: rate limits, what GitHub makes of Markdown.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self, cast
from urllib.parse import parse_qs, urlsplit

TOKEN: Final = "ghs_double"  # noqa: S105  of the double
NAME: Final = "octo/platform"
PULL_REQUEST: Final = 7
BOT: Final = "github-actions[bot]"
_BODY: Final = 65_536
_PAGES: Final = (30, 100)
"""Entries of a page: by itself, and at most."""
_REPOSITORY: Final = re.compile(r"/(?:repos/octo/platform|repositories/1)/(?P<rest>.*)")
Reply = tuple[int, Any]
_NOT_FOUND: Final[Reply] = (404, {"message": "Not Found"})


@dataclass
class GitHub:
    """One repository with one pull request."""

    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    issues: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: list[str] = field(default_factory=list[str])
    """Method and path of each request."""
    shown: list[str | None] = field(default_factory=list[str | None])
    """The authorization of each request."""
    may_write: bool = True
    is_down: bool = False
    """Whether what stands before the API answers in its place, by no JSON."""
    next_host: str | None = None
    """Where pages are said to go on, if not here."""
    moved_to: str | None = None
    """The host that has the repository now, if not this one."""

    def __post_init__(self) -> None:
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """As in GITHUB_API_URL."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a runner sets, and the token."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_REPOSITORY": NAME,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_RUN_ID": "42",
        }

    def say(self, body: str, by: str = "somebody") -> dict[str, Any]:
        """A comment of somebody."""
        number = len(self.comments) + 1
        where = f"https://github.example/{NAME}/pull/{PULL_REQUEST}#issuecomment-{number}"
        self.comments.append({"id": number, "body": body, "user": {"login": by}, "html_url": where})
        return self.comments[-1]

    def report(self, title: str, body: str, by: str = "somebody") -> dict[str, Any]:
        """An issue of somebody."""
        number = len(self.issues) + 100
        where = f"https://github.example/{NAME}/issues/{number}"
        words = {"title": title, "body": body, "state": "open", "html_url": where}
        self.issues.append({"number": number, "user": {"login": by}, **words})
        return self.issues[-1]

    def refuse(self, method: str, body: dict[str, Any]) -> Reply | None:
        """Why it is not even looked at."""
        if self.is_down:
            return 502, "<html>Bad Gateway</html>"
        if method != "GET" and not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        if len(body.get("body", "")) > _BODY:
            return 422, {"message": "Validation Failed: body is too long (maximum is 65536 characters)"}
        return None

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> Reply:
        """Status and document."""
        match method, path.split("/"):
            case (("GET" | "POST"), ["issues", number, "comments"]) if number == str(PULL_REQUEST):
                return (200, self.comments) if method == "GET" else (201, self.say(body["body"], BOT))
            case "GET", ["issues"]:
                return 200, [each for each in self.issues if [each["state"]] == query.get("state", ["open"])]
            case "POST", ["issues"]:
                return 201, self.report(body["title"], body["body"], BOT)
            case "PATCH", ["issues", "comments", number]:
                return _changed(self.comments, "id", number, body)
            case "PATCH", ["issues", number]:
                return _changed(self.issues, "number", number, body)
            case _:
                return _NOT_FOUND


def _changed(entries: list[dict[str, Any]], name: str, number: str, body: dict[str, Any]) -> Reply:
    for each in entries:
        if str(each[name]) == number:
            each.update(body)
            return 200, each
    return _NOT_FOUND


class _Server(ThreadingHTTPServer):
    """The socket, and what is behind it."""

    def __init__(self, github: GitHub) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.github = github


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  what it is

    def _serve(self) -> None:
        address, github = urlsplit(self.path), self.server.github
        length = int(self.headers.get("Content-Length", 0))
        body: dict[str, Any] = json.loads(self.rfile.read(length)) if length else {}
        github.asked.append(f"{self.command} {self.path}")
        github.shown.append(self.headers["Authorization"])
        found = _REPOSITORY.fullmatch(address.path)
        query = parse_qs(address.query)
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._send((401, {"message": "Bad credentials"}))
            return
        if github.moved_to is not None:
            self._send((301, {"message": "Moved Permanently"}), Location=f"{github.moved_to}{self.path}")
            return
        if found is None:
            self._send(_NOT_FOUND)
            return
        refused = github.refuse(self.command, body)
        answer = github.answer(self.command, found["rest"], query, body) if refused is None else refused
        self._paged(found["rest"], query, answer)

    def _paged(self, rest: str, query: dict[str, list[str]], reply: Reply) -> None:
        status, document = reply
        if not isinstance(document, list):
            self._send(reply)
            return
        entries = cast("list[Any]", document)
        size = min(int(query.get("per_page", [str(_PAGES[0])])[0]), _PAGES[1])
        page = int(query.get("page", ["1"])[0])
        host = self.server.github.url if self.server.github.next_host is None else self.server.github.next_host
        kept = "".join(f"&{name}={value[0]}" for name, value in query.items() if name != "page")
        following = f'<{host}/repositories/1/{rest}?page={page + 1}{kept}>; rel="next"'
        part = entries[(page - 1) * size : page * size]
        self._send((status, part), **({"Link": following} if page * size < len(entries) else {}))

    def _send(self, reply: Reply, **headers: str) -> None:
        status, document = reply
        content = (document if isinstance(document, str) else json.dumps(document)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = _serve  # noqa: N815  the library's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        pass
