"""Doubles the commands of GitHub's `gh` that the workflows use, on a repository that is kept in a JSON file.

As GitHub's: bodies of at most 65,536 characters, a filter of jq for each page of at most 100 entries, and a number that
does not exist is an error. GH_TOKEN must be there; GH_DOUBLE names the file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

TOKEN: Final = "ghs_double"  # noqa: S105  of the double
NAME: Final = "octo/platform"
PULL_REQUEST: Final = 7
BOT: Final = "github-actions[bot]"
_BODY: Final = 65_536
_PAGE: Final = 100
_JQ: Final[Any] = import_module("jq")  # it has no types


class GitHub:
    """One repository with one pull request."""

    def __init__(self, file: Path) -> None:
        self._file = file
        if not file.exists():
            self._write({"comments": [], "issues": []})

    @property
    def comments(self) -> list[dict[str, Any]]:
        return json.loads(self._file.read_text())["comments"]

    @property
    def issues(self) -> list[dict[str, Any]]:
        return json.loads(self._file.read_text())["issues"]

    @property
    def environment(self) -> dict[str, str]:
        """What a runner sets, and the file of the double."""
        return {
            "GITHUB_REPOSITORY": NAME,
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_RUN_ID": "42",
            "GH_DOUBLE": str(self._file),
        }

    def add(self, entries: str, by: str = "somebody", **words: object) -> None:
        """A comment or an issue of somebody."""
        document = json.loads(self._file.read_text())
        number = len(document[entries]) + 100
        document[entries].append({"id": number, "number": number, "user": {"login": by}, "state": "open", **words})
        self._write(document)

    def change(self, entries: str, number: str, **words: object) -> None:
        document = json.loads(self._file.read_text())
        (found,) = (each for each in document[entries] if str(each["id"]) == number)
        found.update(words)
        self._write(document)

    def _write(self, document: dict[str, list[dict[str, Any]]]) -> None:
        self._file.write_text(json.dumps(document))


def main(words: list[str]) -> int:
    if os.environ["GH_TOKEN"] != TOKEN:
        sys.exit("gh: Bad credentials (HTTP 401)")
    github = GitHub(Path(os.environ["GH_DOUBLE"]))
    if words[0] == "api":
        _api(github, words[1:])
    else:
        assert words[0] == "issue", words
        assert os.environ["GH_REPO"] == NAME
        _issue(github, words[1:])
    return 0


def _api(github: GitHub, words: list[str]) -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for flag in ("--paginate", "--silent"):
        parser.add_argument(flag, action="store_true")
    for option in ("--jq", "--field"):
        parser.add_argument(option)
    parser.add_argument("--method", default="GET")
    parser.add_argument("path")
    options = parser.parse_args(words)
    method: str = options.method
    address = urlsplit(str(options.path))
    match method, address.path.removeprefix(f"repos/{NAME}/").split("/"):
        case "GET", ["issues", number, "comments"] if number == str(PULL_REQUEST):
            _listed(github.comments, options)
        case "GET", ["issues"]:
            assert parse_qs(address.query)["state"] == ["open"]
            _listed([each for each in github.issues if each["state"] == "open"], options)
        case "POST", ["issues", number, "comments"] if number == str(PULL_REQUEST):
            github.add("comments", BOT, body=_field(options.field))
        case "PATCH", ["issues", "comments", number]:
            github.change("comments", number, body=_field(options.field))
        case _:
            sys.exit(f"gh: Not Found (HTTP 404): {options.path}")


def _listed(entries: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Print what the filter finds, page by page."""
    assert options.paginate
    for first in range(0, len(entries), _PAGE):
        found = _JQ.compile(options.jq).input_value(entries[first : first + _PAGE]).all()
        sys.stdout.writelines(f"{each}\n" for each in found)


def _field(text: str) -> str:
    name, _, value = text.partition("=@")
    assert name == "body"
    return _body(value)


def _body(file: str) -> str:
    body = Path(file).read_text(encoding="utf-8")
    if len(body) > _BODY:
        sys.exit(f"gh: body is too long (maximum is {_BODY} characters) (HTTP 422)")
    return body


def _issue(github: GitHub, words: list[str]) -> None:
    match words:
        case ["create", "--title", title, "--body-file", file]:
            github.add("issues", BOT, title=title, body=_body(file))
        case ["edit", number, "--body-file", file]:
            github.change("issues", number, body=_body(file))
        case ["close", number, "--reason", reason]:
            github.change("issues", number, state="closed", state_reason=reason)
        case _:
            sys.exit(f"gh: unknown command: {words}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
