"""`python -m payloads.fraud_detection`: datasets in, a chain of checkpoints and a report out."""

from __future__ import annotations

import argparse
import datetime as dt
import functools
import os
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection import report
from payloads.fraud_detection.chain import Chain
from payloads.fraud_detection.errors import BadDataError, DatasetReadError, ServerError, StoppedError, StoreError
from payloads.fraud_detection.process import EXIT_STOPPED, Log, Stop
from payloads.fraud_detection.share import FOLDERS, TRAINING, Share, put
from payloads.fraud_detection.workqueue import Address, Server, WorkQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Run = Callable[[argparse.Namespace, Log, Stop], int]
    """A command: its arguments, its output, and the signal to end; returns the exit code."""
    _Add = Callable[..., argparse.ArgumentParser]
    """Adds a command's parser."""
    _Kind = Callable[[str], object]
    """The value of a flag's text."""

SHARE: Final = "/mnt/fileserver"
"""Where the volume is mounted."""
SHARE_VARIABLE: Final = "SHARE_PATH"
"""Names another mount point of the volume."""
IMAGE_USER: Final = "10001:10001"
"""User and group of the image, as its Dockerfile has them."""
_SHORTEST: Final = 0.001
"""Seconds: Redis counts in milliseconds."""
_WORDS: Final = {
    "new": "queued",
    "queued": "queued already",
    "dead": "on the dead list; `retry` queues it again",
    "trained": "in the chain already",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a command. Exit code 1 when it failed, 143 when it was asked to end."""
    arguments = _parser().parse_args(words)
    stop = Stop()
    try:
        return arguments.run(arguments, Log(is_json=arguments.json), stop)
    except StoppedError:
        return EXIT_STOPPED
    except (DatasetReadError, ServerError, StoreError) as error:
        print(f"fraud_detection {arguments.command}: {error}", file=sys.stderr)
        return 1
    finally:
        stop.restore()


def _work(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Train queued datasets, end when the queue is empty."""
    # Imported only here: it spares the other commands half a second and the memory.
    from payloads.fraud_detection.worker import Worker  # noqa: PLC0415

    session, share = str(uuid.uuid4()), Share(arguments.share)
    queue = _queue(arguments, log, stop, session)
    return Worker(session, share, Chain(share, log), queue, stop, log, arguments.chunk_rows).run()


def _prepare(arguments: argparse.Namespace, log: Log, _stop: Stop) -> int:
    """Make the share's folders and give them to the user that writes there."""
    share = Share(arguments.share)
    for inside in FOLDERS:
        share.hand_over(inside, arguments.owner, log)
    return 0


def _generate(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Make datasets of card transactions."""
    from payloads.fraud_detection.generate import csv_blocks, days  # noqa: PLC0415  as above

    *training, test = days(arguments.start, arguments.days + 1)
    for folder, day in (*(("training", day) for day in training), ("test", test)):
        stop.check()
        made = functools.partial(csv_blocks, day, arguments.rows, seed=arguments.seed, fraud_share=arguments.fraud)
        put(arguments.to / folder / f"{day}.csv", made, may_replace=arguments.replace, log=log)
    return 0


def _enqueue(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Queue the training sets that the model has not seen."""
    share = Share(arguments.share)
    trained = set(Chain(share, log).read().trained)
    names = [_canonical(share, entry) for entry in share.entries(TRAINING)]
    states = {name: "trained" for name in names if name in trained}
    states |= _queue(arguments, log, stop).add([name for name in names if name not in trained])
    for name in names:
        log.say(states[name], f"{name}: {_WORDS[states[name]]}", dataset=name)
    count = list(states.values()).count("new")
    log.say("queued-all", f"{count} of {len(names)} training datasets queued", new=count, found=len(names))
    return 0


def _canonical(share: Share, entry: str) -> str:
    """The dataset's one name. An entry that cannot be trained is queued as it is: the worker reports the reason."""
    try:
        return share.dataset(entry).name
    except BadDataError:
        return entry


def _retry(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Queue datasets of the dead list again."""
    if arguments.dataset is None and not arguments.all:
        raise StoreError("no dataset given: name one of the dead list, or use --all")
    count = _queue(arguments, log, stop).revive(arguments.dataset)
    log.say("revived", f"{count} datasets queued again", count=count)
    return 0 if count or arguments.all else 1


def _status(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """List datasets that wait, are in work, were given up, were trained."""
    state = _queue(arguments, log, stop).state()
    trained = Chain(Share(arguments.share), log).read().trained
    for what, names in (("waiting", state.waiting), ("processing", state.processing), ("trained", trained)):
        log.say(what, f"{what}: {len(names)}" + "".join(f"\n  {name}" for name in names), datasets=list(names))
    lines = "".join(f"\n  {each['dataset']}: {each['reason']}" for each in state.dead)
    log.say("dead", f"dead: {len(state.dead)}{lines}", datasets=list(state.dead))
    return 0


def _results(arguments: argparse.Namespace, log: Log, _stop: Stop) -> int:
    """List the output folder and print the report."""
    chain = Chain(Share(arguments.share), log)
    names = sorted(path.name for path in chain.output.iterdir() if path.is_file() and not path.name.startswith("."))
    links = chain.read()
    entries = [{"dataset": each.dataset, "metrics": each.metrics} for each in links.sound]
    log.say("results", "\n".join([*names, "", report.report_text(links)]).rstrip(), files=names, report=entries)
    return 0


def _queue(arguments: argparse.Namespace, log: Log, stop: Stop, worker: str = "command") -> WorkQueue:
    address = Address.found(os.environ, arguments.redis_host, arguments.redis_port)
    server = Server(address, patience=arguments.redis_patience, wait=stop.wait)
    return WorkQueue(server, worker, log, lease_seconds=arguments.lease, tries=arguments.tries)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m payloads.fraud_detection", description=__doc__)
    add = parser.add_subparsers(dest="command", required=True).add_parser
    work = _command(add, "work", _work, share=True, redis=True)
    lease, tries = work.get_default("lease"), work.get_default("tries")
    _flag(work, "--lease", _number(float, _SHORTEST), "seconds without a renewal until a worker counts as dead", lease)
    _flag(work, "--tries", _number(int, 1), "how often a dataset is tried", tries)
    _flag(work, "--chunk-rows", _number(int, 1), "rows read at a time", 50_000)
    prepare = _command(add, "prepare", _prepare, share=True)
    _flag(prepare, "--owner", _owner, "USER:GROUP by number", IMAGE_USER)
    generate = _command(add, "generate", _generate)
    generate.add_argument("--to", type=Path, required=True, help="folder that gets training/ and test/")
    _flag(generate, "--start", dt.date.fromisoformat, "first day", "2018-04-01")
    _flag(generate, "--days", _number(int, 1), "training sets; the day after them is the test set", 4)
    _flag(generate, "--rows", _number(int, 1), "transactions a day", 20_000)
    _flag(generate, "--fraud", _number(float, 0, 1), "share of frauds among them", 0.01)
    _flag(generate, "--seed", _number(int, 0), "other seeds make other transactions", 0)
    generate.add_argument("--replace", action="store_true", help="replace files of the same name with other content")
    _command(add, "queue", _enqueue, share=True, redis=True)
    retry = _command(add, "retry", _retry, redis=True)
    retry.add_argument("dataset", nargs="?", help="as on the dead list")
    retry.add_argument("--all", action="store_true", help="all of them")
    _command(add, "status", _status, share=True, redis=True)
    _command(add, "results", _results, share=True)
    return parser


def _command(add: _Add, name: str, run: _Run, *, share: bool = False, redis: bool = False) -> argparse.ArgumentParser:
    # No abbreviations: the simulator must see which arguments of a command are paths.
    parser = add(name, help=run.__doc__, description=run.__doc__, allow_abbrev=False)
    parser.set_defaults(run=run, lease=60.0, tries=5)  # the queue's, which `work` lets users set
    parser.add_argument("--json", action="store_true", help="print everything as JSON, one object a line")
    if share:
        mounted = os.environ.get(SHARE_VARIABLE, SHARE)
        text = f"where the shared volume is mounted (default: {SHARE_VARIABLE}, or {SHARE})"
        parser.add_argument("--share", type=Path, default=mounted, help=text)
    if redis:
        parser.add_argument("--redis-host", help="default: REDIS_HOST; the password is in REDIS_PASSWORD")
        parser.add_argument("--redis-port", type=_number(int, 1), help="default: REDIS_PORT, or 6379")
        _flag(parser, "--redis-patience", _number(float, _SHORTEST), "seconds that Redis may be gone", 120.0)
    return parser


def _flag(parser: argparse.ArgumentParser, name: str, kind: _Kind, text: str, default: object) -> None:
    parser.add_argument(name, type=kind, help=f"{text} (default: %(default)s)", default=default)


def _owner(text: str) -> tuple[int, int]:
    user, _, group = text.partition(":")
    if not (user.isdecimal() and group.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text} is not USER:GROUP, both as numbers")
    return int(user), int(group)


def _number(kind: Callable[[str], float], lowest: float, highest: float = 2**53) -> Callable[[str], float]:
    """The type of a flag that is a number; NaN is never between the two bounds."""

    def number(text: str) -> float:
        value = kind(text)
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(f"{text} is not between {lowest} and {highest}")
        return value

    return number


if __name__ == "__main__":
    raise SystemExit(main())
