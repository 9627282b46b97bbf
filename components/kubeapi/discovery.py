"""From apiVersion and kind to the path of a collection or an object, as the server itself publishes it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, is_true
from components.kubeapi.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.kubeapi.client import Api


class UnknownKindError(Exception):
    """The server does not serve that kind (a CRD that is not installed, a misspelt apiVersion)."""


@dataclass(frozen=True, slots=True)
class _Resource:
    plural: str
    is_namespaced: bool
    is_listed: bool
    """Whether its objects can be listed."""


class Discovery:
    """Paths by kind; a group's list is fetched once, and again when a kind is missing from it."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._known: dict[str, dict[str, _Resource]] = {}
        self._lock = threading.Lock()

    def collection(self, api_version: str, kind: str, namespace: str | None) -> str:
        """Path of the collection; `namespace` is used when the kind is namespaced, `default` when it is None there.

        Raises:
            UnknownKindError: the server does not serve the kind.
        """
        resource = self._resource(api_version, kind)
        root = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
        middle = f"/namespaces/{namespace or 'default'}" if resource.is_namespaced else ""
        return f"{root}{middle}/{resource.plural}"

    def path(self, document: Document) -> str:
        """Path of the object that `document` describes.

        Raises:
            UnknownKindError: the server does not serve its kind.
        """
        metadata = document["metadata"]
        collection = self.collection(document["apiVersion"], document["kind"], metadata.get("namespace"))
        return f"{collection}/{metadata['name']}"

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Whether objects of the kind live in a namespace.

        Raises:
            UnknownKindError: the server does not serve the kind.
        """
        return self._resource(api_version, kind).is_namespaced

    def versions(self, group: str) -> list[str]:
        """The apiVersions of a group that the server serves, its preferred one first; none of an unknown group."""
        return self._groups().get(group, [])

    def namespaced_kinds(self) -> Iterator[tuple[str, str]]:
        """Version and kind of everything in namespaces that can be listed, each kind of a group in one version."""
        for versions in self._groups().values():
            seen: set[str] = set()
            for version in versions:
                kinds = self._kinds(version)
                yield from (
                    (version, kind)
                    for kind, found in kinds.items()
                    if found.is_namespaced and found.is_listed and kind not in seen
                )
                seen.update(kinds)

    def _groups(self) -> dict[str, list[str]]:
        """The apiVersions of every group; the core group has no name."""
        found = {"": ["v1"]}
        for group in entries(self._api.get("/apis"), "groups"):
            preferred = group["preferredVersion"]["groupVersion"]
            others = [each["groupVersion"] for each in group["versions"] if each["groupVersion"] != preferred]
            found[group["name"]] = [preferred, *others]
        return found

    def _kinds(self, api_version: str) -> dict[str, _Resource]:
        with self._lock:
            if api_version not in self._known:
                self._known[api_version] = self._fetch(api_version)
            return self._known[api_version]

    def _resource(self, api_version: str, kind: str) -> _Resource:
        with self._lock:
            found = self._known.get(api_version, {}).get(kind)
            if found is None:
                self._known[api_version] = self._fetch(api_version)
                found = self._known[api_version].get(kind)
        if found is None:
            raise UnknownKindError(f'no matches for kind "{kind}" in version "{api_version}"')
        return found

    def _fetch(self, api_version: str) -> dict[str, _Resource]:
        root = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
        try:
            listed = self._api.get(root)
        except ApiError as error:
            if error.is_not_found:
                return {}
            raise
        return {
            entry["kind"]: _Resource(entry["name"], entry["namespaced"], "list" in entry.get("verbs", ()))
            for entry in entries(listed, "resources")
            if "/" not in entry["name"]
        }


DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_SECONDS: Final = 60.0
"""Helm's own limit (pkg/action/install.go)."""


def await_served(api: Api, name: str) -> None:
    """Wait until the kind of the definition `name` is served.

    Raises:
        WaitError: it was not served within a minute.
        ApiError, UnreachableError: the API server did not answer as expected.
    """
    api.wait(DEFINITIONS, name, _is_established, seconds=_SECONDS, what=f"{name} to be served")


def _is_established(definition: Document | None) -> bool:
    return definition is not None and is_true(definition, "Established")
