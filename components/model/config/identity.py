"""What can be configured of identities and secrets: the accounts that pods act as, and values that only pods read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from components.model.config.pod_values import KeyName, ObjectName, RoleName
from components.model.config.section import Distinct, Section
from components.model.config.values import KubernetesName
from components.model.facts.gke import DEFAULT_NAMESPACE


class ServiceAccount(Section):
    """A Kubernetes ServiceAccount, as which pods act."""

    name: ObjectName
    """Name of the ServiceAccount."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of the pods that act as it."""
    roles: Annotated[tuple[RoleName, ...], Distinct] = ()
    """Roles of the project that its pods get by Workload Identity, such as roles/bigquery.dataViewer."""
    existing: bool = False
    """The account exists: the stack only grants it roles."""


class Secret(Section):
    """A Kubernetes Secret. The stack file has its values encrypted."""

    name: ObjectName
    """Name of the Secret."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of the pods that read it."""
    data: Annotated[dict[KeyName, str], Field(min_length=1)]
    """The values by their keys. `pulumi config set --secret --path` encrypts a value; a value in clear is an error."""
