"""Who may do what: service accounts, members of IAM policies, enabled APIs.

They are checked and stored; no call is refused because a permission or an enabled API is missing. A member of a policy
is a resource of its own here, where the real API has one document for all members of a resource.

Source of the texts: answers of the IAM and Service Usage APIs as quoted in public issue reports, read 2026-11, except
the refusals of malformed members and roles, which are ours.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud.api import Body, Kind, invalid, refusal
from simulator.cloud.names import api_name, parts_of
from simulator.cloud.service import Request, Service, at

if TYPE_CHECKING:
    from simulator.cloud.store import View

_ACCOUNT_ID: Final = re.compile(r"[a-z](?:[-a-z0-9]{4,28}[a-z0-9])")
_MEMBER: Final = re.compile(
    r"allUsers|allAuthenticatedUsers|projectOwner:.+|projectEditor:.+|projectViewer:.+|domain:.+|"
    r"(?:deleted:)?(?:user|serviceAccount|group):.+|principal(?:Set)?://.+"
)
_OWN_ACCOUNT: Final = re.compile(r"serviceAccount:(?P<email>[^@]+@(?P<project>[^@]+)\.iam\.gserviceaccount\.com)")
_WORKLOAD: Final = re.compile(
    r"serviceAccount:(?P<own>[^\[]+\.svc\.id\.goog)\[[^/\]]+/[^/\]]+\]"
    r"|principal(?:Set)?://iam\.googleapis\.com/projects/\d+/locations/global/workloadIdentityPools/"
    r"(?P<named>[^/]+\.svc\.id\.goog)/.+"
)
_PRINCIPAL: Final = "principal"


def account_email(project: str, account_id: str) -> str:
    """The address of a service account.

    >>> account_email("p", "nodes")
    'nodes@p.iam.gserviceaccount.com'
    """
    return f"{account_id}@{project}.iam.gserviceaccount.com"


class ServiceAccounts(Service):
    """Service accounts of a project; `accountId` is part of the request only."""

    kind: ClassVar[Kind] = Kind.SERVICE_ACCOUNT
    mutable: ClassVar[frozenset[str]] = frozenset(("displayName", "description", "disabled"))

    def admit_create(self, request: Request) -> Body:
        """Refused when the account id is malformed."""
        parts = parts_of(Kind.SERVICE_ACCOUNT, request.name)
        account_id = parts["name"].partition("@")[0]
        if _ACCOUNT_ID.fullmatch(account_id) is None:
            raise invalid(
                f'Invalid account ID "{account_id}": 6 to 30 lower case letters, digits and hyphens, a letter first.'
            )
        return {
            **request.body,
            "name": request.name,
            "projectId": parts["project"],
            "email": parts["name"],
            "uniqueId": str(10**20 + int(hashlib.sha256(request.name.encode()).hexdigest()[:16], 16)),
        }

    def already_exists(self, name: str) -> str:
        """IAM's answer when the account exists already."""
        parts = parts_of(Kind.SERVICE_ACCOUNT, name)
        account_id = parts["name"].partition("@")[0]
        return f"Service account {account_id} already exists within project projects/{parts['project']}."

    def not_found(self, name: str) -> str:
        """IAM's answer when the account does not exist."""
        return f"Unknown service account {parts_of(Kind.SERVICE_ACCOUNT, name)['name']}"


class IamMembers(Service):
    """Members of roles in IAM policies."""

    kind: ClassVar[Kind] = Kind.IAM_MEMBER

    def admit_create(self, request: Request) -> Body:
        """Refused when the member is malformed or does not exist."""
        parts = parts_of(Kind.IAM_MEMBER, request.name)
        member = parts["member"]
        if _MEMBER.fullmatch(member) is None:
            raise invalid(
                f"Invalid member {member}: an identity is TYPE:ID, such as user:EMAIL or serviceAccount:EMAIL."
            )
        if member.startswith(_PRINCIPAL) and _WORKLOAD.fullmatch(member) is None:
            raise invalid(f"Principal {member} is of an unsupported form or of another pool.")
        _check_identity(request.changes, member)
        _check_resource(request.changes, parts["resource"])
        return {**request.body, "resource": parts["resource"], "role": parts["role"], "member": member, "etag": "BwY="}


def _check_identity(view: View, member: str) -> None:
    workload = _WORKLOAD.fullmatch(member)
    if workload:
        pools = [at(body, "workloadIdentityConfig.workloadPool") for _, body in view.list(Kind.CLUSTER)]
        pool = workload["own"] or workload["named"]
        if pool not in pools:
            raise invalid(
                f"Identity Pool does not exist ({pool}). Please check that you specified a valid resource "
                "name as returned in the `name` attribute in the configuration API."
            )
        return
    account = _OWN_ACCOUNT.fullmatch(member)
    if account and view.get(api_name(Kind.SERVICE_ACCOUNT, project=account["project"], name=account["email"])) is None:
        raise invalid(f"Service account {account['email']} does not exist.")


def _check_resource(view: View, resource: str) -> None:
    parts = resource.split("/")
    if view.get(resource) is None:
        if parts[0] == "b" or "serviceAccounts" in parts:
            raise refusal("NOT_FOUND", f"{resource} was not found")
        if "secrets" in parts:
            raise refusal("NOT_FOUND", f"Secret [{resource}] not found.")


class EnabledServices(Service):
    """APIs that are enabled in a project."""

    kind: ClassVar[Kind] = Kind.SERVICE

    def admit_create(self, request: Request) -> Body:
        """Refused when the name is not the name of an API."""
        parts = parts_of(Kind.SERVICE, request.name)
        if "." not in parts["name"]:
            raise refusal(
                "PERMISSION_DENIED",
                f"Not found or permission denied for service(s): {parts['name']}.",
            )
        return {"name": request.name, "parent": f"projects/{parts['project']}", "state": "ENABLED"}
