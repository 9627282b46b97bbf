"""`tpu stream`: submit one Job per team every ten seconds until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from components.model.facts import gke
from tpu.connect import CLUSTER_ERRORS, add_flags, connect
from tpu.stop_signals import Stop
from tpu.stream.submit import Shape, Stream
from tpu.stream.teams import DEFAULT_TEAMS, Team, TeamError, check, found_in, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.kubeapi import Api

_FOUND: Final = "found"


def main() -> None:
    """Submit until the count is reached or a signal asks for the end; exit code 1 when the cluster refuses a Job."""
    arguments = parser().parse_args()
    with Stop() as stop:
        try:
            api = connect(arguments)
            teams = _teams(api, arguments.teams)
            check(api, teams)
            shape = Shape(seconds=arguments.seconds, gpus=arguments.gpus, accelerator=arguments.accelerator)
            stream = Stream(api, teams, shape, lambda line: print(line, flush=True))
            try:
                stream.run(interval=arguments.interval, count=arguments.count, wait=stop.wait)
            finally:
                print(stream.summary(), flush=True)
        except (*CLUSTER_ERRORS, TeamError) as error:
            print(f"stream: {error}", file=sys.stderr)
            raise SystemExit(1) from None


def _teams(api: Api, asked: Sequence[Team | str] | None) -> tuple[Team, ...]:
    if asked is None:
        return DEFAULT_TEAMS
    return found_in(api) if _FOUND in asked else tuple(team for team in asked if isinstance(team, Team))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    shape = Shape()
    made = argparse.ArgumentParser(
        prog="tpu stream",
        description="Submit a stream of short Jobs.",
        epilog="Example: tpu stream --stack batch-teams --count 3. "
        "Exit code 1: the cluster does not answer or refuses a Job, or a team has no such queue.",
    )
    made.add_argument("--interval", type=_interval, default=10.0, help="seconds between two rounds (default: 10)")
    rounds = "number of rounds; each submits one Job per team (default: no limit)"
    made.add_argument("--count", type=_positive, help=rounds)
    made.add_argument(
        "--teams",
        nargs="+",
        type=_team,
        metavar="NAME=QUEUE[:PODS]",
        help="the teams. NAME is the namespace, QUEUE its LocalQueue, PODS the pods of each Job (default: 1). `found` "
        "makes one team for each LocalQueue of any cluster (default: team-a=lq-team-a:3 team-b=lq-team-b:1, which only "
        "the stacks batch-teams and batch-teams-standard have)",
    )
    made.add_argument(
        "--seconds", type=_positive, default=shape.seconds, help="seconds that each pod sleeps (default: 10)"
    )
    made.add_argument(
        "--gpus",
        type=_count,
        default=shape.gpus,
        help="GPUs that each pod requests; 0 where the queues have none (default: 1)",
    )
    gpu = f"GPU type, as in the node label {gke.LABEL_GPU_ACCELERATOR} (default: {shape.accelerator})"
    made.add_argument("--accelerator", default=shape.accelerator, help=gpu)
    add_flags(made)
    return made


def _team(text: str) -> Team | str:
    try:
        return text if text == _FOUND else parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _interval(text: str) -> float:
    seconds = float(text)
    if seconds < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return seconds


def _positive(text: str) -> int:
    number = _count(text)
    if number == 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


if __name__ == "__main__":
    main()
