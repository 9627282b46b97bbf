"""The running cluster, as the checks read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

from components.kubeapi import (
    Api,
    ApiError,
    Discovery,
    Document,
    KubeconfigError,
    UnknownKindError,
    UnreachableError,
    connection_from,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Served = TypeVar("_Served")


class NotAskedError(Exception):
    """The cluster gave no answer; the text says why, as a clause."""


class LiveCluster:
    """A cluster that can be asked what it holds; it is never changed."""

    def __init__(self, kubeconfig: str) -> None:
        """Connects with the credentials of whoever runs the program.

        Raises:
            NotAskedError: the kubeconfig gives no usable connection, for example without GKE's auth plugin.
        """
        try:
            self._api = Api(connection_from(kubeconfig))
        except KubeconfigError as error:
            raise NotAskedError(str(error)) from error
        self._discovery = Discovery(self._api)

    def __enter__(self) -> Self:
        """Nothing to do: a connection is made with the first question."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connections."""
        self._api.close()

    def items(self, api_version: str, kind: str, namespace: str | None = None) -> list[Document]:
        """The objects of a kind, in one namespace or in all; none where the cluster does not serve the kind.

        Raises:
            NotAskedError: the server does not answer, or refuses to.
        """
        try:
            path = self._discovery.collection(api_version, kind, namespace)
            if namespace is None and self._discovery.is_namespaced(api_version, kind):
                path = path.replace("/namespaces/default/", "/")
            return self._api.items(path)
        except UnknownKindError:
            return []
        except (ApiError, UnreachableError) as error:
            raise NotAskedError(str(error)) from error

    def has(self, api_version: str, kind: str, namespace: str, name: str) -> bool:
        """Whether an object exists.

        Raises:
            NotAskedError: the server does not answer, or refuses to.
        """
        try:
            return self._api.find(f"{self._discovery.collection(api_version, kind, namespace)}/{name}") is not None
        except UnknownKindError:
            return False
        except (ApiError, UnreachableError) as error:
            raise NotAskedError(str(error)) from error

    def of_kind(self, group: str, kind: str, namespace: str | None = None) -> list[Document]:
        """As `items`, in whichever version the cluster serves the kind; the core group has no name.

        Raises:
            NotAskedError: as `items`.
        """
        for version in self._served(lambda: self._discovery.versions(group)):
            found = self.items(version, kind, namespace)
            if found:
                return found
        return []

    def inside(self, namespace: str) -> Iterator[Document]:
        """Everything in a namespace, of whatever kind.

        Raises:
            NotAskedError: as `items`.
        """
        for version, kind in self._served(lambda: list(self._discovery.namespaced_kinds())):
            yield from self.items(version, kind, namespace)

    def _served(self, ask: Callable[[], list[_Served]]) -> list[_Served]:
        try:
            return ask()
        except (ApiError, UnreachableError) as error:
            raise NotAskedError(str(error)) from error

    def all_items(self, *kinds: tuple[str, str], namespace: str | None = None) -> Iterator[Document]:
        """The objects of several kinds, each given by apiVersion and kind; as `items`."""
        for api_version, kind in kinds:
            yield from self.items(api_version, kind, namespace)
