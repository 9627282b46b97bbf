"""The plan for failures of parts of a run, and for its success."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from components.model.facts.failures import JobSetAction, PodAction
    from components.model.places import Place


class PodFailurePlan(Struct, frozen=True, kw_only=True):
    """The action of a Job on a failed pod: by the exit codes of its containers, or by its conditions."""

    place: Place
    action: PodAction
    exit_codes: tuple[int, ...] = ()
    """Sorted, each once, as the API server wants them; empty for a rule about conditions."""
    is_other_code: bool = False
    """Whether the rule is about all other codes than these."""
    conditions: tuple[str, ...] = ()


class FailureRulePlan(Struct, frozen=True, kw_only=True):
    """The action of a JobSet on a failed Job."""

    place: Place
    name: str
    action: JobSetAction
    exit_codes: tuple[int, ...] = ()
    conditions: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    """Reasons of the failed Job; empty for any, and so below."""
    messages: tuple[str, ...] = ()
    replicated_jobs: tuple[str, ...] = ()

    @property
    def is_about_pods(self) -> bool:
        """Whether the rule is about a failed pod, which the Job must look at for the JobSet."""
        return bool(self.exit_codes or self.conditions)

    def concerns(self, replicated_job: str) -> bool:
        """Whether the rule is about Jobs of that replicated job."""
        return not self.replicated_jobs or replicated_job in self.replicated_jobs


class SuccessPlan(Struct, frozen=True, kw_only=True):
    """When a JobSet has succeeded."""

    place: Place
    operator: str
    replicated_jobs: tuple[str, ...]
    """Empty for all of them."""
