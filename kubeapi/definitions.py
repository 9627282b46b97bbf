"""CustomResourceDefinitions, from which an API server learns new kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubeapi.documents import is_true

if TYPE_CHECKING:
    from kubeapi.client import Api
    from kubeapi.documents import Document

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
