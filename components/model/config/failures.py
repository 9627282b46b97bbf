"""Configuration of failures: which ones end a run, which ones restart it, and when a run has succeeded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model.config.section import Count, Distinct, OptionalCount, Section
from components.model.config.values import NOT_BLANK, KubernetesName, Matching, ParsedBy
from components.model.facts import failures
from components.model.facts.failures import FailureReason, JobSetAction, PodAction, PodCondition

ExitCode = Annotated[int, Field(ge=1, le=failures.LARGEST_EXIT_CODE)]
"""The exit code of a program that failed."""
ExitCodes = Annotated[tuple[ExitCode, ...], Field(min_length=1), Distinct]
Conditions = Annotated[tuple[PodCondition, ...], Field(min_length=1), Distinct]
JobNames = Annotated[tuple[KubernetesName, ...], Field(min_length=1), Distinct]
"""Names of replicated jobs."""
RuleName = Annotated[
    str,
    Matching(
        failures.RULE_NAME,
        "is not a name that JobSet takes for a rule",
        "Letters, digits and any of _ , : with a letter first and a letter, digit or _ last.",
    ),
]


def _re2(pattern: str) -> None:
    """Refuses a pattern that JobSet would log, and then match with nothing."""
    if not failures.is_re2(pattern):
        raise ValueError(pattern)


MessagePattern = Annotated[
    str,
    NOT_BLANK,
    ParsedBy(
        _re2,
        "is not a regular expression that JobSet takes",
        "Go's syntax (RE2), which has no look-around and no back-reference.",
    ),
]
RestartStrategy = Literal["Recreate", "BlockingRecreate"]
Operator = Literal["All", "Any"]


class PodFailureRule(Section):
    """What a Job does with a failed pod; the first rule that matches decides."""

    exactly_one = (("on_exit_codes", "except_exit_codes", "on_pod_conditions"),)

    action: PodAction
    """FailJob ends the Job; Ignore replaces the pod without counting it; Count counts it towards backoff_limit."""
    on_exit_codes: ExitCodes | None = None
    """A container ended with one of these exit codes."""
    except_exit_codes: ExitCodes | None = None
    """A container ended with another exit code than these; 0 never counts."""
    on_pod_conditions: Conditions | None = None
    """The pod has one of these conditions. DisruptionTarget: Kubernetes ended the pod, because of its node or for
    another pod."""


class FailureRule(Section):
    """What a JobSet does with a failed Job; the first rule that matches decides, else the JobSet restarts."""

    at_most_one = (
        ("on_exit_codes", "on_pod_conditions"),
        ("on_exit_codes", "on_reasons"),
        ("on_exit_codes", "on_messages"),
        ("on_pod_conditions", "on_reasons"),
        ("on_pod_conditions", "on_messages"),
    )

    action: JobSetAction
    """FailJobSet ends the workload; RestartJobSet restarts it and counts; RestartJobSetAndIgnoreMaxRestarts restarts it
    without counting towards max_restarts."""
    name: RuleName | None = None
    """Name of the rule, which the JobSet's conditions show; by default failurePolicyRule and its number."""
    on_exit_codes: ExitCodes | None = None
    """A container ended with one of these exit codes. The Jobs get a podFailurePolicy for it."""
    on_pod_conditions: Conditions | None = None
    """A pod has one of these conditions. DisruptionTarget: Kubernetes ended the pod, because of its node or for
    another pod. The Jobs get a podFailurePolicy for it."""
    on_reasons: Annotated[tuple[FailureReason, ...], Field(min_length=1), Distinct] | None = None
    """The Job failed for one of these reasons."""
    on_messages: Annotated[tuple[MessagePattern, ...], Field(min_length=1), Distinct] | None = None
    """The message of the failed Job matches one of these regular expressions (RE2)."""
    replicated_jobs: JobNames | None = None
    """The failed Job is of one of these replicated jobs; by default of any."""


class FailurePolicy(Section):
    """What a JobSet does when one of its Jobs fails."""

    max_restarts: OptionalCount | None = None
    """How often a failed workload starts again, all slices together; 0 states that it never does."""
    restart_strategy: RestartStrategy | None = None
    """BlockingRecreate creates no new pod before all old ones are gone; by default JobSet decides."""
    rules: tuple[FailureRule, ...] = ()
    """What to do with which failure; the first rule that matches decides."""


class SuccessPolicy(Section):
    """When a JobSet has succeeded: by default when all of its Jobs are complete."""

    operator: Operator
    """All: every Job of the replicated jobs is complete. Any: one of them is; JobSet then ends the others."""
    replicated_jobs: JobNames | None = None
    """The replicated jobs that decide; by default all of them."""


class Survival(Section):
    """How it survives that Kubernetes ends its pods, such as for maintenance: it restarts without counting that."""

    checkpoint_seconds: Count
    """Seconds that its program takes to write a checkpoint after SIGTERM. Its pods get as long before SIGKILL, unless
    `grace_seconds` says otherwise."""
