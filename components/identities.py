"""Identities: the ServiceAccounts that pods act as, the Secrets that they read, and who may read Secret Manager."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.kubernetes_object import KubernetesObject
from components.manifests.namespace import secret, secret_provider_class, service_account
from components.model import names
from components.model.facts import gke

if TYPE_CHECKING:
    from components.cluster import Cluster
    from components.model.plan import Plan
    from components.model.plan.pods import SecretPlan, SecretText, ServiceAccountPlan
    from components.namespaces import Namespaces


class Identities(pulumi.ComponentResource):
    """Everything that pods need to be somebody, and to read secrets."""

    def __init__(
        self,
        name: str,
        plan: Plan,
        *,
        cluster: Cluster,
        namespaces: Namespaces,
        services: pulumi.Resource,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the identities and secrets of the plan; grants come after the cluster, which has the identities."""
        super().__init__("tpu-platform:identities:Identities", name, None, opts)
        self._cluster, self._namespaces, self._services = cluster, namespaces, services
        for account in plan.service_accounts:
            self._account(account, plan.project)
        for each in plan.secrets:
            self._secret(each)
        for each in plan.provider_classes:
            KubernetesObject(
                names.in_namespace(each.namespace, each.name),
                secret_provider_class(each),
                cluster.inside(self, after=namespaces.of(each.namespace)),
            )
        for reader in plan.secret_readers:
            gcp.secretmanager.SecretIamMember(
                reader.name,
                project=plan.project,
                secret_id=reader.secret,
                role=gke.ROLE_READ_SECRET,
                member=reader.member,
                opts=self._granted(),
            )
        self.register_outputs({})

    def _granted(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self, depends_on=[self._services, self._cluster])

    def _account(self, account: ServiceAccountPlan, project: str) -> None:
        name = names.in_namespace(account.namespace, account.name)
        if not account.is_existing:
            after = self._namespaces.of(account.namespace)
            KubernetesObject(name, service_account(account), self._cluster.inside(self, after=after))
        for role in account.roles:
            gcp.projects.IAMMember(
                f"{account.namespace}-{account.name}-{role.rpartition('/')[2]}",
                project=project,
                role=role,
                member=account.member,
                opts=self._granted(),
            )

    def _secret(self, plan: SecretPlan) -> None:
        data = {key: pulumi.Output.secret(encoded(value)) for key, value in plan.data.items()}
        KubernetesObject(
            names.in_namespace(plan.namespace, plan.name),
            {**secret(plan.name, plan.namespace, plan.data.keys()), "data": data},
            pulumi.ResourceOptions.merge(
                self._cluster.inside(self, after=self._namespaces.of(plan.namespace)),
                pulumi.ResourceOptions(additional_secret_outputs=["data"]),
            ),
        )


def encoded(value: SecretText) -> str:
    """A value as a Secret's `data` holds it, which is how the API server returns it too."""
    return base64.b64encode(value.text.encode()).decode()
