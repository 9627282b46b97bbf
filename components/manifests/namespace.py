"""Documents of a namespace of a team, and what its pods are and read: ServiceAccounts and secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from components.model.facts import pods

if TYPE_CHECKING:
    from collections.abc import Collection

    from components.manifests.metadata import Manifest
    from components.model.plan.pods import ProviderClassPlan, ServiceAccountPlan
    from components.model.plan.queues import NamespacePlan

DELETED: Final = "tpu-platform/deletion"
"""Annotation on a namespace that the stack deletes when the stack file no longer names it. The stack's state has it
exactly while the engine may delete the namespace. A preview shows when that changes; it does not show an option."""
_PROVIDER: Final = "gke"
"""The provider of GKE's add-on for Secret Manager; that of the open-source driver is `gcp`."""


def namespace(plan: NamespacePlan) -> Manifest:
    """The namespace's document."""
    metadata: Manifest = {"name": plan.name}
    if plan.is_deleted:
        metadata["annotations"] = {DELETED: "with-the-declaration"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def service_account(plan: ServiceAccountPlan) -> Manifest:
    """The account's document: who pods are to the API server, and by Workload Identity to Google Cloud."""
    metadata = {"name": plan.name, "namespace": plan.namespace}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def secret(name: str, namespace: str, keys: Collection[str]) -> Manifest:
    """The document of a Secret with these keys, without its values: `data` is added where they are known."""
    type_ = pods.PULL_SECRET_TYPE if set(keys) == {pods.PULL_SECRET_KEY} else "Opaque"
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "type": type_}


def secret_provider_class(plan: ProviderClassPlan) -> Manifest:
    """The document of a secret of Secret Manager, which a volume shows as a file of its own name."""
    return {
        "apiVersion": "secrets-store.csi.x-k8s.io/v1",
        "kind": "SecretProviderClass",
        "metadata": {"name": plan.name, "namespace": plan.namespace},
        "spec": {
            "provider": _PROVIDER,
            "parameters": {"secrets": yaml.safe_dump([{"resourceName": plan.resource, "path": plan.secret}])},
        },
    }
