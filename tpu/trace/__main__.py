"""`tpu record`: follow a cluster and keep what its workloads do; or make a record of numbers, or of another table."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.kubeapi import ApiError
from components.model.findings import counted
from tpu.connect import CLUSTER_ERRORS, above_zero, add_flags, connect
from tpu.stream.teams import parse
from tpu.trace.bucket import growing
from tpu.trace.generating import Numbers, generated, monday
from tpu.trace.importing import imported, mapping_in
from tpu.trace.lines import SECOND, Line, moment
from tpu.trace.reading import TraceError
from tpu.trace.recorder import Recorder, Settings
from tpu.trace.writing import TraceFile

if TYPE_CHECKING:
    from collections.abc import Iterable


_FAILED: Final = 1
_DEFAULTS: Final = Numbers(start=0)


def main() -> None:
    """Do what the command line says; exit code 1 when that fails."""
    arguments = parser().parse_args()
    try:
        if arguments.generate:
            _make(arguments.file, generated(_numbers(arguments)))
        elif arguments.table is not None:
            _make(arguments.file, imported(arguments.table, mapping_in(arguments.mapping)))
        else:
            _record(arguments)
    except ApiError as error:
        why = "the cluster does not serve Workloads of Kueue: is Kueue installed?" if error.is_not_found else error
        _fail(str(why))
    except (*CLUSTER_ERRORS, TraceError, ValueError) as error:
        _fail(str(error))


def _fail(why: str) -> None:
    print(f"record: {why}", file=sys.stderr)
    raise SystemExit(_FAILED) from None


def _record(arguments: argparse.Namespace) -> None:
    """Follow the cluster until Ctrl-C, or for some seconds."""
    settings = Settings(team_label=arguments.team_label, interval=arguments.interval)
    api = connect(arguments)
    with growing(arguments.file) as (path, keep), TraceFile(path) as file:
        recorder = Recorder(api, file, settings, lambda line: print(line, file=sys.stderr, flush=True), keep)
        try:
            recorder.run(float("inf") if arguments.seconds is None else arguments.seconds)
        except KeyboardInterrupt:
            print(file=sys.stderr)
        keep()
    print(f"{arguments.file}: wrote {counted(recorder.written, 'line')} about Workloads")


def _make(record: str, lines: Iterable[Line]) -> None:
    """Write a whole record into a new file."""
    with growing(record) as (path, keep), TraceFile(path) as file:
        if not file.is_empty:
            raise TraceError(f"{record}: it has lines already. Name a new file.")
        made = list(lines)
        file.append(made)
        keep()
    print(f"{record}: wrote {counted(len(made), 'line')}")


def _numbers(arguments: argparse.Namespace) -> Numbers:
    start = monday(round(time.time() * SECOND)) if arguments.start is None else moment(arguments.start)
    teams = [(team.name, team.queue) for team in map(parse, arguments.teams)] if arguments.teams else _DEFAULTS.teams
    return Numbers(
        start=start,
        days=arguments.days,
        workloads=arguments.workloads,
        chips=arguments.chips,
        slice_chips=arguments.slice_chips,
        hours=arguments.hours,
        teams=teams,
        flavor=arguments.flavor,
        seed=arguments.seed,
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu record",
        description="Follow a cluster, and append what its Workloads ask for and get to a file of JSON lines. "
        "It goes on where the file ends, so it may be killed and started again at any time.",
        epilog="Example: tpu record week.jsonl --stack prod. Exit code 1: the cluster refuses or does not answer at "
        "the start, or the file cannot be read or written.",
    )
    made.add_argument("file", metavar="FILE", help="the record; gs://BUCKET/OBJECT keeps it in Cloud Storage")
    add_flags(made)
    label = "label of Workloads or namespaces whose value is the team (default: the namespace is the team)"
    made.add_argument("--team-label", metavar="LABEL", help=label)
    look = "seconds between two looks at capacity and pods (default: 10)"
    made.add_argument("--interval", type=above_zero, default=Settings().interval, metavar="SECONDS", help=look)
    made.add_argument("--seconds", type=above_zero, help="how long to follow (default: until Ctrl-C)")
    _add_import(made)
    _add_generate(made)
    return made


def _add_import(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("import", "make a record of another program's table; no cluster is needed")
    group.add_argument("--import", dest="table", type=Path, metavar="TABLE", help="a CSV or JSONL file of jobs")
    named = "YAML file that says which column is what (default: mapping.yaml)"
    group.add_argument("--mapping", type=Path, default=Path("mapping.yaml"), help=named)


def _add_generate(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("generate", "make a plausible record from a few numbers; no cluster is needed")
    group.add_argument("--generate", action="store_true", help="write a new file, the same for the same numbers")
    group.add_argument("--start", metavar="TIME", help="RFC 3339 (default: Monday of the week that is over)")
    numbers: tuple[tuple[str, type[int | float], str], ...] = (
        ("days", int, "days"),
        ("workloads", int, "jobs"),
        ("chips", int, "chips of the flavor"),
        ("slice_chips", int, "chips of a slice; a job takes one or more"),
        ("hours", float, "median run time"),
        ("seed", int, "another number makes another record"),
    )
    for name, kind, text in numbers:
        default = getattr(_DEFAULTS, name)
        flag = f"--{name.replace('_', '-')}"
        group.add_argument(flag, type=kind, default=default, metavar="N", help=f"{text} (default: {default})")
    group.add_argument("--flavor", default=_DEFAULTS.flavor, help=f"its name (default: {_DEFAULTS.flavor})")
    teams = "teams, each with its LocalQueue (default: team-a=lq-team-a team-b=lq-team-b)"
    group.add_argument("--teams", nargs="+", metavar="NAME=QUEUE", help=teams)


if __name__ == "__main__":
    main()
