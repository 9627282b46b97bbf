"""Rules about the API server: the kinds, versions and fields that it serves, and the values that it refuses.

With the default of kubectl and of most clients it refuses an unknown field; otherwise it drops the field silently.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.apis import served
from components.model.facts.apis.served import CURRENT, DEPRECATED, MANIFEST_KINDS, versions_of
from components.model.findings import Finding, Severity, about_key, counted, did_you_mean, listing
from components.model.names import as_label
from components.model.rule import Family
from policies.objects.fields import differences, fields_of, home_of, unserved, version_in
from policies.objects.judging import malformed, object_rule
from policies.objects.pods import MAKERS, RUNS, TERMS, PodGroup, pod_groups
from policies.objects.values import MalformedError, Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from components.model.places import Key
    from policies.objects.world import Object

FAMILY: Final = Family.GUARDRAILS

_OPENAPI: Final = (
    f"OpenAPI of {served.KUBERNETES_RELEASE}; CustomResourceDefinitions of {served.KUEUE_RELEASES}, "
    f"{served.JOBSET_RELEASES}, {served.LEADER_WORKER_SET_RELEASE}, {served.RAY_RELEASE}"
)
_DOCUMENTS: Final = 'GKE reference "ComputeClass" and prometheus-engine, charts/operator/crds, read 2026-11'
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
"""The field that somebody meant by one that another version has, or that documents of others show."""
_VALIDATION: Final = "Kubernetes, pkg/apis/core/validation, pkg/apis/batch/validation and pkg/apis/apps/validation"
_NEVER: Final = "Never"
_INDEXED: Final = "Indexed"
_COMPLETION_MODES: Final = (_INDEXED, "NonIndexed")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", _NEVER)
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_ACCESS_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_OF_SPECS: Final = {
    kinds.CRON_JOB: ("concurrencyPolicy", ("Allow", "Forbid", "Replace")),
    kinds.STATEFUL_SET: ("podManagementPolicy", ("OrderedReady", "Parallel")),
    kinds.SERVICE: ("type", ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
}
"""A field of a kind's spec, and the values that it takes."""
_CLAIMED: Final = (kinds.CLAIM, kinds.VOLUME)
_SELECTING: Final = (kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.DAEMON_SET)
_WITH_JOBS: Final = (kinds.JOBSET, kinds.JOB, kinds.CRON_JOB)
_SCHEDULE_FIELDS: Final = 5
_SCHEDULE_ZONE: Final = re.compile(r"(?:CRON_)?TZ=(?P<name>\S*)")
_DNS_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?")
_NAMED_BY_LABEL: Final = (kinds.NAMESPACE, kinds.SERVICE)
"""Kinds whose names are labels of a DNS name, which have no dots."""
_SCHEDULE_MACRO: Final = re.compile(r"@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)")


@object_rule(
    summary="the API server serves the kind and the version of an object",
    why="It refuses objects of every other kind and version.",
    source=_OPENAPI,
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
    summary="objects have only fields that exist in their version",
    why="The API server refuses such a field, or drops it silently: a queue whose cohort is dropped "
    "lends and borrows nothing.",
    source=_OPENAPI,
    kinds=tuple(kind for kind in served.MANIFEST_KINDS if kind not in served.GKE_KINDS),
)
def _field_exists(each: Object) -> Iterator[Finding]:
    return _differing(each)


UNKNOWN_FIELD: Final = _field_exists.id
"""The rule that finds fields that no release serves."""


@object_rule(
    summary="objects of GKE's own kinds have only documented fields",
    why="The API server refuses other fields, or drops them silently. A field may be newer than this rule.",
    source=_DOCUMENTS,
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
            yield about_key(
                place=place,
                says=f"a {each.kind.name} of {version_in(each)} has no such field{of_release}.",
                remedy=_meant(each, steps, known),
            )


def _meant(each: Object, steps: tuple[Key, ...], known: Collection[str]) -> str:
    """The field that somebody meant by the last of the steps, which is not one of the known fields."""
    key = str(steps[-1])
    meant = _MEANT.get((each.kind, version_in(each), key), did_you_mean(key, known).rstrip())
    if meant:
        return meant
    home = home_of(key, steps[:-1], fields_of(each))
    if home is not None:
        return f"It is a field of {'.'.join(home)}."
    return f"Fields: {listing(known)}." if len(known) < _MANY else "Remove it."


@object_rule(
    summary="fields with a fixed set of values have one of them",
    why="The API server refuses the object.",
    source=_VALIDATION,
    kinds=(*MAKERS, kinds.SERVICE, *_CLAIMED),
)
def _value_is_a_known_one(each: Object) -> Iterator[Finding]:
    for part, path, known in _stated(each):
        value = part.text(*path)
        if value is not None and value not in known:
            yield Finding(
                place=part.place.at(*path),
                says=f"{value} is not a valid value.",
                remedy=f"{did_you_mean(value, known)}Values: {listing(known)}.",
            )


def _stated(each: Object) -> Iterator[tuple[Part, tuple[Key, ...], tuple[str, ...]]]:
    """Where values stand, from which part, and those that are known."""
    if each.kind in _OF_SPECS:
        key, known = _OF_SPECS[each.kind]
        yield each, ("spec", key), known
    for index, _ in enumerate(each.texts("spec", "accessModes") if each.kind in _CLAIMED else ()):
        yield each, ("spec", "accessModes", index), _ACCESS_MODES
    for group in pod_groups(each):
        yield from _stated_by(group)


def _stated_by(group: PodGroup) -> Iterator[tuple[Part, tuple[Key, ...], tuple[str, ...]]]:
    if group.job is not None:
        yield group.job, ("completionMode",), _COMPLETION_MODES
    for container in group.all_containers:
        yield container, ("imagePullPolicy",), _PULL_POLICIES
    for term in group.template.parts(*TERMS):
        for wanted in term.parts("matchExpressions"):
            yield wanted, ("operator",), _OPERATORS


@object_rule(
    summary="the containers and volumes of a pod, and the ports of a Service, have different names",
    why="The API server refuses the object.",
    source=_VALIDATION,
    kinds=(*MAKERS, kinds.SERVICE),
)
def _names_in_a_list_differ(each: Object) -> Iterator[Finding]:
    if each.kind is kinds.SERVICE:
        yield from _repeated(each.parts("spec", "ports"), "port")
    for group in pod_groups(each):
        yield from _repeated(group.all_containers, "container")
        yield from _repeated(group.template.parts("spec", "volumes"), "volume")


def _repeated(parts: Iterable[Part], noun: str) -> Iterator[Finding]:
    seen = set[str]()
    for part in parts:
        name = part.string("name")
        if name in seen:
            place = part.place.at("name")
            yield Finding(place=place, says=f"another {noun} is named {name}.", remedy="Give it a name of its own.")
        elif name:
            seen.add(name)


@object_rule(
    summary="Jobs with a podFailurePolicy have restartPolicy Never, and Jobs with backoffLimitPerIndex are Indexed",
    why="The API server refuses the Job.",
    source=_VALIDATION,
    family=Family.TOPOLOGY,
    kinds=_WITH_JOBS,
)
def _job_fields_agree(owner: Object) -> Iterator[Finding]:
    is_jobset = owner.kind is kinds.JOBSET
    jobs = [(group.job, group.template) for group in pod_groups(owner) if group.job is not None]
    for job, template in jobs:
        policy = template.text("spec", "restartPolicy") or ("OnFailure" if is_jobset else _NEVER)
        if job.has("podFailurePolicy") and policy == "OnFailure":
            yield Finding(
                place=template.place.at("spec", "restartPolicy"),
                says=f"it is {policy}, and a podFailurePolicy requires {_NEVER}.",
                remedy=f"Set {_NEVER}, or remove podFailurePolicy.",
            )
        mode = job.text("completionMode") or (_INDEXED if is_jobset else "NonIndexed")
        if job.has("backoffLimitPerIndex") and mode != _INDEXED:
            yield about_key(
                place=job.place.at("backoffLimitPerIndex"),
                says=f"the completionMode is {mode}, so there are no indexes.",
                remedy=f"Set completionMode: {_INDEXED}, or remove the key.",
            )


@object_rule(
    summary="the selector of a Deployment, StatefulSet or DaemonSet selects the pods of its template",
    why="The API server refuses the object.",
    source=_VALIDATION,
    kinds=_SELECTING,
)
def _selector_takes_its_own_pods(owner: Object) -> Iterator[Finding]:
    path = ("spec", "selector", "matchLabels")
    labels = owner.labels("spec", "template", "metadata", "labels")
    for key, value in owner.labels(*path).items():
        if labels.get(key) != value:
            has = f"the template has {key}: {labels[key]}" if key in labels else f"the template has no label {key}"
            yield Finding(
                place=owner.place.at(*path, key),
                says=f"{has}.",
                remedy=f"Set {key}: {value} in the labels of the template, or correct the selector.",
            )


@object_rule(
    summary="the values under data of a Secret are base64",
    why="The API server refuses others; stringData takes plain text.",
    source=_VALIDATION,
    kinds=(kinds.SECRET,),
)
def _secret_data_is_base64(secret: Object) -> Iterator[Finding]:
    data = secret.raw("data")
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, str) and not _is_base64(value):
            yield about_key(
                place=secret.place.at("data", key),
                says="it is not base64.",
                remedy="Move the key to stringData, which takes plain text.",
            )


BASE64_RULE: Final = _secret_data_is_base64.id
"""Its findings stand at a secret."""


def _is_base64(text: str) -> bool:
    """As Go reads it: without line ends, with padding."""
    try:
        b64decode(text.replace("\n", "").replace("\r", "").encode(), validate=True)
    except binascii.Error:
        return False
    return True


@object_rule(
    summary="a targetPort that is text is the name of a port",
    why="A number in quotes is a name, and the API server refuses names of ports without a letter.",
    source=_VALIDATION,
    kinds=(kinds.SERVICE,),
)
def _target_port_has_a_letter(service: Object) -> Iterator[Finding]:
    for port in service.parts("spec", "ports"):
        target = port.raw("targetPort")
        if isinstance(target, str) and target.isdecimal():
            yield Finding(
                place=port.place.at("targetPort"),
                says=f'"{target}" in quotes is a name, and names of ports have a letter.',
                remedy=f"Write {target} without quotes, or the name of a port.",
            )


@object_rule(
    summary="a PodDisruptionBudget states minAvailable or maxUnavailable, not both",
    why="The API server refuses both together.",
    source="Kubernetes, pkg/apis/policy/validation",
    kinds=(kinds.DISRUPTION_BUDGET,),
)
def _budget_states_one_limit(budget: Object) -> Iterator[Finding]:
    if budget.has("spec", "minAvailable") and budget.has("spec", "maxUnavailable"):
        yield about_key(
            place=budget.place.at("spec", "maxUnavailable"),
            says="minAvailable is stated too.",
            remedy="Remove one of them.",
        )


@object_rule(
    summary="the schedule of a CronJob has the five fields of cron, or is a word such as @daily",
    why="The API server refuses others; seconds and years are not among them, and a time zone is a field of its own.",
    source="Kubernetes, pkg/apis/batch/validation, and robfig/cron v3, ParseStandard",
    family=Family.TOPOLOGY,
    kinds=(kinds.CRON_JOB,),
)
def _schedule_has_five_fields(job: Object) -> Iterator[Finding]:
    schedule = job.text("spec", "schedule")
    if schedule is None or _SCHEDULE_MACRO.fullmatch(schedule):
        return
    zone, found = _SCHEDULE_ZONE.match(schedule), len(schedule.split())
    if zone is not None:
        yield Finding(
            place=job.place.at("spec", "schedule"),
            says=f"{schedule} names a time zone.",
            remedy=f"Write the five fields alone, and timeZone: {zone['name']}.",
        )
    elif found != _SCHEDULE_FIELDS:
        yield Finding(
            place=job.place.at("spec", "schedule"),
            says=f"{schedule} has {counted(found, 'field')}.",
            remedy="Write minute, hour, day of the month, month and day of the week, such as 0 3 * * *.",
        )


@object_rule(
    summary="names of objects are lower-case letters, digits and hyphens, and dots for most kinds",
    why="The API server refuses other names.",
    source='Kubernetes documentation "Object Names and IDs", read 2026-11',
    kinds=tuple(kind for kind in MANIFEST_KINDS if kind not in RUNS),
)
def _name_is_in_lower_case(each: Object) -> Iterator[Finding]:
    is_dotted = each.kind in _NAMED_BY_LABEL and "." in each.name
    if each.has("metadata", "name") and each.name and (is_dotted or _DNS_NAME.fullmatch(each.name) is None):
        yield Finding(
            place=each.place.at("metadata", "name"),
            says=f"{each.name} has other characters, or begins or ends with a sign.",
            remedy=f"Such as {as_label(each.name)}.",
        )
