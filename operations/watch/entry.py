"""One line of the timeline, and what comes first within one second."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from kubeapi.documents import section
from operations.watch.record import seconds

if TYPE_CHECKING:
    from kubeapi.documents import Document


class Rank(IntEnum):
    """What comes first within one second."""

    QUEUED = 0
    RELEASED = 1
    OTHER = 2


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One thing that happened."""

    time: float
    """Seconds since the epoch, whole where the API server keeps whole ones."""
    rank: Rank
    order: int
    """Place in the API server's own order of writes."""
    job: str
    """Whom it is about: a job, or a node pool."""
    text: str
    chips: int = 0
    """How the chips and GPUs under admission change: taken above 0, given back below."""


def release_rank(taken: float | None, released: float) -> Rank:
    """Where quota that is given back at `released` stands within that second: not before it was taken."""
    return Rank.OTHER if taken == released else Rank.RELEASED


def time_of(event: Document) -> float:
    """When an event was first seen; both the core and the events.k8s.io form of the field."""
    first = event.get("firstTimestamp") or event.get("eventTime") or event["metadata"]["creationTimestamp"]
    return float(int(seconds(first)))


def last_time_of(event: Document) -> float:
    """When an event was last seen."""
    last = event.get("lastTimestamp") or section(event, "series").get("lastObservedTime")
    return max(time_of(event), float(int(seconds(last))))


def order_of(document: Document) -> int:
    """Place of the last write of an object in the API server's own order."""
    return int(document["metadata"]["resourceVersion"])
