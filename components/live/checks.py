"""The checks that need the running cluster, and how their findings reach the user.

A preview goes on where the cluster cannot be asked, with a warning that says what was not checked. An update does not:
it would end what nobody looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.live import secrets
from components.live.cluster import LiveCluster, NotAskedError
from components.model.findings import Finding, Severity, listing
from components.model.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from components.model.plan import Plan

_RULE: Final = "cluster-is-asked"
_SOURCE: Final = "components/live/checks.py"


class Change(Struct, frozen=True, kw_only=True):
    """What a check compares with the cluster."""

    plan: Plan
    before: Mapping[str, object]
    """The stack's outputs of the update before this one; empty where there was none."""


class Check(Struct, frozen=True, kw_only=True):
    """One question to the cluster."""

    subject: str
    """What it looks for, as a noun phrase: "other people's objects in namespaces that are deleted"."""
    is_needed: Callable[[Change], bool]
    """Whether the change makes it worth asking; it is not called with a cluster."""
    findings: Callable[[Change, LiveCluster], Iterable[Finding]]
    stops: bool = True
    """Whether an update may not go on unasked; else what the check finds are warnings alone."""


CHECKS: Final[Sequence[Check]] = (
    Check(
        subject=secrets.SUBJECT,
        is_needed=lambda change: bool(secrets.others(change.plan)),
        findings=lambda change, cluster: secrets.findings(change.plan, cluster),
        stops=False,
    ),
)
"""In the order of their findings."""


def live_findings(change: Change, kubeconfig: Callable[[], str], *, is_preview: bool) -> list[Finding]:
    """What is wrong by what the cluster holds; nothing where the change needs no question.

    Args:
        change: the update.
        kubeconfig: of the cluster; called only if a question is asked.
        is_preview: whether nothing is changed yet, so that an unreachable cluster is a warning.
    """
    needed = [check for check in CHECKS if check.is_needed(change)]
    if not needed:
        return []
    try:
        with LiveCluster(kubeconfig()) as cluster:
            return [finding for check in needed for finding in check.findings(change, cluster)]
    except NotAskedError as error:
        return [_not_asked(change, error, needed, is_preview=is_preview)]


def _not_asked(change: Change, error: NotAskedError, needed: Sequence[Check], *, is_preview: bool) -> Finding:
    subjects = listing([check.subject for check in needed])
    return Finding(
        place=Place().at("cluster"),
        says=f"the cluster {change.plan.cluster.name} cannot be asked for {subjects}: {error}.",
        remedy="Run the program where the control plane can be reached, as an account that can read the cluster.",
        severity=Severity.ERROR if any(check.stops for check in needed) and not is_preview else Severity.WARNING,
        is_about_key=True,
        rule=_RULE,
        source=_SOURCE,
    )
