"""How a Job, a JobSet or a RayJob came to its end."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final, NamedTuple

from kubeapi.documents import condition, is_true, section

if TYPE_CHECKING:
    from kubeapi.documents import Document

_ENDED: Final = ("Completed", "Complete", "Failed")
"""Conditions of a Job and of a JobSet."""
_FAILED: Final = "Failed"
_RAY_ENDED: Final = ("Complete", _FAILED)
"""States of a RayJob, which has no conditions. Source: KubeRay 1.6.2, ray-operator/apis/ray/v1/rayjob_types.go."""
_RAY_SUCCEEDED: Final = "SUCCEEDED"


class End(NamedTuple):
    """The end of a job."""

    stamp: str
    """When it was, as an RFC 3339 time; empty where nothing says it."""
    is_failure: bool
    reason: str
    message: str

    @property
    def moment(self) -> float:
        """When it was, in seconds since the epoch; 0 where nothing says it."""
        return dt.datetime.fromisoformat(self.stamp).timestamp() if self.stamp else 0.0


def end_of(job: Document) -> End | None:
    """The end of a job; None while it has not come."""
    for type_ in _ENDED:
        if is_true(job, type_):
            stated = condition(job, type_)
            reason, message = str(stated.get("reason") or type_), str(stated.get("message") or "")
            return End(str(stated.get("lastTransitionTime") or ""), type_ == _FAILED, reason, message)
    status = section(job, "status")
    state = str(status.get("jobDeploymentStatus"))
    if state not in _RAY_ENDED:
        return None
    outcome = str(status.get("jobStatus") or state)
    return End(str(status.get("endTime") or ""), outcome != _RAY_SUCCEEDED, outcome, str(status.get("message") or ""))
