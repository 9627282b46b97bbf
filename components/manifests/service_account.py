"""The ServiceAccount document: who pods are to the API server, and by Workload Identity to Google Cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from components.manifests.metadata import Metadata
    from components.model.plan.identity import ServiceAccountPlan


class ServiceAccount(TypedDict):
    """An account of a namespace."""

    apiVersion: str
    kind: str
    metadata: Metadata


def service_account(plan: ServiceAccountPlan) -> ServiceAccount:
    """The account's document."""
    metadata: Metadata = {"name": plan.name, "namespace": plan.namespace}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
