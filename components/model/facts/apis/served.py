"""The kinds that are served and their fields, by version, and the releases of the controllers that serve them.

Each file of data is read, and each kind in it decoded, when somebody asks for it.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from components.model.facts import kinds
from components.model.facts.apis.fields import Field, Life, Version, minor, parse_minor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.kinds import Kind

CURRENT: Final = "v1beta2"
DEPRECATED: Final = "v1beta1"
KUEUE_KINDS: Final = kinds.KUEUE_KINDS
QUEUE_KINDS: Final = (*KUEUE_KINDS, kinds.PRIORITY_CLASS)
"""The kinds of Kueue, and the one that stands beside them."""
CONCURRENT_ADMISSION: Final = "ConcurrentAdmission"
"""The feature gate without which Kueue ignores a ClusterQueue's `concurrentAdmissionPolicy`."""


class Releases(msgspec.Struct, frozen=True):
    """The releases whose data were read."""

    oldest: str
    """Major and minor number."""
    newest: str

    def __str__(self) -> str:
        """As texts name them, such as `0.16 to 0.19`."""
        return f"{self.oldest} to {minor(self.newest)}"


def read(name: str) -> bytes:
    """The content of a file of data, such as `kueue`.

    Raises:
        FileNotFoundError: there is no such file.
    """
    data = pkgutil.get_data(__name__, f"{name}.json")
    if data is None:
        raise FileNotFoundError(name)
    return data


RELEASES: Final = msgspec.json.decode(read("releases"), type=dict[str, Releases])
"""By API, as the files of data are called."""
KUEUE_RELEASES: Final = f"Kueue {RELEASES['kueue']}"
KUBERNETES_RELEASE: Final = f"Kubernetes {minor(RELEASES['kubernetes'].newest)}"
LEADER_WORKER_SET_RELEASE: Final = f"LeaderWorkerSet {minor(RELEASES['leader_worker_set'].newest)}"
RAY_RELEASE: Final = f"KubeRay {minor(RELEASES['ray'].newest)}"
JOBSET_RELEASES: Final = f"JobSet {RELEASES['jobset']}"


MANIFEST_KINDS: Final = tuple(kind for kind in kinds.KINDS if not kind.type_)
"""The kinds of Kubernetes objects that rules know."""
GKE_KINDS: Final = (kinds.COMPUTE_CLASS, kinds.POD_MONITORING)
"""Those whose fields are written by hand from documents, so that others may be new."""
_GKE_GROUPS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "cloud.google.com": {"BackendConfig": ("v1", "v1beta1"), "ComputeClass": ("v1",)},
    "monitoring.googleapis.com": {
        "ClusterNodeMonitoring": ("v1",),
        "ClusterPodMonitoring": ("v1", "v1alpha1"),
        "ClusterRules": ("v1", "v1alpha1"),
        "GlobalRules": ("v1", "v1alpha1"),
        "OperatorConfig": ("v1", "v1alpha1"),
        "PodMonitoring": ("v1", "v1alpha1"),
        "Rules": ("v1", "v1alpha1"),
    },
}
"""Kinds that GKE itself serves, of the same sources as `gke_kinds.json`; there may be more."""
_KUBERNETES: Final = "kubernetes"
_FILES: Final = {
    **dict.fromkeys(KUEUE_KINDS, "kueue"),
    **dict.fromkeys(kinds.RAY_KINDS, "ray"),
    **dict.fromkeys(GKE_KINDS, "gke_kinds"),
    kinds.JOBSET: "jobset",
    kinds.LEADER_WORKER_SET: "leader_worker_set",
}
_TITLES: Final = {
    "kueue": KUEUE_RELEASES,
    "ray": RAY_RELEASE,
    "gke_kinds": "",
    "jobset": JOBSET_RELEASES,
    "leader_worker_set": LEADER_WORKER_SET_RELEASE,
    _KUBERNETES: KUBERNETES_RELEASE,
}


def release_of(kind: Kind) -> str:
    """The releases that the fields of a kind are known of, such as `Kueue 0.16 to 0.19`; GKE's own are of none."""
    return _TITLES[_FILES.get(kind, _KUBERNETES)]


@cache
def _kinds(file: str) -> Mapping[str, msgspec.Raw]:
    return msgspec.json.decode(read(file), type=dict[str, msgspec.Raw])


# Made on import, by one thread: msgspec 0.22 ends the process when several are the first to decode to a class.
_DECODER: Final = msgspec.json.Decoder(dict[str, Version])


@cache
def _versions(file: str, name: str) -> Mapping[str, Version]:
    return _DECODER.decode(_kinds(file)[name])


def versions_of(kind: Kind) -> Mapping[str, Version]:
    """The versions of a kind of `MANIFEST_KINDS` that some release serves, such as `v1beta2`."""
    return _versions(_FILES.get(kind, _KUBERNETES), kind.name)


def shared_fields(name: str) -> Mapping[str, Field]:
    """The fields of a type of Kubernetes that fields of several kinds have, such as `PodSpec`.

    Raises:
        KeyError: no kind refers to such a type.
    """
    (version,) = _versions(_KUBERNETES, name).values()
    return version.fields


@cache
def groups() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The versions of every kind that is known, by group and kind, the best first; the core group has no name."""
    return {**msgspec.json.decode(read("groups"), type=dict[str, dict[str, tuple[str, ...]]]), **_GKE_GROUPS}


def configuration_versions() -> Mapping[str, Version]:
    """The versions of Kueue's configuration."""
    return _versions("kueue_configuration", "Configuration")


def gates() -> Mapping[str, Life]:
    """Kueue's feature gates, by name."""
    (found,) = _versions("kueue_gates", "FeatureGates").values()
    return found.fields


def chart_configuration(release: str) -> dict[str, Any]:
    """The configuration that Kueue's chart of a release states; of an older one, that of the oldest known."""
    stated: dict[str, dict[str, Any]] = msgspec.json.decode(read("kueue_chart"))
    known = [first for first in stated if parse_minor(first) <= parse_minor(release)]
    return stated[max(known, key=parse_minor, default=RELEASES["kueue"].oldest)]
