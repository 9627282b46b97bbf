"""Rules about values of Kubernetes' own fields that have the right type, and that the API server refuses."""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.node_affinity import TERMS
from policies.objects.pods import MAKERS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.places import Key
    from policies.objects.pods import PodGroup
    from policies.objects.values import Part
    from policies.objects.world import Object

BASE64_RULE: Final = "secret-data-is-base64"
"""Its findings stand at a secret."""
_SOURCE: Final = "Kubernetes, pkg/apis/core/validation, pkg/apis/batch/validation and pkg/apis/apps/validation"
_NEVER: Final = "Never"
_INDEXED: Final = "Indexed"
_MODES: Final = (_INDEXED, "NonIndexed")
_PULLS: Final = ("Always", "IfNotPresent", _NEVER)
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_ACCESS: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_OF_SPECS: Final = {
    kinds.CRON_JOB: ("concurrencyPolicy", ("Allow", "Forbid", "Replace")),
    kinds.STATEFUL_SET: ("podManagementPolicy", ("OrderedReady", "Parallel")),
    kinds.SERVICE: ("type", ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
}
"""A field of a kind's spec, and the values that it takes."""
_CLAIMED: Final = (kinds.CLAIM, kinds.VOLUME)
_SELECTING: Final = (kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.DAEMON_SET)
_WITH_JOBS: Final = (kinds.JOBSET, kinds.JOB, kinds.CRON_JOB)


@object_rule(
    "value-is-a-known-one",
    summary="fields with a fixed set of values have one of them",
    why="The API server refuses the object.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
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
        yield each, ("spec", "accessModes", index), _ACCESS
    for group in pod_groups(each):
        yield from _stated_by(group)


def _stated_by(group: PodGroup) -> Iterator[tuple[Part, tuple[Key, ...], tuple[str, ...]]]:
    if group.job is not None:
        yield group.job, ("completionMode",), _MODES
    for container in group.all_containers:
        yield container, ("imagePullPolicy",), _PULLS
    for term in group.template.parts(*TERMS):
        for wanted in term.parts("matchExpressions"):
            yield wanted, ("operator",), _OPERATORS


@object_rule(
    "names-in-a-list-differ",
    summary="the containers and volumes of a pod, and the ports of a Service, have different names",
    why="The API server refuses the object.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
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
    "job-fields-agree",
    summary="Jobs with a podFailurePolicy have restartPolicy Never, and Jobs with backoffLimitPerIndex are Indexed",
    why="The API server refuses the Job.",
    source=_SOURCE,
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
            yield Finding(
                place=job.place.at("backoffLimitPerIndex"),
                says=f"the completionMode is {mode}, so there are no indexes.",
                remedy=f"Set completionMode: {_INDEXED}, or remove the key.",
                is_about_key=True,
            )


@object_rule(
    "selector-takes-its-own-pods",
    summary="the selector of a Deployment, StatefulSet or DaemonSet selects the pods of its template",
    why="The API server refuses the object.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
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
    BASE64_RULE,
    summary="the values under data of a Secret are base64",
    why="The API server refuses others; stringData takes plain text.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
    kinds=(kinds.SECRET,),
)
def _secret_data_is_base64(secret: Object) -> Iterator[Finding]:
    data = secret.raw("data")
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, str) and not _is_base64(value):
            yield Finding(
                place=secret.place.at("data", key),
                says="it is not base64.",
                remedy="Move the key to stringData, which takes plain text.",
                is_about_key=True,
            )


def _is_base64(text: str) -> bool:
    """As Go reads it: without line ends, with padding."""
    try:
        b64decode(text.replace("\n", "").replace("\r", "").encode(), validate=True)
    except binascii.Error:
        return False
    return True


@object_rule(
    "target-port-has-a-letter",
    summary="a targetPort that is text is the name of a port",
    why="A number in quotes is a name, and the API server refuses names of ports without a letter.",
    source=_SOURCE,
    family=Family.GUARDRAILS,
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


API_VALUE_RULES: Final = (
    _value_is_a_known_one,
    _names_in_a_list_differ,
    _job_fields_agree,
    _selector_takes_its_own_pods,
    _secret_data_is_base64,
    _target_port_has_a_letter,
)
