"""Which fields the manifests of the tutorials may hold, and where: enough to nest them where indentation is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class Scalar:
    """A field with one value, a list on the same line included."""


class Script:
    """A field with a list of words, the last of which may be a script of several lines."""


@dataclass(frozen=True)
class Labels:
    """A mapping with keys of the author's: labels, selectors, amounts of resources."""

    plain: frozenset[str] = frozenset()
    """Keys without a prefix that may be in it; those with one always may."""

    def admits(self, key: str) -> bool:
        """Whether the key can be in it."""
        return "/" in key or key in self.plain


@dataclass(frozen=True)
class Fields:
    """A mapping with these fields."""

    of: dict[str, Shape]

    def admits(self, key: str) -> bool:
        """Whether the key can be in it."""
        return key in self.of


@dataclass(frozen=True)
class Items:
    """A list of mappings."""

    item: Fields


Shape = Scalar | Script | Labels | Fields | Items

_VALUE: Final = Scalar()
_AMOUNTS: Final = Labels(frozenset({"cpu", "memory", "ephemeral-storage"}))


def _fields(*scalars: str, **others: Shape) -> Fields:
    return Fields({**dict.fromkeys(scalars, _VALUE), **others})


_METADATA: Final = _fields("name", "namespace", "generateName", labels=Labels(), annotations=Labels())
_CONTAINER: Final = _fields(
    "name",
    "image",
    "args",
    command=Script(),
    ports=Items(_fields("containerPort")),
    securityContext=_fields("privileged"),
    resources=_fields(requests=_AMOUNTS, limits=_AMOUNTS),
    volumeMounts=Items(_fields("mountPath", "name")),
)
_POD: Final = _fields(
    "subdomain",
    "restartPolicy",
    "hostNetwork",
    "dnsPolicy",
    "priorityClassName",
    nodeSelector=Labels(),
    containers=Items(_CONTAINER),
    volumes=Items(_fields("name", persistentVolumeClaim=_fields("claimName", "readOnly"))),
)
_JOB: Final = _fields(
    "backoffLimit",
    "completions",
    "parallelism",
    "completionMode",
    "ttlSecondsAfterFinished",
    "suspend",
    template=_fields(metadata=_METADATA, spec=_POD),
)
_JOB_SET: Final = _fields(
    failurePolicy=_fields("maxRestarts", "restartStrategy"),
    replicatedJobs=Items(_fields("name", "replicas", template=_fields(spec=_JOB))),
)
_CLUSTER_QUEUE: Final = _fields(
    "namespaceSelector",
    "queueingStrategy",
    resourceGroups=Items(
        _fields("coveredResources", flavors=Items(_fields("name", resources=Items(_fields("name", "nominalQuota")))))
    ),
    preemption=_fields(
        "reclaimWithinCohort",
        "withinClusterQueue",
        # No such field exists in Kueue; a tutorial has it.
        reclaimOutOfCohort=_fields("enable", "reclaimMoreThanNominalQuota"),
    ),
)
_SPECS: Final[dict[str, Fields]] = {
    "Pod": _POD,
    "Job": _JOB,
    "JobSet": _JOB_SET,
    "Service": _fields("clusterIP", selector=Labels(frozenset({"job-name"}))),
    "ResourceFlavor": _fields(nodeLabels=Labels()),
    "ClusterQueue": _CLUSTER_QUEUE,
    "LocalQueue": _fields("clusterQueue"),
    "PriorityClass": _fields(),
}


def shape_of(kind: str) -> Fields:
    """The fields of an object of the kind.

    Raises:
        KeyError: the kind occurs in no tutorial.
    """
    return _fields("apiVersion", "kind", "value", "globalDefault", "description", metadata=_METADATA, spec=_SPECS[kind])


def _names(shape: Shape) -> set[str]:
    match shape:
        case Fields(of):
            return set(of).union(*(_names(each) for each in of.values()))
        case Items(item):
            return _names(item)
        case Labels(plain):
            return set(plain)
        case _:
            return set()


KINDS: Final = frozenset(_SPECS)
KNOWN: Final = frozenset[str]().union(*(_names(shape_of(kind)) for kind in _SPECS))
"""Every key that can be told from other words by its name alone; those with a prefix are told by their slash."""
