"""Fields of Kueue's objects and of PriorityClasses, by kind and API version: which there are, and what they may say.

Only what can be written is listed, not the status. Source: the CustomResourceDefinitions of Kueue 0.16.2
(config/components/crd/bases), the same in 0.17.0 for these kinds, and the Kubernetes API scheduling.k8s.io/v1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.model.objects import kinds
from components.model.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.objects.kinds import Kind
    from components.model.objects.values import Part
    from components.model.objects.world import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of an object."""

    fields: Mapping[str, Field] = field(default_factory=dict[str, "Field"])
    """Of the mapping that it holds, or of each mapping in its list; empty where anything may be in it."""
    values: tuple[str, ...] = ()
    """What it may say; empty for anything."""
    is_required: bool = False
    most: int | None = None
    """Items that it holds at most; None is no limit that anybody meets."""


CURRENT: Final = "v1beta2"
DEPRECATED: Final = "v1beta1"

_ANY: Final = Field()
_REQUIRED: Final = Field(is_required=True)
_STOP: Final = Field(values=("None", "Hold", "HoldAndDrain"))
_WEIGHT: Final = Field(fields={"weight": _ANY})
_EFFECT: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_HEAD: Final = {"apiVersion": _ANY, "kind": _ANY, "metadata": _ANY, "status": _ANY}

_QUOTA: Final = {"name": _REQUIRED, "nominalQuota": _REQUIRED, "borrowingLimit": _ANY, "lendingLimit": _ANY}
_GROUPS: Final = Field(
    most=16,
    fields={
        "coveredResources": Field(is_required=True, most=64),
        "flavors": Field(
            is_required=True,
            most=64,
            fields={"name": _REQUIRED, "resources": Field(is_required=True, most=64, fields=_QUOTA)},
        ),
    },
)
_PREEMPTION: Final = Field(
    fields={
        "reclaimWithinCohort": Field(values=("Never", "LowerPriority", "Any")),
        "borrowWithinCohort": Field(
            fields={"policy": Field(values=("Never", "LowerPriority")), "maxPriorityThreshold": _ANY}
        ),
        "withinClusterQueue": Field(values=("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
    }
)
_CHECKS: Final = Field(
    fields={
        "admissionChecks": Field(is_required=True, most=64, fields={"name": _REQUIRED, "onFlavors": Field(most=64)})
    }
)


def _fungibility(*, borrow: tuple[str, ...] = (), preempt: tuple[str, ...] = ()) -> Field:
    """With the names that values had before v1beta2."""
    whens = ("MayStopSearch", "TryNextFlavor")
    return Field(
        fields={
            "whenCanBorrow": Field(values=(*whens, *borrow)),
            "whenCanPreempt": Field(values=(*whens, *preempt)),
            "preference": Field(values=("BorrowingOverPreemption", "PreemptionOverBorrowing")),
        }
    )


_QUEUE: Final = {
    "resourceGroups": _GROUPS,
    "queueingStrategy": Field(values=("StrictFIFO", "BestEffortFIFO")),
    "namespaceSelector": Field(fields={"matchLabels": _ANY, "matchExpressions": _ANY}),
    "preemption": _PREEMPTION,
    "admissionChecksStrategy": _CHECKS,
    "stopPolicy": _STOP,
    "fairSharing": _WEIGHT,
    "admissionScope": Field(
        fields={
            "admissionMode": Field(
                is_required=True, values=("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing")
            )
        }
    ),
}
_FLAVOR: Final = {
    "nodeLabels": _ANY,
    "nodeTaints": Field(
        most=8,
        fields={
            "key": _REQUIRED,
            "value": _ANY,
            "effect": Field(is_required=True, values=_EFFECT),
            "timeAdded": _ANY,
        },
    ),
    "tolerations": Field(
        most=8,
        fields={
            "key": _ANY,
            "operator": Field(values=("Equal", "Exists")),
            "value": _ANY,
            "effect": Field(values=_EFFECT),
            "tolerationSeconds": _ANY,
        },
    ),
    "topologyName": _ANY,
}
_PARAMETERS: Final = Field(fields={"apiGroup": _REQUIRED, "kind": _REQUIRED, "name": _REQUIRED})
_CHECK: Final = {"controllerName": _REQUIRED, "parameters": _PARAMETERS}
_CONFIG: Final = {
    "provisioningClassName": _REQUIRED,
    "parameters": Field(most=100),
    "managedResources": Field(most=100),
    "retryStrategy": Field(fields={"backoffLimitCount": _ANY, "backoffBaseSeconds": _ANY, "backoffMaxSeconds": _ANY}),
    "podSetUpdates": Field(
        fields={"nodeSelector": Field(most=8, fields={"key": _REQUIRED, "valueFromProvisioningClassDetail": _REQUIRED})}
    ),
    "podSetMergePolicy": Field(values=("IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements")),
}
_LEVELS: Final = {"levels": Field(is_required=True, most=16, fields={"nodeLabel": _REQUIRED})}
_LOCAL: Final = {"clusterQueue": _ANY, "stopPolicy": _STOP, "fairSharing": _WEIGHT}
_COHORT: Final = {"parentName": _ANY, "resourceGroups": _GROUPS, "fairSharing": _WEIGHT}


def _with_spec(fields: Mapping[str, Field], *, is_required: bool = False) -> Mapping[str, Field]:
    return {**_HEAD, "spec": Field(fields=fields, is_required=is_required)}


def _alike(fields: Mapping[str, Field]) -> Mapping[str, Mapping[str, Field]]:
    """The same in both versions."""
    return {CURRENT: fields, DEPRECATED: fields}


_CLASS: Final = {**_HEAD, "value": _REQUIRED, "description": _ANY}
_POD_CLASS: Final = {
    **_HEAD,
    "value": _ANY,
    "description": _ANY,
    "globalDefault": _ANY,
    "preemptionPolicy": Field(values=("Never", "PreemptLowerPriority")),
}

VERSIONS: Final[Mapping[Kind, Mapping[str, Mapping[str, Field]]]] = {
    kinds.RESOURCE_FLAVOR: _alike(_with_spec(_FLAVOR)),
    kinds.CLUSTER_QUEUE: {
        CURRENT: _with_spec({**_QUEUE, "cohortName": _ANY, "flavorFungibility": _fungibility()}),
        DEPRECATED: _with_spec(
            {
                **_QUEUE,
                "cohort": _ANY,
                "admissionChecks": _ANY,
                "flavorFungibility": _fungibility(borrow=("Borrow",), preempt=("Preempt",)),
                "admissionChecksStrategy": Field(
                    fields={"admissionChecks": Field(fields={"name": _REQUIRED, "onFlavors": _ANY})}
                ),
                "admissionScope": Field(fields={"admissionMode": _REQUIRED}),
            }
        ),
    },
    kinds.LOCAL_QUEUE: _alike(_with_spec(_LOCAL)),
    kinds.COHORT: _alike(_with_spec(_COHORT)),
    kinds.ADMISSION_CHECK: {
        CURRENT: _with_spec(_CHECK, is_required=True),
        DEPRECATED: _with_spec({**_CHECK, "retryDelayMinutes": _ANY}, is_required=True),
    },
    kinds.PROVISIONING_CONFIG: _alike(_with_spec(_CONFIG, is_required=True)),
    kinds.TOPOLOGY: _alike(_with_spec(_LEVELS, is_required=True)),
    kinds.WORKLOAD_PRIORITY: _alike(_CLASS),
    kinds.PRIORITY_CLASS: {"v1": _POD_CLASS},
}
"""By version that is served, from the object down."""
KUEUE_KINDS: Final = tuple(kind for kind in VERSIONS if kind is not kinds.PRIORITY_CLASS)


def version_of(each: Object) -> str:
    """The version of its API, such as `v1beta2`."""
    return each.string("apiVersion").rpartition("/")[2]


def fields_of(each: Object) -> Mapping[str, Field]:
    """The fields that an object may have; none for a version that is not served, which is told elsewhere."""
    return VERSIONS[each.kind].get(version_of(each), {})


def stated(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str, Field | None]]:
    """Every field in `part` and below, with the mapping that it is in; None for one that there is not.

    Raises:
        UndecidedError, MalformedError: what holds further fields cannot be read.
    """
    for key in part.value:
        known = fields.get(key)
        yield part, key, known
        for inner in () if known is None or not known.fields else _inner(part, key):
            yield from stated(inner, known.fields if known is not None else {})


def missing(part: Part, fields: Mapping[str, Field]) -> Iterator[tuple[Part, str]]:
    """The fields that `part`, and what is stated below it, must have and has not.

    Raises:
        UndecidedError, MalformedError: what holds further fields cannot be read.
    """
    for key, known in fields.items():
        if known.is_required and not _is_stated(part, key):
            yield part, key
        for inner in _inner(part, key) if known.fields else ():
            yield from missing(inner, known.fields)


def _inner(part: Part, key: str) -> tuple[Part, ...]:
    if isinstance(part.raw(key), list):
        return part.parts(key)
    inner = part.part(key)
    return () if inner is None else (inner,)


def _is_stated(part: Part, key: str) -> bool:
    """Whether something is said, known or not; empty text and lists say nothing."""
    try:
        return part.raw(key) not in (None, "", [])
    except UndecidedError:
        return True
