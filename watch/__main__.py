"""`python -m watch`: what happened to the workloads of a stack or a cluster, now or once they have settled."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kubeapi import Api, ApiError, KubeconfigError, UnreachableError, connection_from
from watch.follow import follow, job_states
from watch.record import has_failed, read_record
from watch.tables import pod_table, workload_table
from watch.timeline import entries_of, peak, rendered

if TYPE_CHECKING:
    from watch.record import Record


class NoClusterError(Exception):
    """The command line leads to no cluster; the text says why."""


def main() -> None:
    """Print the timeline and the tables; exit code 1 when a job failed or the cluster could not be read."""
    arguments = _parser().parse_args()
    try:
        api = Api(connection_from(_kubeconfig(arguments), context=arguments.context))
        if arguments.until_settled:
            record = follow(api, timeout=arguments.timeout, report=lambda line: print(line, flush=True))
        else:
            record = read_record(api)
    except (ApiError, KubeconfigError, NoClusterError, UnreachableError) as error:
        print(f"watch: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    _print(record)
    failed = [job["metadata"]["name"] for job in record.jobs if has_failed(job)]
    if failed:
        print(f"failed: {', '.join(failed)}")
        raise SystemExit(1)


def _print(record: Record) -> None:
    found, now = entries_of(record), time.time()
    print()
    for line in rendered(found):
        print(line)
    print(f"at most {peak(found)} chips were admitted at one moment\n")
    for line in (*workload_table(record, now), "", *pod_table(record, now)):
        print(line)
    waiting = [name for name, state in job_states(record).items() if state == "waiting"]
    if waiting:
        print(f"\nstill waiting: {', '.join(waiting)}")


def _kubeconfig(arguments: argparse.Namespace) -> str:
    if arguments.stack is not None:
        return _stack_kubeconfig(arguments.stack)
    path = Path(arguments.kubeconfig or os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
    try:
        return path.read_text()
    except OSError as error:
        raise NoClusterError(f"no kubeconfig: {error}") from error


def _stack_kubeconfig(stack: str) -> str:
    """The kubeconfig among the outputs of a stack of the project in this folder."""
    command = ["pulumi", "stack", "output", "--json", "--stack", stack]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NoClusterError("pulumi is not on PATH") from error
    if done.returncode != 0:
        raise NoClusterError(f"stack {stack}: {done.stderr.strip()}")
    outputs = json.loads(done.stdout)
    if "kubeconfig" not in outputs:
        raise NoClusterError(
            f"stack {stack} has no output named kubeconfig; it has {', '.join(sorted(outputs)) or 'none'}"
        )
    kubeconfig = outputs["kubeconfig"]
    return kubeconfig if isinstance(kubeconfig, str) else json.dumps(kubeconfig)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m watch", description="What happened to the workloads of a cluster.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stack", help="the stack whose output `kubeconfig` names the cluster")
    where.add_argument("--kubeconfig", help="path of a kubeconfig (default: $KUBECONFIG, then ~/.kube/config)")
    parser.add_argument("--context", help="context in the kubeconfig (default: its current one)")
    parser.add_argument("--until-settled", action="store_true", help="wait until nothing moves any more")
    parser.add_argument("--timeout", type=float, default=3600, help="limit of the wait in seconds (default: 3600)")
    return parser


if __name__ == "__main__":
    main()
