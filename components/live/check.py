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
    """The change that a check compares with the cluster."""

    plan: Plan
    before: Mapping[str, object]
    """The stack's outputs of the update before this one; empty where there was none."""
    made: Sequence[Made] = ()
    """The objects that the stack has in its cluster, by its state."""
    is_adopting: bool = False
    """Whether the stack takes over what runs: what its state does not have yet is about to be imported."""


class Check(Struct, frozen=True, kw_only=True):
    """One question to the cluster."""

    subject: str
    """The object of the search, as a noun phrase: "other people's objects in namespaces that are deleted"."""
    is_needed: Callable[[Change], bool]
    """Whether the change makes it worth asking; it is not called with a cluster."""
    findings: Callable[[Change, LiveCluster], Iterable[Finding]]
    stops: bool = True
    """Whether an update may not go on unasked; else what the check finds are warnings alone."""
