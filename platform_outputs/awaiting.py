"""What an update waits for when it submits a workload to a queue, as annotations that the Kubernetes provider reads.

Without them, the provider waits until a Job is complete, and gives up after ten minutes: many queues take longer to
admit it. For a JobSet it does not wait.
"""

from __future__ import annotations

from typing import Final

_ADMITTED: Final = "condition=Suspended=False"
"""Kueue creates Jobs and JobSets suspended, and resumes them when their quota is reserved and all checks are ready."""


def until_submitted() -> dict[str, str]:
    """The update goes on as soon as the API server has the Job or JobSet; `tpu timeline` follows it."""
    return {"pulumi.com/skipAwait": "true"}


def until_admitted(seconds: int) -> dict[str, str]:
    """The update goes on when Kueue admits the Job or JobSet, and fails when that takes longer.

    The workload stays in the queue after a failure, and the next update waits for it again.

    Args:
        seconds: how long it waits at most.
    """
    return {"pulumi.com/waitFor": _ADMITTED, "pulumi.com/timeoutSeconds": str(seconds)}
