"""A check that needs the running cluster, and what it compares with the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from components.live.cluster import LiveCluster
    from components.live.state import Made
    from components.model.findings import Finding
    from components.model.plan import Plan


class Change(Struct, frozen=True, kw_only=True):
    """What a check compares with the cluster."""

    plan: Plan
    before: Mapping[str, object]
    """The stack's outputs of the update before this one; empty where there was none."""
    made: Sequence[Made] = ()
    """What the stack has in its cluster, by its state."""


class Check(Struct, frozen=True, kw_only=True):
    """One question to the cluster."""

    subject: str
    """What it looks for, as a noun phrase: "other people's objects in namespaces that are deleted"."""
    is_needed: Callable[[Change], bool]
    """Whether the change makes it worth asking; it is not called with a cluster."""
    findings: Callable[[Change, LiveCluster], Iterable[Finding]]
