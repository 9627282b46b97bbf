"""`python -m operations.watch`: what happened to the workloads of a cluster, what it does now, and why a job waits."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Final

from kubeapi import ApiError, KubeconfigError, UnreachableError
from operations.watch.connect import NoClusterError, add_flags, connect
from operations.watch.explain import UnknownJobError, explained, find
from operations.watch.follow import Followed, follow
from operations.watch.record import has_failed, label, read_record
from operations.watch.status import show, status_lines
from operations.watch.stop_signals import Stop
from operations.watch.story import story

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubeapi import Api

_TIMELINE: Final = "timeline"
"""The command that is meant when none is named."""


class _FailedError(Exception):
    """What was watched did not end well; the text says what."""


def main() -> None:
    """Do what the command line says; exit code 1 when that fails, or when what was watched did not end well."""
    arguments = _parser().parse_args(_with_command(sys.argv[1:]))
    try:
        arguments.run(connect(arguments), arguments)
    except (ApiError, KubeconfigError, NoClusterError, UnknownJobError, UnreachableError) as error:
        print(f"watch: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except _FailedError as error:
        print(error)
        raise SystemExit(1) from None


def _timeline(api: Api, arguments: argparse.Namespace) -> None:
    if arguments.until_settled:
        followed = follow(api, timeout=arguments.timeout, report=lambda line: print(line, flush=True))
    else:
        followed = Followed(read_record(api), is_settled=False)
    print()
    for line in story(followed.record, time.time(), is_settled=followed.is_settled):
        print(line)
    failed = [label(job) for job in followed.record.jobs if has_failed(job)]
    if failed:
        raise _FailedError(f"failed: {', '.join(failed)}")
    if arguments.until_settled and not followed.is_settled:
        raise _FailedError(f"not settled within {arguments.timeout:g} s")


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
    for line in explained(record, find(record, arguments.job, arguments.namespace), time.time()):
        print(line)


def _with_command(arguments: Sequence[str]) -> list[str]:
    """The command line with `timeline` in front when it begins with a flag of that."""
    is_named = arguments and (not arguments[0].startswith("-") or arguments[0] in ("-h", "--help"))
    return list(arguments) if is_named else [_TIMELINE, *arguments]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m operations.watch", description="What happens to the workloads of a cluster."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    timeline = commands.add_parser(_TIMELINE, help="what happened, as a timeline and tables (this is the default)")
    timeline.add_argument("--until-settled", action="store_true", help="wait until nothing moves any more")
    timeline.add_argument("--timeout", type=float, default=3600, help="limit of the wait in seconds (default: 3600)")
    timeline.set_defaults(run=_timeline)

    status = commands.add_parser("status", help="queues, quota, nodes and Workloads now")
    status.add_argument("--watch", action="store_true", help="repeat it until Ctrl-C")
    status.add_argument("--interval", type=_seconds, default=2.0, help="seconds between two looks (default: 2)")
    status.set_defaults(run=_status)

    explain = commands.add_parser("explain", help="why a job waits: its Workload, pods and events")
    explain.add_argument("job", help="name of a Job, JobSet or Workload")
    explain.add_argument("-n", "--namespace", help="where it is (default: wherever it is)")
    explain.set_defaults(run=_explain)

    for command in (timeline, status, explain):
        add_flags(command)
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if seconds <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a time above 0")
    return seconds


if __name__ == "__main__":
    main()
