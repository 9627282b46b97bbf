"""A process that has imported what a worker needs, and forks workers: each is a process that can be killed on its own.

It has no thread but its first one, so that forking is safe whatever the test process is made of. Requests and answers
are JSON, a line each: {"words", "environment", "log", "fault"} starts a command and answers its pid; {"pid"} answers
its exit status, or null while it runs.

A fault is [point, signal]: the process sends itself the signal when it comes to that point for the first time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from payloads.fraud_detection import chain, report, worker, workqueue
from payloads.fraud_detection.__main__ import main as command
from payloads.fraud_detection.model import FraudModel
from payloads.fraud_detection.share import Share
from payloads.fraud_detection.table import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

POINTS: Final[dict[str, tuple[object, str, bool]]] = {
    "claimed": (Share, "dataset", False),
    "read": (Reading, "checked", True),
    "locked": (chain.Chain, "tidy", False),
    "learned": (FraudModel, "learn", True),
    "trained": (worker, "train", True),
    "written": (chain, "write_synced", True),
    "sure": (Path, "hardlink_to", False),
    "linked": (Path, "hardlink_to", True),
    "reported": (report, "replace", True),
    "finishing": (workqueue.WorkQueue, "finish", False),
    "finished": (workqueue.WorkQueue, "finish", True),
}
"""What is called there, and whether the point is after it: `sure` is just before the link."""


_RAISED: Final = 70
"""Exit status of a command that raises."""


def _with_fault(original: Callable[..., Any], number: int, *, is_after: bool) -> Callable[..., Any]:
    is_done = False

    @wraps(original)
    def called(*arguments: object, **more: object) -> object:
        nonlocal is_done
        if not is_after and not is_done:
            is_done = True
            os.kill(os.getpid(), number)
        result: object = original(*arguments, **more)
        if is_after and not is_done:
            is_done = True
            os.kill(os.getpid(), number)
        return result

    return called


def _start(request: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    log = os.open(request["log"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.update(cast("dict[str, str]", request["environment"]))
    if request["fault"]:
        owner, name, is_after = POINTS[request["fault"][0]]
        number = signal.Signals[request["fault"][1]]
        setattr(owner, name, _with_fault(getattr(owner, name), number, is_after=is_after))
    status = _RAISED
    try:
        status = command(request["words"])
    finally:
        if status == _RAISED:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _status(pid: int) -> int | None:
    """As subprocess gives it: below 0 for the signal that ended it."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        sys.stdout.write(json.dumps(_status(request["pid"]) if "pid" in request else _start(request)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
