"""The versions in which a cluster stores the objects of Kueue and JobSet, and the writing of every object anew.

A definition then states that no object of an older version is left.
Source: Kubernetes documentation "Versions in CustomResourceDefinitions", upgrade existing objects to a new stored
version, read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kubeapi import Api, ApiError, Document
from kubeapi.discovery import DEFINITIONS
from kubeapi.documents import entries, section

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


_PAGE: Final = 500
"""Objects of one answer."""
_REFUSED: Final = (400, 403, 422)
"""What the schema and admission webhooks answer; 403 is also what someone gets who may not write."""


class RefusedError(Exception):
    """An object cannot be written as it is; the text says which and why."""


def rewrite(api: Api, definition: Definition) -> int:
    """Write every object of `definition` in its storage version; the result is how many there were.

    Nothing in an object changes: the patch is empty, and the API server writes the object because what it keeps differs
    in version. Objects that are created meanwhile are of that version already. A definition whose storage version
    changes meanwhile is left as it is.

    Raises:
        RefusedError: a webhook or the schema refuses an object; the definition still states the older versions.
        ApiError, UnreachableError: the cluster does not answer as it should.
    """
    paths = _objects(api, definition.collection)
    for path in paths:
        try:
            api.merge(path, {})
        except ApiError as error:
            if error.status in _REFUSED:
                raise RefusedError(f"{path}: {error}. Correct or delete the object, then run this again.") from error
            if not error.is_not_found:  # then it has been deleted
                raise
    metadata = {"resourceVersion": definition.resource_version}
    api.merge(f"{definition.path}/status", {"metadata": metadata, "status": {"storedVersions": [definition.storage]}})
    return len(paths)


def _objects(api: Api, collection: str) -> list[str]:
    """The paths of all objects, read before the first is written: a list is consistent for some minutes only."""
    root, _, plural = collection.rpartition("/")
    found: list[str] = []
    query = {"limit": str(_PAGE)}
    while True:
        page = api.get(collection, query)
        for each in entries(page, "items"):
            metadata = section(each, "metadata")
            within = f"namespaces/{metadata['namespace']}/" if "namespace" in metadata else ""
            found.append(f"{root}/{within}{plural}/{metadata['name']}")
        token = section(page, "metadata").get("continue")
        if not token:
            return found
        query = {"limit": str(_PAGE), "continue": str(token)}
