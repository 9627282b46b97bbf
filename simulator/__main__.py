"""The simulator's command line: `tpu simulator exec -- pulumi up`, `status`, `stock`, `lose`, `down`, ..."""

from __future__ import annotations

import argparse
import math
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from simulator.client import DaemonError
from simulator.commands import CommandError
from simulator.commands.answered import ANSWERED
from simulator.commands.execute import AUTO, CommandNotFoundError, execute
from simulator.files import DISK_ERRORS, BrokenFileError
from simulator.home import Home, find_home
from simulator.rpc import CallError, DaemonGoneError
from simulator.scaling.times import MEANINGS
from simulator.stacks import StackError
from simulator.toolchain.tool import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_EXPECTED = (
    BrokenFileError,
    CallError,
    CommandError,
    CommandNotFoundError,
    DaemonError,
    DaemonGoneError,
    LookupError,
    StackError,
    ToolchainError,
)


def main() -> None:
    """Do what the command line says; an expected failure is one message and exit code 1."""
    arguments = parser().parse_args()
    try:
        _run(arguments, find_home(arguments.home))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough; nothing is left to be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except _EXPECTED as error:
        _fail(error)
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        _fail(error)


def _fail(error: Exception) -> NoReturn:
    print(f"simulator: {error}", file=sys.stderr)
    raise SystemExit(1) from None


def _run(arguments: argparse.Namespace, home: Home) -> None:
    if arguments.command == "exec":
        execute(home, arguments.words, speed=arguments.speed)
    else:
        from simulator.commands.others import lines_of  # noqa: PLC0415  `exec` starts without what they import

        _print(lines_of(arguments, home))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, flush=True)


def _speed(text: str) -> float | str:
    if text == AUTO:
        return text
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not 0 < speed < math.inf:
        raise argparse.ArgumentTypeError(
            f"{text}: simulated time only goes forward, so a speed is a number above 0, or {AUTO}"
        )
    return speed


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu simulator",
        description="Control the GKE that runs on this machine.",
        epilog="Example: tpu simulator status. Exit code 1: the command failed; the message says why.",
    )
    made.add_argument("--home", help="the simulator's folder (default: .simulator in the project)")
    commands = made.add_subparsers(dest="command", required=True)
    run = commands.add_parser("exec", help="run a command (pulumi, kubectl, helm, ...) inside the simulator")
    speed = (
        "simulated seconds per real second. The speed stays for later commands; a new simulator starts with 10. `auto` "
        "means 10, and skips idle time while CMD runs"
    )
    run.add_argument("--speed", type=_speed, help=speed)
    run.add_argument("words", nargs="+", metavar="CMD", help="the command, after --")
    commands.add_parser("up", help="start the simulator again, with all its clusters")
    commands.add_parser("status", help="show what runs, what failed, and which parts are real")
    _add_looks(commands.add_parser)
    killed = "repair a stack whose update was killed: remove its lock and import the resources it made"
    mend = commands.add_parser("recover", help=killed)
    mend.add_argument("--stack", required=True, help="stack to repair")
    _add_secret(commands.add_parser)
    _add_machines(commands.add_parser)
    left = "end every process; remove the simulator's folder if no stack, cluster or other resource is left"
    down = commands.add_parser("down", help=left)
    everything = "also remove the stacks and clusters that still exist; nothing can bring them back"
    down.add_argument("--delete", action="store_true", help=everything)
    return made


def _add_machines(add: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands that change what the simulated machines do."""
    short = add("stock", help="make machines run out of stock or come back; list what is out of stock")
    away = (
        "let this machine type, GPU or TPU run out of stock, in ZONE or everywhere, as CAPACITY or at all; repeatable"
    )
    short.add_argument("--out", action="append", default=[], metavar="WHAT[:CAPACITY][@ZONE]", help=away)
    back = "bring this machine type, GPU or TPU back into stock; repeatable"
    short.add_argument("--in", action="append", default=[], metavar="WHAT[:CAPACITY][@ZONE]", dest="back", help=back)
    lost = add("lose", help="let the machine of a node fail, or all machines of a node pool")
    lost.add_argument("name", metavar="NAME", help="a node, or a node pool; if one host fails, its whole slice is lost")
    acts = "let machines fail or run out of stock while workloads run, at the moments that a file lists"
    played = add("scenario", help=acts)
    source = "a file, or a stack that has a scenario of its own; a stack without one ends the scenario before"
    played.add_argument("what", metavar="FILE|STACK", help=source)
    steps = "show how long the autoscaler's steps take, in simulated seconds; with flags, set it first"
    clock = add("times", help=steps)
    for name, meaning in MEANINGS.items():
        clock.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="SECONDS", help=meaning)


def _add_secret(add: Callable[..., argparse.ArgumentParser]) -> None:
    """The command that sets a secret."""
    held = add("secret", help="give a secret of Secret Manager a value, as gcloud does on Google Cloud")
    held.add_argument("name", metavar="NAME", help="the secret; it is made if it does not exist")
    held.add_argument("--project", required=True, help="its project, such as the stack's gcp:project")
    held.add_argument("--data-file", default="-", metavar="FILE", help="file with the value (default: standard input)")


def _add_looks(add: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands that show what is there."""
    log = add("logs", help="print the last lines of a log, or the names of all logs")
    log.add_argument("name", nargs="?", metavar="NAME", help="a process or a pod (default: list the logs)")
    log.add_argument("--lines", type=int, default=50, help="number of lines (default: 50)")
    where = add("address", help="print the address of a Service on this machine, as host:port")
    where.add_argument("service", metavar="SERVICE", help="name of the Service")
    where.add_argument("--namespace", "-n", default="default", help="namespace of the Service (default: default)")
    where.add_argument("--port", type=int, help="a port of the Service; needed when it has several")
    where.add_argument("--cluster", help="the cluster's name; needed when there are several")
    lying = add("files", help="print the files in a folder of the shares, and the contents of its .txt files")
    folder = "folder in a Filestore share, such as `output`; prints nothing if no share has it or it is empty"
    lying.add_argument("folder", metavar="FOLDER", help=folder)
    lying.add_argument("--stack", help="only the shares of this stack")
    for name, form, example in (
        ("gcloud", "JSON", "container clusters list --format=json"),
        ("kubectl", "JSON or YAML", "get nodes -A -o json"),
    ):
        about = f"Print a listing in the format of {name}. {ANSWERED[name]}"
        listing = add(name, help=f"print a listing in the format of {name}, as {form}", description=about)
        listing.add_argument("words", nargs=argparse.REMAINDER, metavar="WORD", help=f"such as `{example}`")


if __name__ == "__main__":
    main()
