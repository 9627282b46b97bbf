"""Rules about what the API server serves: kinds and their versions, the fields of each, and what type they hold.

With the default of kubectl and of most clients it refuses an unknown field; otherwise it drops the field silently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.apis import served
from components.model.facts.apis.served import CURRENT, DEPRECATED, versions_of
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Family
from policies.objects.differences import differences, home_of
from policies.objects.judging import malformed, object_rule
from policies.objects.stated_fields import fields_of, version_in
from policies.objects.unserved import unserved
from policies.objects.values import MalformedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from components.model.places import Key
    from policies.objects.world import Object

_SOURCE: Final = (
    f"OpenAPI of {served.KUBERNETES_RELEASE}; CustomResourceDefinitions of {served.KUEUE_RELEASES}, "
    f"{served.JOBSET_RELEASES}, {served.LEADER_WORKER_SET_RELEASE}, {served.RAY_RELEASE}"
)
_DOCUMENTS: Final = 'GKE reference "ComputeClass" and prometheus-engine, charts/operator/crds, read 2026-11'
UNKNOWN_FIELD: Final = "field-exists"
"""The rule that finds fields that no release serves."""
_MANY: Final = 20
"""Fields that are too many to be read one by one."""
_MEANT: Final = {
    (kinds.CLUSTER_QUEUE, CURRENT, "cohort"): f"In {CURRENT} it is cohortName.",
    (kinds.CLUSTER_QUEUE, DEPRECATED, "cohortName"): f"In {DEPRECATED} it is cohort; better write {CURRENT}.",
    (kinds.CLUSTER_QUEUE, CURRENT, "admissionChecks"): "Name them as admissionChecksStrategy: {admissionChecks: "
    "[{name: ...}]}.",
    (kinds.CLUSTER_QUEUE, CURRENT, "reclaimOutOfCohort"): "To take back lent quota, set reclaimWithinCohort: Any.",
    (kinds.CLUSTER_QUEUE, DEPRECATED, "reclaimOutOfCohort"): "To take back lent quota, set reclaimWithinCohort: Any.",
    (kinds.COHORT, CURRENT, "parent"): "It is parentName.",
    (kinds.COHORT, DEPRECATED, "parent"): "It is parentName.",
    (kinds.ADMISSION_CHECK, CURRENT, "retryDelayMinutes"): "Retries are the retryStrategy of a "
    "ProvisioningRequestConfig.",
}
"""What somebody meant by a field that another version has, or that documents of others show."""


@object_rule(
    "api-is-served",
    summary="the API server serves the kind and the version of an object",
    why="It refuses objects of every other kind and version.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
    kinds=(*served.MANIFEST_KINDS, kinds.UNSERVED),
)
def _api_is_served(each: Object) -> Iterator[Finding]:
    if each.kind is kinds.UNSERVED:
        found = unserved(each.string("apiVersion"), each.string("kind"))
        if found is not None:
            yield Finding(place=each.place.at(found.key), says=found.says, remedy=found.remedy)
        return
    known = versions_of(each.kind)
    if version_in(each) not in known:
        group = f"{each.kind.group}/" if each.kind.group else ""
        yield Finding(
            place=each.place.at("apiVersion"),
            says=f"there is no {each.kind.name} of version {version_in(each)}.",
            remedy=f"Write {listing([f'{group}{version}' for version in sorted(known, reverse=True)], 'or')}.",
        )


@object_rule(
    UNKNOWN_FIELD,
    summary="objects have only fields that exist in their version",
    why="The API server refuses such a field, or drops it silently: a queue whose cohort is dropped "
    "lends and borrows nothing.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
    kinds=tuple(kind for kind in served.MANIFEST_KINDS if kind not in served.GKE_KINDS),
)
def _field_exists(each: Object) -> Iterator[Finding]:
    return _differing(each)


@object_rule(
    "documented-field-exists",
    summary="objects of GKE's own kinds have only documented fields",
    why="The API server refuses other fields, or drops them silently. A field may be newer than this rule.",
    source=_DOCUMENTS,
    family=Family.GUARDRAILS,
    kinds=served.GKE_KINDS,
    severity=Severity.WARNING,
)
def _documented_field_exists(each: Object) -> Iterator[Finding]:
    return _differing(each)


def _differing(each: Object) -> Iterator[Finding]:
    """A finding for each field that no release serves, and for each value that its field does not hold."""
    fields, release = fields_of(each), served.release_of(each.kind)
    of_release = f" in {release}" if release else ""
    for steps, value, wanted, known in differences(each.value, fields) if fields else ():
        place = each.place.at(*steps)
        if wanted:
            yield malformed(MalformedError(place, value, wanted))
        else:
            yield Finding(
                place=place,
                says=f"a {each.kind.name} of {version_in(each)} has no such field{of_release}.",
                remedy=_meant(each, steps, known),
                is_about_key=True,
            )


def _meant(each: Object, steps: tuple[Key, ...], known: Collection[str]) -> str:
    """What somebody meant by the last of the steps, which is not one of the known fields."""
    key = str(steps[-1])
    meant = _MEANT.get((each.kind, version_in(each), key), did_you_mean(key, known).rstrip())
    if meant:
        return meant
    home = home_of(key, steps[:-1], fields_of(each))
    if home is not None:
        return f"It is a field of {'.'.join(home)}."
    return f"Fields: {listing(known)}." if len(known) < _MANY else "Remove it."


API_FIELD_RULES: Final = (_api_is_served, _field_exists, _documented_field_exists)
