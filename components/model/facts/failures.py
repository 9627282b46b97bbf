"""How Jobs and JobSets fail: the reasons, the messages and the actions that their controllers know.

Sources: Kubernetes 1.36.4, pkg/controller/job/pod_failure_policy.go (messages) and pkg/apis/batch/validation; JobSet
0.12.0, pkg/webhooks/jobset_webhook.go, pkg/controllers/failure_policy.go and pkg/features/features.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

JobSetAction = Literal["FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts"]
"""The actions of JobSet that need no feature gate."""
PodAction = Literal["FailJob", "Ignore", "Count"]
"""The actions of a podFailurePolicy; FailIndex is left out, as it needs a limit for each index."""
FailureReason = Literal[
    "BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy"
]
"""The reasons of a failed Job that JobSet takes."""
PodCondition = Literal["DisruptionTarget"]
"""The condition of a pod that Kubernetes ends: its node fails or is drained, or another pod preempts it."""
RESTART_AND_IGNORE: Final[JobSetAction] = "RestartJobSetAndIgnoreMaxRestarts"
FAIL_JOB: Final = "FailJob"
IGNORE: Final[PodAction] = "Ignore"
POD_FAILURE_POLICY: Final = "PodFailurePolicy"
"""The reason of a Job that a podFailurePolicy failed."""
DISRUPTION: Final = "DisruptionTarget"
GATED: Final = ("InPlaceRestart", "RestartJob", "RestartJobAndIgnoreMaxRestarts")
"""Values behind a feature gate that is off by default, and that JobSet's chart has no value for."""
REASONS: Final = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    POD_FAILURE_POLICY,
)
"""All that JobSet takes, as it lists them."""
RULE_NAME: Final = r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
RULE_NAME_LENGTH: Final = 128
LARGEST_EXIT_CODE: Final = 255
SIGNALS: Final = {137: "SIGKILL", 143: "SIGTERM"}
"""Exit codes of containers that were ended by a signal: 128 and its number."""
GRACE_SECONDS: Final = 30
"""Seconds between SIGTERM and SIGKILL where a pod states none."""
BACKOFF_LIMIT: Final = 6
"""How often a Job that states nothing replaces failed pods."""
POD_RULES: Final = 20
"""Rules that a podFailurePolicy may have."""
DEPENDENCIES: Final = 5
"""Replicated jobs that one may wait for."""
_NOT_IN_RE2: Final = re.compile(r"\(\?(?:<?[=!]|>|\(|P=)|\\[1-9]|(?<!\\)[*+?}]\+")
"""Look-arounds, atomic groups, conditions, back-references and possessive quantifiers."""


def is_re2(pattern: str) -> bool:
    """Whether Go's regular expressions take a pattern, in which JobSet matches messages.

    >>> is_re2("exit code (42|43)"), is_re2("(?!code)"), is_re2("(")
    (True, False, False)
    """
    try:
        re.compile(pattern)
    except re.error:
        return False
    return _NOT_IN_RE2.search(pattern) is None


def rule_name(index: int) -> str:
    """The name that JobSet's webhook gives a failure rule without one."""
    return f"failurePolicyRule{index}"


def message_of_exit_codes(codes: Iterable[int]) -> str:
    """A pattern of the message of a Job that failed because a container ended with one of these codes.

    >>> message_of_exit_codes([42, 43])
    'failed with exit code (42|43) matching FailJob rule'
    """
    return f"failed with exit code ({'|'.join(map(str, codes))}) matching {FAIL_JOB} rule"


def message_of_conditions(conditions: Iterable[str]) -> str:
    """A pattern of the message of a Job that failed because a pod has one of these conditions.

    >>> message_of_conditions(["DisruptionTarget"])
    'has condition (DisruptionTarget) matching FailJob rule'
    """
    return f"has condition ({'|'.join(conditions)}) matching {FAIL_JOB} rule"
