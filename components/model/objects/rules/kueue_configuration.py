"""The rule about Kueue's configuration file: it has only keys that Kueue reads, for it reads strictly.

Keys are of the top level and of the level below. Source: Kueue 0.16.2, apis/config/v1beta1 and v1beta2, and
LeaderElectionConfiguration of k8s.io/component-base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import versions
from components.model.findings import Finding, did_you_mean, listing
from components.model.objects import kinds, kueue_config
from components.model.objects.judging import Family, object_rule
from components.model.objects.releases import exact_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.objects.values import Part
    from components.model.objects.world import Object

_ANY: Final[tuple[str, ...]] = ()
"""Of what holds no mapping, or one with keys of whoever writes it, or keys that are not listed here."""
_MULTI_KUEUE: Final = ("gcInterval", "origin", "workerLostTimeout", "dispatcherName", "externalFrameworks")
_WAITING: Final = ("timeout", "blockAdmission", "requeuingStrategy", "recoveryTimeout")
_INTEGRATIONS: Final = ("frameworks", "externalFrameworks", "labelKeysToCopy")
_COMMON: Final[Mapping[str, tuple[str, ...]]] = {
    "apiVersion": _ANY,
    "kind": _ANY,
    "namespace": _ANY,
    "webhook": ("port", "host", "certDir"),
    "leaderElection": (
        "leaderElect",
        "leaseDuration",
        "renewDeadline",
        "retryPeriod",
        "resourceLock",
        "resourceName",
        "resourceNamespace",
    ),
    "metrics": ("bindAddress", "enableClusterQueueResources"),
    "health": ("healthProbeBindAddress", "readinessEndpointName", "livenessEndpointName"),
    "pprofBindAddress": _ANY,
    "controller": ("groupKindConcurrency", "cacheSyncTimeout"),
    "tls": ("minVersion", "cipherSuites"),
    "manageJobsWithoutQueueName": _ANY,
    "managedJobsNamespaceSelector": ("matchLabels", "matchExpressions"),
    "internalCertManagement": ("enable", "webhookServiceName", "webhookSecretName"),
    "clientConnection": ("qps", "burst"),
    "admissionFairSharing": ("usageHalfLifeTime", "usageSamplingInterval", "resourceWeights"),
    "resources": ("excludeResourcePrefixes", "transformations", "deviceClassMappings"),
    "featureGates": _ANY,
    "objectRetentionPolicies": ("workloads",),
}
_VERSIONS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "config.kueue.x-k8s.io/v1beta2": {
        **_COMMON,
        "waitForPodsReady": _WAITING,
        "integrations": _INTEGRATIONS,
        "multiKueue": (*_MULTI_KUEUE, "clusterProfile"),
        "fairSharing": ("preemptionStrategies",),
    },
    "config.kueue.x-k8s.io/v1beta1": {
        **_COMMON,
        "waitForPodsReady": ("enable", *_WAITING),
        "integrations": (*_INTEGRATIONS, "podOptions"),
        "queueVisibility": ("clusterQueues", "updateIntervalSeconds"),
        "multiKueue": _MULTI_KUEUE,
        "fairSharing": ("enable", "preemptionStrategies"),
    },
}
"""Keys by API version, each with those below it."""


@object_rule(
    "kueue-configuration-is-read",
    summary="Kueue's configuration has only keys that there are in its version",
    why="The controller ends with an error as it starts; nothing is queued, and its webhooks answer nobody.",
    source=f"Kueue {versions.KUEUE.version}, pkg/config/config.go and apis/config",
    family=Family.QUOTA,
    kinds=kueue_config.CARRIERS,
)
def _kueue_configuration_is_read(each: Object) -> Iterator[Finding]:
    if _is_newer(each):
        return
    for found in kueue_config.configurations_in(each):
        version = found.string("apiVersion")
        known = _VERSIONS.get(version)
        if known is None:
            continue
        yield from _strange(found, tuple(known), version)
        for key, below in known.items():
            part = found.part(key) if below else None
            if part is not None:
                yield from _strange(part, below, version)


def _is_newer(each: Object) -> bool:
    """Whether it is a release of which the keys are not known here."""
    stated = exact_version(each) if each.kind is kinds.RELEASE else None
    return stated is not None and versions.parse_release(stated) > versions.parse_release(versions.KUEUE.version)


def _strange(part: Part, known: tuple[str, ...], version: str) -> Iterator[Finding]:
    for key in part.value:
        if key not in known:
            yield Finding(
                place=part.place.at(key),
                says=f"a Configuration of {version} has no such key.",
                remedy=f"{did_you_mean(key, known)}Keys: {listing(known)}.",
                is_about_key=True,
            )


KUEUE_CONFIGURATION_RULES: Final = (_kueue_configuration_is_read,)
