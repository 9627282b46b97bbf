"""The kinds that are served and their fields, by version, and the releases of the controllers that serve them.

Each kind, and each type that it refers to, is read when somebody asks for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.apis import (
    gke_kinds,
    jobset,
    kubernetes,
    kueue,
    kueue_chart,
    kueue_configuration,
    kueue_gates,
    leader_worker_set,
    ray,
)
from components.model.facts.apis import groups as groups_data
from components.model.facts.apis.fields import minor, parse, parse_minor, parse_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.apis.fields import Field, Life, Version
    from components.model.facts.kinds import Kind

CURRENT: Final = "v1beta2"
DEPRECATED: Final = "v1beta1"
KUEUE_KINDS: Final = kinds.KUEUE_KINDS
QUEUE_KINDS: Final = (*KUEUE_KINDS, kinds.PRIORITY_CLASS)
"""The kinds of Kueue, and the one that stands beside them."""
_CONFIGURATION: Final = "Configuration"
CONCURRENT_ADMISSION: Final = "ConcurrentAdmission"
"""The feature gate without which Kueue ignores a ClusterQueue's `concurrentAdmissionPolicy`."""


KUEUE_RELEASES: Final = f"Kueue {kueue.OLDEST} to {minor(kueue.RELEASE)}"
KUBERNETES_RELEASE: Final = f"Kubernetes {minor(kubernetes.RELEASE)}"
LEADER_WORKER_SET_RELEASE: Final = f"LeaderWorkerSet {minor(leader_worker_set.RELEASE)}"
RAY_RELEASE: Final = f"KubeRay {minor(ray.RELEASE)}"
JOBSET_RELEASES: Final = f"JobSet {jobset.OLDEST} to {minor(jobset.RELEASE)}"


MANIFEST_KINDS: Final = tuple(kind for kind in kinds.KINDS if not kind.type_)
"""The kinds of Kubernetes objects that rules know."""
GKE_KINDS: Final = (kinds.COMPUTE_CLASS, kinds.POD_MONITORING)
"""Those whose fields are written by hand from documents, so that others may be new."""
_TEXTS: Final = {
    **dict.fromkeys(KUEUE_KINDS, kueue.TEXT),
    **dict.fromkeys(kinds.RAY_KINDS, ray.TEXT),
    **dict.fromkeys(GKE_KINDS, gke_kinds.TEXT),
    kinds.JOBSET: jobset.TEXT,
    kinds.LEADER_WORKER_SET: leader_worker_set.TEXT,
}


_RELEASES: Final = {
    **dict.fromkeys(KUEUE_KINDS, KUEUE_RELEASES),
    **dict.fromkeys(kinds.RAY_KINDS, RAY_RELEASE),
    kinds.JOBSET: JOBSET_RELEASES,
    kinds.LEADER_WORKER_SET: LEADER_WORKER_SET_RELEASE,
}


def release_of(kind: Kind) -> str:
    """The releases that the fields of a kind are known of, such as `Kueue 0.16 to 0.19`; GKE's own are of none."""
    return "" if kind in GKE_KINDS else _RELEASES.get(kind, KUBERNETES_RELEASE)


@cache
def versions_of(kind: Kind) -> Mapping[str, Version]:
    """The versions of a kind of `MANIFEST_KINDS` that some release serves, such as `v1beta2`."""
    return parse_one(_TEXTS.get(kind, kubernetes.TEXT), kind.name)


@cache
def shared_fields(name: str) -> Mapping[str, Field]:
    """The fields of a type of Kubernetes that fields of several kinds have, such as `PodSpec`.

    Raises:
        KeyError: no kind refers to such a type.
    """
    (version,) = parse_one(kubernetes.TEXT, name).values()
    return version.fields


@cache
def groups() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The versions of every kind that is known, by group and kind, the best first; the core group has no name."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in (groups_data.TEXT + gke_kinds.GROUPS).splitlines():
        group, kind, *versions = line.split()
        found.setdefault("" if group == groups_data.CORE else group, {})[kind] = tuple(versions)
    return found


@cache
def configuration_versions() -> Mapping[str, Version]:
    """The versions of Kueue's configuration."""
    return parse(kueue_configuration.TEXT)[_CONFIGURATION]


@cache
def gates() -> Mapping[str, Life]:
    """Kueue's feature gates, by name."""
    (found,) = (version for versions in parse(kueue_gates.TEXT).values() for version in versions.values())
    return {name: each.life for name, each in found.fields.items()}


def chart_configuration(release: str) -> str:
    """The configuration that Kueue's chart of a release states, as YAML; of an older one, that of the oldest known."""
    known = [first for first in kueue_chart.CONFIGURATIONS if parse_minor(first) <= parse_minor(release)]
    newest = max(known, key=parse_minor, default=kueue.OLDEST)
    return kueue_chart.CONFIGURATIONS[newest]
