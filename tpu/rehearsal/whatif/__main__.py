"""`tpu whatif JOB.yaml`: when Kueue would admit a job, and what it would evict."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Final

from components.kubeapi import ApiError, KubeconfigError, UnreachableError
from components.kubeapi.jobs import WORKLOADS
from policies.lint.files import UnreadableError
from policies.lint.settings import SettingsError
from simulator.toolchain.provision import locate
from simulator.toolchain.tool import ToolchainError
from simulator.toolchain.tools import REHEARSE
from tpu.connect import NoClusterError, connect
from tpu.rehearsal.running import RehearsalError
from tpu.rehearsal.times import seconds_in
from tpu.rehearsal.whatif.answer import Answer
from tpu.rehearsal.whatif.asking import Question, full_name
from tpu.rehearsal.whatif.manifest import JobError, job_in
from tpu.rehearsal.whatif.platform_state import PlatformState, PlatformStateError, listed_in, of_cluster, of_stack
from tpu.rehearsal.whatif.run_times import past_runs, runs_of
from tpu.trace.bucket import at_hand
from tpu.trace.reading import TraceError

if TYPE_CHECKING:
    from collections.abc import Sequence


_FAILED: Final = 1
_HORIZON: Final = "7d"
_ERRORS: Final = (
    *(ApiError, KubeconfigError, UnreachableError),
    *(PlatformStateError, JobError, SettingsError, ToolchainError, TraceError, UnreadableError),
)
"""The errors that keep a question from being answered; each text says what and where."""


def main(words: Sequence[str]) -> int:
    """Print the answer, and return the exit code: 1 where there is none."""
    made = parser()
    options = made.parse_args(words)
    if options.stack is None and (options.workloads or options.empty):
        made.error("--workloads and --empty need --stack: of a cluster, its own Workloads are rehearsed")
    try:
        answer = _answer(options)
    except NoClusterError as error:
        hint = "" if options.stack is None else ". --workloads FILE takes a listing, --empty assumes an empty platform"
        return _refuse(f"{error}{hint}")
    except RehearsalError as error:
        return _refuse(f"this cannot be rehearsed: {error}")
    except _ERRORS as error:
        return _refuse(str(error))
    print(json.dumps(answer.data(), indent=2) if options.format == "json" else "\n".join(answer.lines()))
    return 0


def _refuse(why: str) -> int:
    print(f"whatif: {why}", file=sys.stderr)
    return _FAILED


def _answer(options: argparse.Namespace) -> Answer:
    command = locate([REHEARSE]).binary(REHEARSE)
    past = _past(options.record)
    platform, checks = _platform(options), dict(options.check)
    platform.check_times(checks)
    question = Question(
        job=job_in(options.job, platform),
        platform=platform,
        runs={full_name(each): runs_of(each, past, platform.now) for each in platform.workloads},
        runtime=options.runtime,
        horizon=options.horizon,
        checks=checks,
        command=command,
    )
    return Answer(question=question, asked=question.asked(), others=tuple(question.others()))


def _past(record: str | None) -> dict[str, list[int]]:
    if record is None:
        return {}
    with at_hand(record) as path:
        return past_runs(path)


def _platform(options: argparse.Namespace) -> PlatformState:
    if options.stack is None:
        return of_cluster(connect(options))
    platform = of_stack(options.stack)
    if options.empty:
        return platform.empty()
    if options.workloads is None:
        return platform.with_workloads(
            connect(options).items(WORKLOADS), platform.now, f"the cluster of {options.stack}"
        )
    listed, written = listed_in(options.workloads)
    return platform.with_workloads(listed, options.now or written, options.workloads)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu whatif",
        description="Say when Kueue would admit a job, in which flavor, and what it would evict; the job is not "
        "submitted. docs/rehearsal.md says what the answer is based on.",
        epilog="Example: tpu whatif train.yaml --stack prod --runtime 4h. Exit code 1: there is no answer, because the "
        "job has errors, or the platform cannot be read or rehearsed.",
    )
    made.add_argument("job", metavar="FILE", help="a file with a Job, a JobSet or a RayJob")
    where = made.add_mutually_exclusive_group(required=True)
    where.add_argument("--stack", help="rehearse on the platform of this stack's file; the Workloads are its cluster's")
    where.add_argument(
        "--cluster", dest="kubeconfig", metavar="KUBECONFIG", help="rehearse on the platform that a cluster has now"
    )
    made.add_argument("--context", help="context in the kubeconfig (default: its current one)")
    others = made.add_mutually_exclusive_group()
    listing = "with --stack: the Workloads that kubectl get workloads.kueue.x-k8s.io -A -o json wrote to a file"
    others.add_argument("--workloads", metavar="FILE", help=listing)
    others.add_argument("--empty", action="store_true", help="with --stack: no Workloads; the cluster is not asked")
    now = "with --workloads: when the file was written, in RFC 3339 (default: when it was changed last)"
    made.add_argument("--now", type=_moment, metavar="TIME", help=now)
    record = "a record of tpu record, or gs://BUCKET/OBJECT: earlier jobs of a name say how long its next one may take"
    made.add_argument("--record", metavar="FILE", help=record)
    runtime = "how long the job runs, such as 4h, 90m or 2d (default: until the end of the rehearsal)"
    made.add_argument("--runtime", type=_duration, metavar="TIME", help=runtime)
    horizon = f"how long a time to rehearse (default: {_HORIZON})"
    made.add_argument("--horizon", type=_duration, default=_HORIZON, metavar="TIME", help=horizon)
    check = "how long an admission check takes that does not provision nodes; once for each check"
    made.add_argument("--check", type=_check, action="append", default=[], metavar="NAME=TIME", help=check)
    made.add_argument("--format", choices=("text", "json"), default="text", help="of the output (default: text)")
    return made


def _duration(text: str) -> int:
    try:
        return seconds_in(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _check(text: str) -> tuple[str, int]:
    name, _, time = text.partition("=")
    return name, _duration(time)


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} is not an RFC 3339 time, such as 2026-11-23T08:00:00Z") from error
    if found.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text} has no time zone; end it with Z for UTC")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
