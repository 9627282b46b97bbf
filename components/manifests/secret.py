"""Documents about secrets: a Secret without its values, and a SecretProviderClass of Secret Manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import yaml

from components.model.facts import pods

if TYPE_CHECKING:
    from collections.abc import Collection

    from components.manifests.metadata import Metadata
    from components.model.plan.identity import ProviderClassPlan

_PROVIDER: Final = "gke"
"""The provider of GKE's add-on; that of the open-source driver is `gcp`."""


class Secret(TypedDict):
    """A Secret without its values: `data` is added where they are known."""

    apiVersion: str
    kind: str
    metadata: Metadata
    type: str


class Parameters(TypedDict):
    """What the provider reads: a list of secrets, in YAML."""

    secrets: str


class ProviderClassSpec(TypedDict):
    """Which files a volume has."""

    provider: str
    parameters: Parameters


class SecretProviderClass(TypedDict):
    """The secrets of Secret Manager that a volume shows as files."""

    apiVersion: str
    kind: str
    metadata: Metadata
    spec: ProviderClassSpec


def secret(name: str, namespace: str, keys: Collection[str]) -> Secret:
    """The document of a Secret with these keys."""
    type_ = pods.PULL_SECRET_TYPE if set(keys) == {pods.PULL_SECRET_KEY} else "Opaque"
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "type": type_}


def secret_provider_class(plan: ProviderClassPlan) -> SecretProviderClass:
    """The document: one secret, as a file of its own name."""
    return {
        "apiVersion": "secrets-store.csi.x-k8s.io/v1",
        "kind": "SecretProviderClass",
        "metadata": {"name": plan.name, "namespace": plan.namespace},
        "spec": {
            "provider": _PROVIDER,
            "parameters": {"secrets": yaml.safe_dump([{"resourceName": plan.resource, "path": plan.secret}])},
        },
    }
