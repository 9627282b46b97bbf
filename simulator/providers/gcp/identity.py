"""Service accounts, members of IAM policies, enabled APIs.

Giving a role to a member who has it, or enabling an enabled API, is not an error, as with the real provider.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from simulator.cloud.access import account_email
from simulator.cloud.api import CloudError, Kind, passing_over
from simulator.cloud.names import parts_of
from simulator.providers.base import ProviderError
from simulator.providers.gcp.resource import Observed, Resource, text

if TYPE_CHECKING:
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties


class Account(Resource):
    """Service accounts."""

    type_name = "gcp:serviceaccount/account:Account"
    kind = Kind.SERVICE_ACCOUNT
    name_property = "accountId"
    name_limit = 30
    own_ids = (
        r"projects/(?P<project>[^/]+)/serviceAccounts/(?P<accountId>[^/@]+)@[^/]+",
        r"(?P<accountId>[^/@]+)@(?P<project>[^./]+)\.iam\.gserviceaccount\.com",
    )

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """Project and address."""
        project = settings.project_of(properties)
        return {"project": project, "name": account_email(project, text(properties, "accountId"))}

    def known(self, settings: Settings, properties: Properties) -> Properties:
        """The address is known before the account exists."""
        known = super().known(settings, properties)
        if isinstance(properties.get("accountId"), str):
            email = self.name_parts(settings, properties)["name"]
            known |= {"email": email, "member": f"serviceAccount:{email}"}
        return known

    def imported(self, name: str) -> Properties:
        """The account id is the first half of the address."""
        parts = parts_of(self.kind, name)
        return {"project": parts["project"], "accountId": parts["name"].partition("@")[0]}

    def computed(self, seen: Observed) -> Properties:
        """Names and number."""
        return {"name": seen.name, "uniqueId": seen.body["uniqueId"]}

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """An account that exists is adopted when the program says so."""
        try:
            super().create(calls, name, inputs)
        except CloudError as error:
            if error.status != "ALREADY_EXISTS" or not inputs.get("createIgnoreAlreadyExists"):
                raise


class _IamMember(Resource, ABC):
    """One member of one role of a resource."""

    kind = Kind.IAM_MEMBER
    name_limit = None
    is_deleted_first = True
    resource_property: ClassVar[str]
    """The property that names the resource."""

    @abstractmethod
    def resource(self, settings: Settings, properties: Properties) -> str:
        """The API name of the resource that has the policy."""

    def resource_id(self, resource: str) -> str:
        """How ids name the resource."""
        return resource

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """Resource, role and member."""
        return {
            "resource": self.resource(settings, properties),
            "role": text(properties, "role"),
            "member": text(properties, "member"),
        }

    def id_of(self, name: str) -> str:
        """`resource/role/member`."""
        parts = parts_of(self.kind, name)
        return f"{self.resource_id(parts['resource'])}/{parts['role']}/{parts['member']}"

    def imported(self, name: str) -> Properties:
        """Everything in the id."""
        parts = parts_of(self.kind, name)
        resource = self.resource_id(parts["resource"])
        return {self.resource_property: resource, "role": parts["role"], "member": parts["member"]}

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """A member who has the role already keeps it."""
        with passing_over("ALREADY_EXISTS"):
            super().create(calls, name, inputs)


def _member_ids(resource: str) -> tuple[str, ...]:
    role = r"(?P<role>(?:projects/[^/]+/)?roles/[^/ ]+)"
    return rf"{resource}/{role}/(?P<member>.+)", rf"{resource} {role} (?P<member>.+)"


class ProjectMember(_IamMember):
    """Members of a project's policy."""

    type_name = "gcp:projects/iAMMember:IAMMember"
    own_ids = _member_ids(r"(?:projects/)?(?P<project>[^/ ]+)")
    resource_property: ClassVar[str] = "project"

    def resource(self, settings: Settings, properties: Properties) -> str:
        """The project."""
        return f"projects/{settings.project_of(properties).removeprefix('projects/')}"

    def resource_id(self, resource: str) -> str:
        """The bare project."""
        return resource.removeprefix("projects/")


class ServiceAccountMember(_IamMember):
    """Members of a service account's policy: who may act as it."""

    type_name = "gcp:serviceaccount/iAMMember:IAMMember"
    own_ids = _member_ids(r"(?P<serviceAccountId>projects/[^/ ]+/serviceAccounts/[^/ ]+)")
    resource_property: ClassVar[str] = "serviceAccountId"

    def resource(self, settings: Settings, properties: Properties) -> str:  # noqa: ARG002  it names its project
        """The account's full name."""
        name = text(properties, "serviceAccountId")
        try:
            parts_of(Kind.SERVICE_ACCOUNT, name)
        except CloudError as error:
            raise ProviderError(f"serviceAccountId: {error.message}") from None
        return name


class BucketMember(_IamMember):
    """Members of a bucket's policy."""

    type_name = "gcp:storage/bucketIAMMember:BucketIAMMember"
    own_ids = _member_ids(r"(?P<bucket>b/[^/ ]+)")
    resource_property: ClassVar[str] = "bucket"

    def resource(self, settings: Settings, properties: Properties) -> str:  # noqa: ARG002  buckets are global
        """The bucket."""
        return f"b/{text(properties, 'bucket').removeprefix('b/')}"


class SecretMember(_IamMember):
    """Members of a secret's policy: who may read its versions."""

    type_name = "gcp:secretmanager/secretIamMember:SecretIamMember"
    own_ids = _member_ids(r"(?P<secretId>projects/[^/ ]+/secrets/[^/ ]+)")
    resource_property: ClassVar[str] = "secretId"

    def resource(self, settings: Settings, properties: Properties) -> str:
        """The secret's full name."""
        found = text(properties, "secretId")
        return found if "/" in found else f"projects/{settings.project_of(properties)}/secrets/{found}"

    def imported(self, name: str) -> Properties:
        """Everything in the id, and the secret's project."""
        found = super().imported(name)
        return {**found, "project": str(found["secretId"]).split("/")[1]}


class Service(Resource):
    """Enabled APIs."""

    type_name = "gcp:projects/service:Service"
    kind = Kind.SERVICE
    name_property = "service"
    name_limit = None
    own_ids = (r"(?P<project>[^/]+)/(?P<service>[^/]+)",)

    def id_of(self, name: str) -> str:
        """`project/api`."""
        parts = parts_of(self.kind, name)
        return f"{parts['project']}/{parts['name']}"

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """An API that is enabled already stays enabled."""
        with passing_over("ALREADY_EXISTS"):
            super().create(calls, name, inputs)

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:
        """The API stays enabled unless the program says otherwise."""
        if outputs.get("disableOnDestroy"):
            super().delete(calls, name, outputs)
