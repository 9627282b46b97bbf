"""The work in a running cluster, as `tpu running` writes it and the report of a preview reads it.

Jobs, and whatever else has pods. Each has what decides whether a change ends it: nodes, queue, quota, priority, claims.
"""

from __future__ import annotations

from enum import Enum

import msgspec
from msgspec import Struct


class State(Enum):
    """The state of a piece of work."""

    RUNS = "runs"
    """It has pods, or may make them: Kueue has admitted it, or it is in no queue."""
    RESERVES = "reserves"
    """It holds quota and waits for an admission check, such as that for its nodes."""
    WAITS = "waits"
    """It is in a queue and holds no quota."""
    FINISHED = "finished"
    UNKNOWN = "unknown"
    """The cluster was not asked: it is declared, and nobody knows whether it still runs."""


class Work(Struct, frozen=True, kw_only=True):
    """One object that owns pods and is owned by none, such as a JobSet, a Deployment or a bare Pod."""

    kind: str
    namespace: str
    name: str
    state: State
    local_queue: str = ""
    """The LocalQueue that it names; empty for work in no queue, and so below."""
    queue: str = ""
    """The ClusterQueue behind it, or the one that admitted it."""
    flavors: tuple[str, ...] = ()
    """Those whose quota it holds."""
    chips: int = 0
    """TPU chips that it asks for."""
    priority: int = 0
    """As Kueue compares it, or for work in no queue as the scheduler does."""
    priority_class: str = ""
    """The PriorityClass of its pods."""
    pools: tuple[str, ...] = ()
    """Node pools on which it has pods."""
    claims: tuple[str, ...] = ()
    """PersistentVolumeClaims that its pods mount."""
    is_ready: bool = True
    """Whether all of its pods run."""

    @property
    def title(self) -> str:
        """Kind, namespace and name, as the report shows them."""
        return f"{self.kind} {self.namespace}/{self.name}"


class Running(Struct, frozen=True, kw_only=True):
    """The cluster's answer."""

    work: tuple[Work, ...] = ()
    not_asked: str = ""
    """Why the cluster gave no answer, as a clause; empty where it gave one."""


def encoded(running: Running) -> str:
    """The snapshot as JSON."""
    return msgspec.json.format(msgspec.json.encode(running), indent=2).decode()


def decoded(text: str) -> Running:
    """The snapshot that a text is.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return msgspec.json.decode(text, type=Running)
