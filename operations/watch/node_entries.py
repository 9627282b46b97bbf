"""The timeline's entries about nodes: they come, they are lost or not ready, they go; one per pool and burst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kubeapi.documents import section
from operations.watch.entry import Entry, Rank, order_of, time_of
from operations.watch.placements import BURST_SECONDS
from operations.watch.record import pool_of, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.watch.record import Record

_REGISTERED: Final = "RegisteredNode"
_TEXTS: Final = {
    _REGISTERED: ("node came", "nodes came"),
    "RemovingNode": ("node went", "nodes went"),
    "NodeNotReady": ("node is not ready", "nodes are not ready"),
}
"""One and many, by the reason of the event that kube-controller-manager writes about the Node."""


@dataclass(frozen=True, slots=True, order=True)
class _Change:
    pool: str
    reason: str
    time: float
    order: int
    node: str


def node_entries(record: Record) -> Iterator[Entry]:
    """What became of nodes; those that are gone without a trace of their pool count to `-`."""
    group: list[_Change] = []
    for change in sorted(_changes(record)):
        is_more = group and (change.pool, change.reason) == (group[-1].pool, group[-1].reason)
        if group and not (is_more and change.time <= group[-1].time + BURST_SECONDS):
            yield _entry(group)
            group = []
        group.append(change)
    if group:
        yield _entry(group)


def _changes(record: Record) -> Iterator[_Change]:
    there = {node["metadata"]["name"]: node for node in record.nodes}
    for name, node in there.items():
        if "creationTimestamp" in node["metadata"]:
            yield _Change(pool_of(node), _REGISTERED, seconds(node["metadata"]["creationTimestamp"]), 0, name)
    came: set[str] = set()
    for event in record.events:
        about, reason = section(event, "involvedObject"), str(event.get("reason"))
        name = str(about.get("name"))
        if about.get("kind") != "Node" or reason not in _TEXTS:
            continue
        # A controller that starts again registers every node again; a node that is there says itself when it came.
        if reason == _REGISTERED and (name in there or name in came):
            continue
        if reason == _REGISTERED:
            came.add(name)
        yield _Change(record.node_pools.get(name, "-"), reason, time_of(event), order_of(event), name)


def _entry(group: list[_Change]) -> Entry:
    first = group[0]
    nodes = sorted({change.node for change in group})
    text = f"{len(nodes)} {_TEXTS[first.reason][len(nodes) != 1]}: {', '.join(nodes)}"
    about = f"pool {first.pool}" if first.pool != "-" else "nodes"
    return Entry(first.time, Rank.OTHER, first.order, about, text)
