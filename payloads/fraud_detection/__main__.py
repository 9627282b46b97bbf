"""`python -m payloads.fraud_detection`: datasets in, a chain of checkpoints and a report out."""

from __future__ import annotations

import argparse
import datetime as dt
import math
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.commands import COMMANDS
from payloads.fraud_detection.errors import DatasetReadError, ServerError, StoppedError, StoreError
from payloads.fraud_detection.log import Log
from payloads.fraud_detection.stop_signals import EXIT_STOPPED, Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Add = Callable[..., argparse.ArgumentParser]
    """Adds a command."""

SHARE: Final = "/mnt/fileserver"
"""Where the volume is mounted."""
SHARE_VARIABLE: Final = "SHARE_PATH"
"""Names another mount point of the volume."""
IMAGE_USER: Final = "10001:10001"
"""User and group of the image, as its Dockerfile has them."""
_OWNER: Final = re.compile(r"(?P<user>\d+):(?P<group>\d+)")
_CHUNK_ROWS: Final = 50_000


def main(words: Sequence[str] | None = None) -> int:
    """Run a command. Exit code 1 when it failed, 143 when it was asked to end."""
    arguments = _parser().parse_args(words)
    log = Log(is_json=arguments.json)
    with Stop() as stop:
        try:
            return COMMANDS[arguments.command](arguments, log, stop)
        except StoppedError:
            return EXIT_STOPPED
        except (DatasetReadError, ServerError, StoreError) as error:
            print(f"fraud_detection {arguments.command}: {error}", file=sys.stderr)
            return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m payloads.fraud_detection", description=__doc__)
    add = parser.add_subparsers(dest="command", required=True).add_parser
    work = _command(add, "work", "train queued datasets, end when the queue is empty", share=True, redis=True)
    work.add_argument(
        "--lease",
        type=_seconds,
        default=60.0,
        help="seconds without a renewal until a worker counts as dead (default: 60)",
    )
    work.add_argument("--tries", type=_positive, default=5, help="how often a dataset is tried (default: 5)")
    work.add_argument(
        "--chunk-rows", type=_positive, default=_CHUNK_ROWS, help=f"rows read at a time (default: {_CHUNK_ROWS})"
    )
    _add_prepare(add)
    _add_generate(add)
    _add_transfers(add)
    _command(add, "queue", "queue the training sets that the model has not seen", share=True, redis=True)
    retry = _command(add, "retry", "queue datasets of the dead list again", redis=True)
    retry.add_argument("dataset", nargs="?", help="as on the dead list")
    retry.add_argument("--all", action="store_true", help="all of them")
    _command(add, "status", "list datasets that wait, are in work, were given up, were trained", share=True, redis=True)
    shown = _command(add, "results", "list the output folder and print the report", share=True)
    _add_pod(shown, "read them through this pod, which mounts the share", default=None)
    curve = _command(add, "curve", "write the learning curve as a page", share=True)
    curve.add_argument("--to", type=Path, help="the file (default: output/learning_curve.html of the share)")
    return parser


def _add_prepare(add: _Add) -> None:
    made = _command(add, "prepare", "make the share's folders and give them to the user that writes there", share=True)
    made.add_argument(
        "--owner", type=_owner, default=_owner(IMAGE_USER), help=f"USER:GROUP by number (default: {IMAGE_USER})"
    )


def _add_generate(add: _Add) -> None:
    made = _command(add, "generate", "make datasets of card transactions")
    made.add_argument("--to", type=Path, required=True, help="folder that gets training/ and test/")
    made.add_argument(
        "--start",
        type=dt.date.fromisoformat,
        default=dt.date(2018, 4, 1),
        help="first day (default: 2018-04-01)",
    )
    made.add_argument(
        "--days", type=_positive, default=4, help="training sets; the day after them is the test set (default: 4)"
    )
    made.add_argument("--rows", type=_positive, default=20_000, help="transactions a day (default: 20000)")
    made.add_argument("--fraud", type=_share, default=0.01, help="share of frauds among them (default: 0.01)")
    made.add_argument("--seed", type=_natural, default=0, help="other seeds make other transactions (default: 0)")
    _add_replace(made)


def _add_transfers(add: _Add) -> None:
    here = _command(add, "transfer", "copy a folder of datasets to the share that is mounted here", share=True)
    pod = _command(add, "send", "copy a folder of datasets to the share through a pod that mounts it", share=True)
    _add_pod(pod, "the pod (default: redis-leader-0)", default="redis-leader-0")
    for each in (here, pod):
        each.add_argument("folder", type=Path, help="it holds training/*.csv and test/*.csv")
        _add_replace(each)


def _add_pod(parser: argparse.ArgumentParser, help_text: str, *, default: str | None) -> None:
    parser.add_argument("--pod", default=default, help=help_text)
    parser.add_argument("--namespace", "-n", default="default", help="its namespace (default: default)")
    parser.add_argument("--container", help="its container (default: the first)")
    parser.add_argument("--context", help="of the kubeconfig (default: the current one)")


def _add_replace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--replace", action="store_true", help="replace files of the same name with other content")


def _command(
    add: _Add,
    name: str,
    help_text: str,
    *,
    share: bool = False,
    redis: bool = False,
) -> argparse.ArgumentParser:
    # No abbreviations: the simulator must see which arguments of a command are paths.
    parser = add(name, help=help_text, description=help_text, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print everything as JSON, one object a line")
    if share:
        mounted = Path(os.environ.get(SHARE_VARIABLE, SHARE))
        text = f"where the shared volume is mounted (default: {SHARE_VARIABLE}, or {SHARE})"
        parser.add_argument("--share", type=Path, default=mounted, help=text)
    if redis:
        parser.add_argument("--redis-host", help="default: REDIS_HOST; the password is in REDIS_PASSWORD")
        parser.add_argument("--redis-port", type=_positive, help="default: REDIS_PORT, or 6379")
        parser.add_argument(
            "--redis-patience", type=_seconds, default=120.0, help="seconds that Redis may be gone (default: 120)"
        )
    return parser


def _owner(text: str) -> tuple[int, int]:
    match = _OWNER.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text} is not USER:GROUP, both as numbers")
    return int(match["user"]), int(match["group"])


def _seconds(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def _positive(text: str) -> int:
    value = _natural(text)
    if value == 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


if __name__ == "__main__":
    raise SystemExit(main())
