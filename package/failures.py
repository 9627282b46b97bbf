"""The inputs of a JobSet about failures; a test compares them with `components/model/config/failures.py`."""

from typing import NotRequired, TypedDict


class FailureRule(TypedDict):
    """What a JobSet does with a failed Job; the first rule that matches decides."""

    action: str
    """`FailJobSet`, `RestartJobSet` or `RestartJobSetAndIgnoreMaxRestarts`."""
    name: NotRequired[str]
    """Name of the rule; left out, it is its number."""
    on_exit_codes: NotRequired[list[int]]
    """Exit codes of a container."""
    on_pod_conditions: NotRequired[list[str]]
    """`DisruptionTarget`: Kubernetes ended the pod, because of its node or for another pod."""
    on_reasons: NotRequired[list[str]]
    """Reasons of the failed Job, such as `BackoffLimitExceeded`."""
    on_messages: NotRequired[list[str]]
    """Regular expressions (RE2) for the message of the failed Job."""
    replicated_jobs: NotRequired[list[str]]
    """The replicated jobs that it is about; left out, it is about all of them."""


class FailurePolicy(TypedDict):
    """What a JobSet does when one of its Jobs fails."""

    max_restarts: NotRequired[int]
    """How often a failed workload starts again; 0 states that it never does."""
    restart_strategy: NotRequired[str]
    """`Recreate` or `BlockingRecreate`."""
    rules: NotRequired[list[FailureRule]]
    """What to do with which failure."""


class SuccessPolicy(TypedDict):
    """When a JobSet has succeeded."""

    operator: str
    """`All` or `Any`."""
    replicated_jobs: NotRequired[list[str]]
    """The replicated jobs that decide; left out, all of them do."""


class Survival(TypedDict):
    """How a workload survives that Kubernetes ends its pods, such as for maintenance."""

    checkpoint_seconds: int
    """Seconds that its program takes to write a checkpoint after SIGTERM."""
