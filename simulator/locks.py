"""The locks of stacks: an update holds one in the backend, and a killed update leaves it there.

Source: the engine's file backend, pkg/backend/diy/lock.go of Pulumi 3.250. A preview takes no lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.files import BrokenFileError, read_json
from simulator.processes import start_time

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.home import Home

LOCKING: Final = frozenset({"up", "refresh", "destroy", "import", "watch"})
"""Commands that take the stack's lock."""


def locks_of(home: Home, stack: str) -> list[Path]:
    """The locks of a stack, of whichever project."""
    return sorted(home.backend.glob(f".pulumi/locks/organization/*/{stack}/*.json"))


def running_holder(lock: Path) -> int | None:
    """The process that holds a lock; None if it is dead, also where it died as it wrote the lock."""
    try:
        holder = int(read_json(lock)["pid"])
    except BrokenFileError:
        return None
    return None if start_time(holder) is None else holder


def way_on(home: Home, stack: str) -> str:
    """Why a stack is locked, and the command that goes on from there; empty if it is not locked."""
    locks = locks_of(home, stack)
    if not locks:
        return ""
    commands = f"`tpu recover {stack}` (or `make recover STACK={stack}`)"
    running = next((pid for pid in map(running_holder, locks) if pid is not None), None)
    if running is not None:
        runs = f"another update of stack {stack} runs (process {running})"
        return f"{runs}. Wait for its end; after it was killed, {commands} repairs the stack."
    return f"stack {stack} is locked by an update that was killed. {commands} removes the lock and repairs the stack."
