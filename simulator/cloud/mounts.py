"""What the nodes and pods of a cluster reach: shares, file systems, buckets, secrets and disks, each by its own rules.

A share or file system is reached from its network alone, a bucket or secret by whoever has a role that allows it: on
the resource itself or on its project. A role of the user's own counts as one that allows everything.

Source of the roles: the references of IAM for Cloud Storage and Secret Manager; of the members: GKE documentation
"About Workload Identity Federation for GKE"; of the texts: answers of the APIs as quoted in public issue reports; read
2026-11.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.api import Body, Kind, passing_over, refusal
from simulator.cloud.names import api_name, parts_of
from simulator.cloud.secrets import find_version
from simulator.cloud.service import at

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from simulator.cloud.cloud import Cloud
    from simulator.cloud.folders import Folders
    from simulator.cloud.store import Store, View
    from simulator.pods.storage import Identity

_LISTS_OBJECTS: Final = frozenset(
    f"roles/storage.{name}"
    for name in (
        *("admin", "objectAdmin", "objectUser", "objectViewer"),
        *("legacyBucketReader", "legacyBucketWriter", "legacyBucketOwner"),
    )
)
_READS_SECRETS: Final = frozenset(("roles/secretmanager.secretAccessor", "roles/secretmanager.admin", "roles/owner"))
_IMPERSONATES: Final = frozenset(("roles/iam.workloadIdentityUser",))
_OWN_ROLE: Final = re.compile(r"(?:projects|organizations)/[^/]+/roles/.+")
_EVERYBODY: Final = ("allUsers", "allAuthenticatedUsers")
_POOLS: Final = r"//iam\.googleapis\.com/projects/\d+/locations/global/workloadIdentityPools/"
_WAIT_SECONDS: Final = 10.0


class Mounts:
    """What one cluster reaches. Implements `simulator.pods.storage.Storage`."""

    def __init__(self, cluster: str, cloud: Cloud, store: Store, folders: Folders) -> None:
        """`cluster` is an API name."""
        self._cluster = cluster
        self._cloud = cloud
        self._store = store
        self._folders = folders

    @property
    def project(self) -> str:
        """The cluster's project."""
        return parts_of(Kind.CLUSTER, self._cluster)["project"]

    def share(self, server: str, path: str) -> Path | None:
        """As `Storage.share`."""
        return self._cloud.share(self._cluster, server, path)

    def lustre(self, address: str, filesystem: str) -> Path | None:
        """The folder of a Lustre file system, None when no instance on the cluster's network serves it.

        An instance made for the port of older GKE versions answers clusters that use this port alone.
        """
        with self._store.look() as view:
            cluster = view.get(self._cluster) or {}
            network = at(cluster, "networkConfig.network")
            is_legacy = bool(at(cluster, "addonsConfig.lustreCsiDriverConfig.enableLegacyLustrePort"))
            for name, body in view.list(Kind.LUSTRE):
                is_it = body["mountPoint"] == f"{address}@tcp:/{filesystem}" and body["network"] == network
                if is_it and bool(body["gkeSupportEnabled"]) is is_legacy and body["state"] in ("ACTIVE", "UPDATING"):
                    return self._folders.make(name)
        return None

    def bucket(self, name: str, who: Identity) -> Path:
        """As `Storage.bucket`."""
        bucket = api_name(Kind.BUCKET, name=name)
        with self._store.look() as view:
            record = view.get(bucket)
            if record is None:
                raise refusal("NOT_FOUND", "The specified bucket does not exist.")
            principal = _Principal(view, self._cluster, who)
            if not principal.has_one_of(_LISTS_OBJECTS, bucket, f"projects/{record.get('project', self.project)}"):
                raise refusal(
                    "PERMISSION_DENIED",
                    f"{principal.name} does not have storage.objects.list access to the Google Cloud Storage bucket. "
                    "Permission 'storage.objects.list' denied on resource (or it may not exist).",
                )
        return self._folders.make(bucket)

    def secret(self, version: str, who: Identity) -> bytes:
        """As `Storage.secret`."""
        secret = version.partition("/versions/")[0]
        project = "/".join(secret.split("/")[:2])
        with self._store.look() as view:
            principal = _Principal(view, self._cluster, who)
            if not principal.has_one_of(_READS_SECRETS, secret, project):
                raise refusal(
                    "PERMISSION_DENIED",
                    f"Permission 'secretmanager.versions.access' denied for resource '{version}' "
                    "(or it may not exist).",
                )
            body = find_version(view, version)
        if body is None:
            raise refusal("NOT_FOUND", f"Secret [{secret}] not found or has no versions.")
        return base64.b64decode(body["payload"]["data"])

    def disk(self, name: str) -> Path | None:
        """As `Storage.disk`."""
        with self._store.look() as view:
            return None if view.get(name) is None else self._folders.make(name)

    def make_disk(self, name: str, body: dict[str, Any]) -> None:
        """As `Storage.make_disk`."""
        with passing_over("ALREADY_EXISTS"):
            operation = self._cloud.create(Kind.DISK, name, body)
            self._cloud.wait(operation["name"], _WAIT_SECONDS)

    def delete_disk(self, name: str) -> None:
        """As `Storage.delete_disk`."""
        with passing_over("NOT_FOUND"):
            self._cloud.delete(name)


class _Principal:
    """The account of a pod, and the members of policies that stand for it."""

    def __init__(self, view: View, cluster: str, who: Identity) -> None:
        self._view = view
        parts = parts_of(Kind.CLUSTER, cluster)
        pool = f"{parts['project']}.svc.id.goog"
        subject = f"ns/{who.namespace}/sa/{who.account}"
        self.name = "Caller"
        """As refusals name them."""
        self._members = {*_EVERYBODY, f"serviceAccount:{pool}[{who.namespace}/{who.account}]"}
        self._form = re.compile(
            f"principal:{_POOLS}{re.escape(pool)}/subject/{re.escape(subject)}|"
            f"principalSet:{_POOLS}{re.escape(pool)}/(?:namespace/{re.escape(who.namespace)}|"
            rf"kubernetes\.cluster/https://container\.googleapis\.com/v1/{re.escape(cluster)})"
        )
        if who.pool:
            self._act_as(_node_account(view, f"{cluster}/nodePools/{who.pool}", parts["project"]))
        elif who.google_account:
            account = api_name(Kind.SERVICE_ACCOUNT, project=_project_of(who.google_account), name=who.google_account)
            if not self.has_one_of(_IMPERSONATES, account):
                raise refusal(
                    "PERMISSION_DENIED",
                    "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
                )
            self._act_as(who.google_account)

    def _act_as(self, email: str) -> None:
        self.name = email
        self._members = {*_EVERYBODY, f"serviceAccount:{email}"}
        self._form = re.compile(r"(?!)")

    def has_one_of(self, roles: frozenset[str], *resources: str) -> bool:
        """Whether one of the roles, or one of the user's own making, is given on one of the resources (API names)."""
        return any(
            (body["role"] in roles or _OWN_ROLE.fullmatch(body["role"])) and self._is(body["member"])
            for resource in resources
            for body in _members(self._view, resource)
        )

    def _is(self, member: str) -> bool:
        return member in self._members or self._form.fullmatch(member) is not None


def _members(view: View, resource: str) -> Iterable[Body]:
    return (body for _, body in view.list(Kind.IAM_MEMBER, f"{resource}/iam/"))


def _node_account(view: View, pool: str, project: str) -> str:
    found = at(view.get(pool) or {}, "config.serviceAccount")
    return found if found and found != "default" else f"{project}-compute@developer.gserviceaccount.com"


def _project_of(email: str) -> str:
    return email.partition("@")[2].partition(".")[0]
