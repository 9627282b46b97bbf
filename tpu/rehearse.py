"""`tpu rehearse`: what a change of the stack file does to those who queue, by a record of what they asked for."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from policies.lint.files import UnreadableError
from policies.report.rehearsed import REFUSED, markdown_of
from simulator.toolchain.progress import Progress
from simulator.toolchain.provision import ensure
from simulator.toolchain.tool import ToolchainError
from simulator.toolchain.tools import REHEARSE
from tpu.chip_hours.summary import aligned
from tpu.rehearsal.change.comparing import Comparison, compared
from tpu.rehearsal.change.stack_files import StackFileError, former, proposed
from tpu.rehearsal.change.words import data, html
from tpu.rehearsal.running import RehearsalError
from tpu.trace.bucket import at_hand
from tpu.trace.reading import TraceError

if TYPE_CHECKING:
    from collections.abc import Sequence


_FAILED: Final = 1


def main(words: Sequence[str]) -> int:
    """Print the comparison, and return the exit code: 1 where there is none."""
    options = parser().parse_args(words)
    try:
        found = _compared(options)
    except (RehearsalError, StackFileError, ToolchainError, TraceError, UnreadableError) as error:
        if options.format == "json":  # for the report, which says so
            print(json.dumps({REFUSED: str(error)}))
        print(f"rehearse: {error}", file=sys.stderr)
        return _FAILED
    if options.html is not None:
        try:
            options.html.write_text(html(found), encoding="utf-8")
        except OSError as error:
            print(f"rehearse: {options.html}: {error.strerror}", file=sys.stderr)
            return _FAILED
    print(_written(data(found), options.format))
    if options.html is not None:
        print(f"wrote {options.html}", file=sys.stderr)
    return 0


def _compared(options: argparse.Namespace) -> Comparison:
    file = options.stack_file or Path(f"Pulumi.{options.stack}.yaml")
    after, before = proposed(file), former(file, options.base)
    command = ensure([REHEARSE], Progress(sys.stderr)).binary(REHEARSE)
    with at_hand(options.trace) as record:
        return compared(record, before, after, command)


def _written(found: dict[str, Any], form: str) -> str:
    if form == "json":
        return json.dumps(found, indent=2)
    if form == "markdown":
        return markdown_of(found).rstrip("\n")
    said = [found["heading"], "", *found["sentences"]]
    for each in found["tables"]:
        said += ["", each["title"], *aligned(each["rows"])]
    return "\n".join([*said, "", found["check"], *found["remarks"]])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu rehearse",
        description="Rehearse what a record asked for with the stack file before and after a change, decided by "
        "Kueue's own scheduler: waiting, evictions, chip-hours by team and flavor. docs/rehearsal.md explains it.",
        epilog="Example: tpu rehearse --stack prod --trace week.jsonl. Exit code 1: a file cannot be read, or the "
        "stack cannot be rehearsed.",
    )
    made.add_argument("--stack", default="dev", metavar="STACK", help="name of the stack (default: dev)")
    trace = "what `tpu record` wrote: a file or gs://BUCKET/OBJECT"
    made.add_argument("--trace", required=True, metavar="FILE", help=trace)
    base = "the stack file before the change: a file, or a revision in Git (default: HEAD)"
    made.add_argument("--base", default="HEAD", metavar="FILE", help=base)
    after = "the stack file with the change (default: Pulumi.STACK.yaml)"
    made.add_argument("--stack-file", type=Path, metavar="FILE", help=after)
    form = "of the output (default: text)"
    made.add_argument("--format", choices=("text", "json", "markdown"), default="text", help=form)
    made.add_argument("--html", type=Path, metavar="FILE", help="write a page with the pictures of both sides, too")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
