"""`python -m policies.github comment` and `issue`: a report in its one place on GitHub."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from policies.github import comment, issue
from policies.github.api import GitHubError, repository
from policies.github.places import ACTIONS, Marked, commit, key, origin

if TYPE_CHECKING:
    from collections.abc import Sequence

_FAILED: Final = 2


def main(arguments: Sequence[str]) -> int:
    """Do what is asked and return the exit code: 2 where it could not be done."""
    options = _parser().parse_args(arguments)
    try:
        print(options.run(options))
    except (GitHubError, OSError, UnicodeDecodeError) as error:
        print(f"{options.command}: {error}", file=sys.stderr)
        return _FAILED
    return 0


def _comment(options: argparse.Namespace) -> str:
    text = f"{comment.report(options.report, options.key)}{origin(options.commit)}"
    return comment.put(repository(), options.pull_request, Marked(options.key, options.author, text))


def _issue(options: argparse.Namespace) -> str:
    if options.close:
        return issue.close(repository(), Marked(options.key, options.author, ""))
    text = f"{options.report.read_text(encoding='utf-8')}{origin(None)}"
    return issue.put(repository(), options.title, Marked(options.key, options.author, text))


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--key", type=key, required=True, help="what it is about: preview-dev, drift-dev")
    common.add_argument("--author", default=ACTIONS, help="whose texts are edited (default: %(default)s)")
    parser = argparse.ArgumentParser(
        prog="python -m policies.github",
        description="Keep one comment or issue on GitHub up to date.",
        epilog="GITHUB_TOKEN, GITHUB_API_URL and GITHUB_REPOSITORY say where. Exit code 2: nothing was written.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    told = commands.add_parser("comment", parents=[common], help="write a pull request's comment for this key")
    told.add_argument("report", type=Path, metavar="REPORT", help="Markdown; if it is missing, the comment says so")
    told.add_argument("--pull-request", type=int, required=True, metavar="NUMBER")
    told.add_argument("--commit", type=commit, metavar="HASH", help="the commit of the preview")
    told.set_defaults(run=_comment)
    kept = commands.add_parser("issue", parents=[common], help="keep an issue open while there is a report")
    kept.add_argument("--title", default="Drift", help="what the list of issues shows")
    what = kept.add_mutually_exclusive_group(required=True)
    what.add_argument("--close", action="store_true", help="close the issue: there is nothing to report")
    what.add_argument("--report", type=Path, metavar="FILE", help="Markdown")
    kept.set_defaults(run=_issue)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
