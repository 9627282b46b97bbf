"""`tpu drift EVENTS`: whether anything drifted, and what."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from policies.drift.differences import differences
from policies.drift.page import data_of, markdown_of, verdict
from policies.report.events import UnreadableError, read_refresh, text_in

if TYPE_CHECKING:
    from collections.abc import Sequence

_DRIFTED: Final = 1
_UNUSABLE: Final = 2


def main(arguments: Sequence[str]) -> int:
    """Write the page and return the exit code: 1 where something drifted, 2 where nobody can say."""
    options = parser().parse_args(arguments)
    try:
        refresh = read_refresh(text_in(options.events).splitlines())
    except (OSError, UnreadableError) as error:
        print(f"drift: {error}", file=sys.stderr)
        return _UNUSABLE
    if not refresh.passes:
        print(f"drift: the refresh failed: {' '.join(refresh.errors)}", file=sys.stderr)
        return _UNUSABLE
    found = differences(refresh)
    stack = options.stack or refresh.stack
    page = f"{json.dumps(data_of(found, stack), indent=2)}\n" if options.format == "json" else markdown_of(found, stack)
    drifted = [each for each in found if each.drifted]
    if options.markdown is None:
        sys.stdout.write(page)
    else:
        options.markdown.write_text(page, encoding="utf-8")
        print(f"{verdict(drifted)} See {options.markdown}")
    return _DRIFTED if drifted else 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu drift",
        description="List resources that differ from their declaration. Expected differences, such as those that Kueue "
        "makes, are listed separately and do not count as drift.",
        epilog="Example: tpu drift refresh.json. "
        "Exit code 1: something drifted. 2: the refresh failed, or its events cannot be read.",
    )
    events = (
        "output of `pulumi refresh --preview-only --json`, run with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true; - reads "
        "it from standard input"
    )
    made.add_argument("events", type=Path, metavar="EVENTS", help=events)
    made.add_argument("--stack", default="", metavar="NAME", help="name of the stack (default: read from the events)")
    form = made.add_mutually_exclusive_group()
    output = "format of the output (default: markdown)"
    form.add_argument("--format", choices=("markdown", "json"), default="markdown", help=output)
    where = "write Markdown to this file, not to standard output (not with --format)"
    form.add_argument("--markdown", type=Path, metavar="FILE", help=where)
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
