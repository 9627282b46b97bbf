"""`stock`, `lose` and `times`: shortages, failures and delays of the simulated machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.client import ensure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.home import Home


def stock(home: Home, *, out: Sequence[str], back: Sequence[str]) -> Iterator[str]:
    """Say what runs out of stock and what comes back, each as `WHAT[:CAPACITY][@ZONE]`; then what is out.

    Raises:
        CallError: there is no such machine type, GPU, TPU or zone.
    """
    left: list[str] = ensure(home).call("scaling.stock", out=list(out), back=list(back))
    yield f"out of stock: {', '.join(left) or 'nothing'}"


def lose(home: Home, name: str) -> Iterator[str]:
    """Make the machine of a node, or all machines of a node pool, fail.

    Raises:
        CallError: there is no such node or pool, or it is busy.
    """
    for node in ensure(home).call("scaling.lose", name=name):
        yield f"lost {node}"


def times(home: Home, wanted: Mapping[str, float]) -> Iterator[str]:
    """Set how many simulated seconds the autoscaler's steps take; then all of them.

    Raises:
        CallError: one of them is not a number of seconds.
    """
    client = ensure(home)
    known: dict[str, Any] = client.call("scaling.times", wanted=dict(wanted))
    speed: float = client.call("status")["speed"]
    for name, seconds in known.items():
        yield f"{name}: {seconds:g} s simulated, {seconds / speed:.1f} s here"
