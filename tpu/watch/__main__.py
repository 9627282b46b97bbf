"""`tpu timeline`, `tpu watch` and `tpu explain`: what happened to workloads, what runs now, and why a job waits."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from components.kubeapi.jobs import has_failed, label
from tpu.connect import CLUSTER_ERRORS, above_zero, add_flags, connect
from tpu.stop_signals import Stop
from tpu.watch.explain import UnknownJobError, explained, explained_data, find
from tpu.watch.follow import Followed, follow
from tpu.watch.picture import timeline_page
from tpu.watch.record import read_record
from tpu.watch.status import show, status_lines
from tpu.watch.timeline import story, timeline_data

if TYPE_CHECKING:
    from components.kubeapi import Api

_JSON: Final = "json"
_TIMELINE: Final = "timeline"
"""The command that is meant when none is named."""
_SILENT: Final = "the cluster does not answer"
_COMMANDS: Final = {
    _TIMELINE: (
        "timeline",
        "Show what happened to the workloads, as a timeline and tables.",
        "timeline --stack dev",
        f"{_SILENT}, a job failed, or with --until-settled the time limit was reached",
    ),
    "status": ("watch", "Show queues, quota, nodes and Workloads.", "watch --watch --stack dev", _SILENT),
    "explain": (
        "explain",
        "Show a job's Workload, pods and events, and why the job waits.",
        "explain pretrain --stack dev",
        f"{_SILENT}, has no such job, or has several",
    ),
}
"""By its word: its name below `tpu`, what it does, an example, and when its exit code is 1."""


class _FailedError(Exception):
    """What was watched did not end well; the text says what."""


def main() -> None:
    """Do what the command line says; exit code 1 when that fails, or when what was watched did not end well."""
    words = sys.argv[1:]
    command = words.pop(0) if words and words[0] in _COMMANDS else _TIMELINE
    arguments = parser(command).parse_args(words)
    try:
        arguments.run(connect(arguments), arguments)
    except (*CLUSTER_ERRORS, UnknownJobError) as error:
        print(f"{_COMMANDS[command][0]}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except _FailedError as error:
        print(error, file=sys.stderr if arguments.format == _JSON else sys.stdout)
        raise SystemExit(1) from None


def _timeline(api: Api, arguments: argparse.Namespace) -> None:
    is_json = arguments.format == _JSON
    if arguments.until_settled:
        stream = sys.stderr if is_json else sys.stdout
        followed = follow(api, timeout=arguments.timeout, report=lambda line: print(line, file=stream, flush=True))
    else:
        followed = Followed(read_record(api), is_settled=False)
    if is_json:
        print(json.dumps(timeline_data(followed.record, is_settled=followed.is_settled), indent=2))
    else:
        print("", *story(followed.record, time.time(), is_settled=followed.is_settled), sep="\n")
    if arguments.page is not None:
        _write_page(arguments.page, timeline_page(followed.record, time.time()), sys.stderr if is_json else sys.stdout)
    failed = [label(job) for job in followed.record.jobs if has_failed(job)]
    if failed:
        raise _FailedError(f"failed: {', '.join(failed)}")
    if arguments.until_settled and not followed.is_settled:
        raise _FailedError(f"not settled within {arguments.timeout:g} s")


def _write_page(path: Path, text: str, stream: TextIO) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _FailedError(f"{path}: {error.strerror}") from error
    print(f"\nthe same as pictures: {path}", file=stream)


def _status(api: Api, arguments: argparse.Namespace) -> None:
    if not arguments.watch:
        for line in status_lines(read_record(api), time.time()):
            print(line)
        return
    with Stop() as stop:
        show(api, interval=arguments.interval, wait=stop.wait, write=_write, is_terminal=sys.stdout.isatty())


def _write(text: str) -> None:
    print(text, end="", flush=True)


def _explain(api: Api, arguments: argparse.Namespace) -> None:
    record = read_record(api)
    subject = find(record, arguments.job, arguments.namespace)
    if arguments.format == _JSON:
        print(json.dumps(explained_data(record, subject), indent=2))
    else:
        print(*explained(record, subject, time.time()), sep="\n")


def parser(command: str = _TIMELINE) -> argparse.ArgumentParser:
    """The command line of a command."""
    name, description, example, failure = _COMMANDS[command]
    made = argparse.ArgumentParser(
        prog=f"tpu {name}",
        description=description,
        epilog=f"Example: tpu {example}. Exit code 1: {failure}.",
    )
    match command:
        case "status":
            made.add_argument("--watch", action="store_true", help="repeat until Ctrl-C")
            made.add_argument(
                "--interval", type=above_zero, default=2.0, help="seconds between two updates (default: 2)"
            )
            made.set_defaults(run=_status)
        case "explain":
            made.add_argument(
                "job",
                metavar="NAME",
                help="name of a job, such as a JobSet, of a Deployment or LeaderWorkerSet, or of a Workload",
            )
            made.add_argument("-n", "--namespace", help="namespace of the job (default: search all)")
            made.set_defaults(run=_explain)
        case _:
            settled = "wait until no job can make progress: each has ended or cannot start"
            made.add_argument("--until-settled", action="store_true", help=settled)
            longest = "with --until-settled: the longest wait in seconds (default: 3600)"
            made.add_argument("--timeout", type=float, default=3600, help=longest)
            pictures = "write the timeline as pictures, too: an HTML file that needs nothing else"
            made.add_argument("--page", type=Path, metavar="FILE", help=pictures)
            made.set_defaults(run=_timeline)
    if command != "status":
        form = "format of the output (default: text)"
        made.add_argument("--format", choices=("text", _JSON), default="text", help=form)
    add_flags(made)
    return made


if __name__ == "__main__":
    main()
