"""The versions in which a cluster stores the objects of Kueue and JobSet, by their definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kubeapi.definitions import DEFINITIONS
from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from kubeapi import Api, Document

_GROUPS: Final = ("jobset.x-k8s.io", "kueue.x-k8s.io")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A CustomResourceDefinition, at one moment."""

    name: str
    """Such as `workloads.kueue.x-k8s.io`."""
    collection: str
    """Path of its objects in all namespaces, in the version in which new ones are kept."""
    storage: str
    """That version."""
    stored: tuple[str, ...]
    """The versions in which objects may be kept, the oldest first."""
    resource_version: str

    @property
    def path(self) -> str:
        """Its own path in the API."""
        return f"{DEFINITIONS}/{self.name}"

    @property
    def older(self) -> tuple[str, ...]:
        """The versions in which no new object is kept, but an old one may be."""
        return tuple(version for version in self.stored if version != self.storage)


def read_definitions(api: Api) -> list[Definition]:
    """The definitions of Kueue and JobSet that the cluster has, by name.

    Raises:
        ApiError, UnreachableError: the cluster does not answer.
    """
    found = [each for each in api.items(DEFINITIONS) if section(each, "spec").get("group") in _GROUPS]
    return sorted((_definition(each) for each in found), key=lambda each: each.name)


def _definition(document: Document) -> Definition:
    spec, metadata = section(document, "spec"), section(document, "metadata")
    storage = next(str(version["name"]) for version in entries(spec, "versions") if version["storage"])
    return Definition(
        name=metadata["name"],
        collection=f"/apis/{spec['group']}/{storage}/{spec['names']['plural']}",
        storage=storage,
        stored=tuple(section(document, "status").get("storedVersions") or ()),
        resource_version=metadata["resourceVersion"],
    )
