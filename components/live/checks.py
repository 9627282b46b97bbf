"""The checks that need the running cluster, and how their findings reach the user.

A preview goes on where the cluster cannot be asked, with a warning that says what was not checked. An update does not:
it would end what nobody looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.live import controllers, removed, secrets
from components.live.cluster import LiveCluster, NotAskedError
from components.model.findings import Finding, Severity, listing
from components.model.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from components.live.check import Change, Check

_RULE: Final = "cluster-is-asked"
_SOURCE: Final = "components/live/checks.py"


CHECKS: Final[Sequence[Check]] = (controllers.CHECK, removed.CHECK, secrets.CHECK)
"""In the order of their findings."""


def live_findings(change: Change, kubeconfig: Callable[[], str], *, is_preview: bool) -> list[Finding]:
    """The faults by what the cluster holds; nothing where the change needs no question.

    Args:
        change: the update.
        kubeconfig: of the cluster; called only if a question is asked.
        is_preview: whether nothing is changed yet, so that an unreachable cluster is a warning.
    """
    needed = [check for check in CHECKS if check.is_needed(change)]
    if not needed:
        return []
    found: list[Finding] = []
    done = 0
    try:
        with LiveCluster(kubeconfig()) as cluster:
            for check in needed:
                found.extend(check.findings(change, cluster))
                done += 1
    except NotAskedError as error:
        found.append(_not_asked(change, error, needed[done:], is_preview=is_preview))
    return found


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
