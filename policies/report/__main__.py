"""`tpu report EVENTS`: the report of a preview, as Markdown and as a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from policies.lint import files
from policies.report.contents import page_of, report_of
from policies.report.costs import OWN_TABLE, PricesError, prices_in
from policies.report.events import UnreadableError, read_events, read_state, text_in
from policies.report.markdown import CHARACTERS, markdown_within
from policies.report.page import as_html
from policies.report.rehearsed import rehearsed_in
from policies.report.running import running_in
from policies.report.summary import judged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan import Plan

_FAILED: Final = 1
_UNUSABLE: Final = 2


def main(arguments: Sequence[str]) -> int:
    """Write the report and return the exit code: 1 for a preview that does not pass, 2 where there is no report."""
    options = parser().parse_args(arguments)
    try:
        preview = read_events(text_in(options.events).splitlines())
        state = None if options.state is None else read_state(text_in(options.state))
        rehearsed = None if options.rehearsal is None else rehearsed_in(options.rehearsal)
        running = None if options.running is None else running_in(options.running)
        declared = None if options.stack_file is None else declared_in(options.stack_file)
        report = report_of(preview, state, prices_in(options.prices), options.stack, declared, rehearsed, running)
    except (OSError, UnreadableError, PricesError, files.UnreadableError) as error:
        print(f"report: {error}", file=sys.stderr)
        return _UNUSABLE
    page = page_of(report)
    if options.html is not None:
        options.html.write_text(as_html(page), encoding="utf-8")
    text = markdown_within(page, _whole(options))
    if options.markdown is not None:
        options.markdown.write_text(text, encoding="utf-8")
        files_ = [str(file) for file in (options.markdown, options.html) if file is not None]
        print(f"{judged(preview, report.impact)[1]} See {' and '.join(files_)}")
    else:
        sys.stdout.write(text)
    return 0 if preview.passes else _FAILED


def declared_in(file: Path) -> Plan | None:
    """The platform of a stack file, whatever rules it breaks; None where it does not have the shape of one.

    It is for a preview that failed before it reported any resource.

    Raises:
        policies.lint.files.UnreadableError: there is no such file, or it is not text.
    """
    from policies.lint import stacks  # noqa: PLC0415  loads as long as a report takes to write; most do without

    return stacks.reading_of(files.read(str(file))).declared


def _whole(options: argparse.Namespace) -> str:
    """Where readers find what a shortened report leaves out."""
    if options.page is not None:
        return f"[The page]({options.page}) has all rows."
    return "`tpu report --html` writes all rows." if options.html is None else f"`{options.html.name}` has all rows."


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu report",
        description="Turn the events of a preview into a report for those who review the change.",
        epilog="Example: tpu report events.json --html report.html. "
        "Run `pulumi preview --json` with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true: only then does it print the "
        "events. Exit code 1: the preview does not pass. 2: the report could not be made.",
    )
    made.add_argument("events", type=Path, metavar="EVENTS", help="output of `pulumi preview --json`, or -")
    made.add_argument("--state", type=Path, metavar="FILE", help="output of `pulumi stack export` before the change")
    made.add_argument(
        "--stack-file", type=Path, metavar="FILE", help="the stack file, used if the preview failed early"
    )
    prices = "your own price table (default: policies/report/prices.yaml)"
    made.add_argument("--prices", type=Path, default=OWN_TABLE, metavar="FILE", help=prices)
    rehearsal = "output of `tpu rehearse --format json`, which becomes a part of the report"
    made.add_argument("--rehearsal", type=Path, metavar="FILE", help=rehearsal)
    snapshot = "output of `tpu running`, by which the report names the jobs of others that the change ends"
    made.add_argument("--running", type=Path, metavar="FILE", help=snapshot)
    made.add_argument("--stack", default="", metavar="NAME", help="name of the stack (default: read from the events)")
    made.add_argument("--html", type=Path, metavar="FILE", help="also write the report as an HTML page to this file")
    made.add_argument("--page", metavar="URL", help="where readers find that page; a shortened Markdown links to it")
    made.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help=f"write the Markdown to this file (default: standard output); it has at most {CHARACTERS:,} characters",
    )
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
