"""Rules about fields of the right type that the API server refuses beside others, or in their form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.apis.served import MANIFEST_KINDS
from components.model.findings import Finding, counted
from components.model.names import as_label
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.pods import RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_FIELDS: Final = 5
_ZONE: Final = re.compile(r"(?:CRON_)?TZ=(?P<name>\S*)")
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?")
_LABELS: Final = (kinds.NAMESPACE, kinds.SERVICE)
"""Kinds whose names are labels of a DNS name, which have no dots."""
_MACRO: Final = re.compile(r"@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)")


@object_rule(
    "budget-states-one-limit",
    summary="a PodDisruptionBudget states minAvailable or maxUnavailable, not both",
    why="The API server refuses both together.",
    source="Kubernetes, pkg/apis/policy/validation",
    family=Family.GUARDRAILS,
    kinds=(kinds.DISRUPTION_BUDGET,),
)
def _budget_states_one_limit(budget: Object) -> Iterator[Finding]:
    if budget.has("spec", "minAvailable") and budget.has("spec", "maxUnavailable"):
        yield Finding(
            place=budget.place.at("spec", "maxUnavailable"),
            says="minAvailable is stated too.",
            remedy="Remove one of them.",
            is_about_key=True,
        )


@object_rule(
    "schedule-has-five-fields",
    summary="the schedule of a CronJob has the five fields of cron, or is a word such as @daily",
    why="The API server refuses others; seconds and years are not among them, and a time zone is a field of its own.",
    source="Kubernetes, pkg/apis/batch/validation, and robfig/cron v3, ParseStandard",
    family=Family.TOPOLOGY,
    kinds=(kinds.CRON_JOB,),
)
def _schedule_has_five_fields(job: Object) -> Iterator[Finding]:
    schedule = job.text("spec", "schedule")
    if schedule is None or _MACRO.fullmatch(schedule):
        return
    zone, found = _ZONE.match(schedule), len(schedule.split())
    if zone is not None:
        yield Finding(
            place=job.place.at("spec", "schedule"),
            says=f"{schedule} names a time zone.",
            remedy=f"Write the five fields alone, and timeZone: {zone['name']}.",
        )
    elif found != _FIELDS:
        yield Finding(
            place=job.place.at("spec", "schedule"),
            says=f"{schedule} has {counted(found, 'field')}.",
            remedy="Write minute, hour, day of the month, month and day of the week, such as 0 3 * * *.",
        )


@object_rule(
    "name-is-in-lower-case",
    summary="names of objects are lower-case letters, digits and hyphens, and dots for most kinds",
    why="The API server refuses other names.",
    source='Kubernetes documentation "Object Names and IDs", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=tuple(kind for kind in MANIFEST_KINDS if kind not in RUNS),
)
def _name_is_in_lower_case(each: Object) -> Iterator[Finding]:
    is_dotted = each.kind in _LABELS and "." in each.name
    if each.has("metadata", "name") and each.name and (is_dotted or _NAME.fullmatch(each.name) is None):
        yield Finding(
            place=each.place.at("metadata", "name"),
            says=f"{each.name} has other characters, or begins or ends with a sign.",
            remedy=f"Such as {as_label(each.name)}.",
        )


FIELD_AGREEMENT_RULES: Final = (_budget_states_one_limit, _schedule_has_five_fields, _name_is_in_lower_case)
