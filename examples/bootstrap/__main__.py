"""Declares what shared stacks of the platform need first: the bucket for their state, its key, and accounts.

It is a stack of its own, with its state on a user's machine until the bucket exists; docs/shared-state.md has the
steps. The workflows use two kinds of accounts, and no account has a key. One account reads every environment, for
previews and drift. Each environment has an account that changes it, and only jobs that GitHub lets into the environment
of that name may use it: its approvers decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_gcp as gcp

from components.model.facts import gke
from components.model.project import PROJECT
from components.refusal import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pulumi_gcp.storage import BucketLifecycleRuleArgsDict

_SERVICES: Final = ("cloudkms", "iam", "iamcredentials", "storage", "sts")
_DAY: Final = 86_400
_OLD_STATES: Final[BucketLifecycleRuleArgsDict] = {
    "action": {"type": "Delete"},
    "condition": {"num_newer_versions": 50, "days_since_noncurrent_time": 90, "with_state": "ARCHIVED"},
}
"""A state is deleted when both are true: so many newer ones exist, and it was replaced so many days ago."""
_ROTATION: Final = f"{90 * _DAY}s"
"""Old versions of the key stay, so that data that they encrypted stay readable."""
_GRACE: Final = f"{30 * _DAY}s"
"""For so long, a version of the key that is to be destroyed can be restored."""
_ISSUER: Final = "https://token.actions.githubusercontent.com"
_READS: Final = (
    *("compute.viewer", "container.viewer", "file.viewer", "iam.securityReviewer"),
    *("serviceusage.serviceUsageViewer", "storage.bucketViewer"),
)
"""Roles for previews and refreshes of the platform. Without the right to change objects in a cluster, the Kubernetes
provider compares them itself instead of sending a dry run (pulumi-kubernetes 3.29, pull request 2419)."""
_CHANGES: Final = (
    *("compute.networkAdmin", "compute.securityAdmin", "container.admin", "file.editor"),
    *("iam.serviceAccountAdmin", "iam.serviceAccountUser", "serviceusage.serviceUsageAdmin", "storage.admin"),
)
"""Roles for updates of the platform, except grants of roles in the project."""
_GRANTS: Final = "roles/resourcemanager.projectIamAdmin"
_STATES: Final = ("stacks", "history", "backups", "locks/organization")
"""Folders of a backend with something of every stack below the project's name (engine 3.250, backend/diy)."""
_REPOSITORY: Final = re.compile(r"[\w.-]+/[\w.-]+")
_ENVIRONMENT: Final = re.compile(r"[a-z][a-z0-9-]{0,22}")
"""A name that leaves room for `deploy-` in an account's name of at most 30 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in the stack file."""

    project: str
    bucket: str
    location: str
    repository: str
    repository_id: str
    environments: Mapping[str, str]
    """Project by name."""
    labels: Mapping[str, str]
    """Labels of the resources that cost money."""

    def mistakes(self) -> Iterator[str]:
        """Settings that would make accounts for nobody, or for anybody."""
        if _REPOSITORY.fullmatch(self.repository) is None:
            yield f"repository: {self.repository!r} is not owner/name."
        if not self.repository_id.isdecimal():
            yield f"repository_id: {self.repository_id!r} is not a number: `gh api repos/OWNER/NAME --jq .id` has it."
        if not self.environments:
            yield "environments: name at least one, with its project."
        for name in self.environments:
            if _ENVIRONMENT.fullmatch(name) is None:
                yield f"environments: {name!r} must be lower-case letters, digits and hyphens, at most 23."

    def address(self, account: str) -> str:
        """E-mail address of an account that is made here."""
        return f"{account}@{self.project}.iam.gserviceaccount.com"

    def member(self, account: str) -> str:
        """The account's name in grants."""
        return f"serviceAccount:{self.address(account)}"


def read() -> Settings:
    """The settings; ends the program when they cannot be used."""
    config = pulumi.Config()
    settings = Settings(
        project=pulumi.Config("gcp").require("project"),
        **{name: config.require(name) for name in ("bucket", "location", "repository", "repository_id")},
        environments=config.require_object("environments"),
        labels=config.require_object("labels"),
    )
    found = "\n".join(f"tpu-platform-state:{each}" for each in settings.mistakes())
    if found:
        refuse(found)
    return settings


class State(pulumi.ComponentResource):
    """The bucket of the states, and the key of their secrets. No update deletes either."""

    def __init__(self, name: str, settings: Settings) -> None:
        """Declares both, after the APIs that they need."""
        super().__init__("tpu-platform-state:index:State", name)
        self.services = [
            gcp.projects.Service(
                each,
                service=f"{each}{gke.API_HOSTS}",
                disable_on_destroy=False,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for each in _SERVICES
        ]
        kept = pulumi.ResourceOptions(parent=self, depends_on=self.services, protect=True)
        self.bucket = gcp.storage.Bucket(
            "states",
            name=settings.bucket,
            location=settings.location,
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            versioning={"enabled": True},
            lifecycle_rules=[_OLD_STATES],
            force_destroy=False,
            labels=settings.labels,
            opts=kept,
        )
        ring = gcp.kms.KeyRing("states", name=PROJECT, location=settings.location, opts=kept)
        self.key = gcp.kms.CryptoKey(
            "states",
            name="states",
            key_ring=ring.id,
            rotation_period=_ROTATION,
            destroy_scheduled_duration=_GRACE,
            labels=settings.labels,
            opts=pulumi.ResourceOptions(parent=self, protect=True),
        )
        self.register_outputs({})


@dataclass(frozen=True, slots=True)
class _Account:
    """The parts of an account that are known before it is made."""

    name: str
    member: str
    made: pulumi.Resource


class Workflows(pulumi.ComponentResource):
    """Accounts that workflows of one repository act as, by GitHub's own tokens."""

    def __init__(self, name: str, settings: Settings, state: State) -> None:
        """Declares the accounts, their roles, and who may use them."""
        super().__init__("tpu-platform-state:index:Workflows", name)
        self._settings = settings
        self._state = state
        pool = gcp.iam.WorkloadIdentityPool(
            "github", workload_identity_pool_id="github", opts=self._child(*state.services)
        )
        self.provider = gcp.iam.WorkloadIdentityPoolProvider(
            "github",
            workload_identity_pool_id=pool.workload_identity_pool_id,
            workload_identity_pool_provider_id="github",
            attribute_mapping={"google.subject": "assertion.sub", "attribute.repository_id": "assertion.repository_id"},
            attribute_condition=f'assertion.repository_id == "{settings.repository_id}"',
            oidc={"issuer_uri": _ISSUER},
            opts=self._child(),
        )
        preview = self._account(pool, "preview", "pull_request", "ref:refs/heads/main")
        for environment, project in settings.environments.items():
            self._grant(preview, project, environment, *_READS)
            deploy = self._account(pool, f"deploy-{environment}", f"environment:{environment}")
            self._grant(deploy, project, environment, *_CHANGES)
            self._grant_grants(deploy, project)
            self._open_states(deploy, environment)
        self._open_states(preview, None)
        self.register_outputs({})

    def _child(self, *after: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self, depends_on=after)

    def _account(self, pool: gcp.iam.WorkloadIdentityPool, name: str, *whose: str) -> _Account:
        """An account, and the jobs that may act as it, by the end of the subject in their token."""
        made = gcp.serviceaccount.Account(
            name, account_id=name, display_name=f"Workflows of {self._settings.repository}", opts=self._child()
        )
        for each in whose:
            subject = f"repo:{self._settings.repository}:{each}"
            gcp.serviceaccount.IAMMember(
                f"{name}-{each.replace(':', '-').replace('/', '-')}",
                service_account_id=f"projects/{self._settings.project}/serviceAccounts/{self._settings.address(name)}",
                role="roles/iam.workloadIdentityUser",
                member=pulumi.Output.concat("principal://iam.googleapis.com/", pool.name, "/subject/", subject),
                opts=self._child(made),
            )
        return _Account(name, self._settings.member(name), made)

    def _grant(self, account: _Account, project: str, environment: str, *roles: str) -> None:
        for role in roles:
            gcp.projects.IAMMember(
                f"{account.name}-{environment}-{role}",
                project=project,
                role=f"roles/{role}",
                member=account.member,
                opts=self._child(account.made),
            )

    def _grant_grants(self, account: _Account, project: str) -> None:
        """Lets an account grant the roles of nodes in the project, and no others: else it could make itself owner."""
        listed = ", ".join(f"'{role}'" for role in gke.NODE_ROLES)
        only = f"api.getAttribute('iam.googleapis.com/modifiedGrantsByRole', []).hasOnly([{listed}])"
        gcp.projects.IAMMember(
            f"{account.name}-grants",
            project=project,
            role=_GRANTS,
            member=account.member,
            condition={"title": "roles of nodes only", "expression": only},
            opts=self._child(account.made),
        )

    def _open_states(self, account: _Account, environment: str | None) -> None:
        """Lets an account read every state and the secrets in it, and write that of its environment, if it has one."""
        name, bucket, after = account.name, self._state.bucket.name, self._child(account.made)
        reads = "roles/storage.objectViewer"
        gcp.storage.BucketIAMMember(f"{name}-reads", bucket=bucket, role=reads, member=account.member, opts=after)
        role = "roles/cloudkms.cryptoKeyDecrypter"
        if environment is not None:
            role = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
            gcp.storage.BucketIAMMember(
                f"{name}-writes",
                bucket=bucket,
                role=gke.ROLE_WRITE_BUCKET,
                member=account.member,
                condition={"title": f"state of {environment}", "expression": self._own(environment)},
                opts=after,
            )
        key = self._state.key.id
        gcp.kms.CryptoKeyIAMMember(f"{name}-key", crypto_key_id=key, role=role, member=account.member, opts=after)

    def _own(self, environment: str) -> str:
        """Which objects of the bucket belong to the stack of an environment, as a condition."""
        objects = f"projects/_/buckets/{self._settings.bucket}/objects"
        ends = {"stacks": ".json"}
        beginnings = [f"{objects}/.pulumi/{each}/{PROJECT}/{environment}{ends.get(each, '/')}" for each in _STATES]
        return " || ".join(f"resource.name.startsWith('{each}')" for each in beginnings)


settings = read()
state = State("state", settings)
workflows = Workflows("workflows", settings, state)

# Under the names of the variables that the workflows read.
pulumi.export("PULUMI_BACKEND_URL", f"gs://{settings.bucket}")
pulumi.export("WORKLOAD_IDENTITY_PROVIDER", workflows.provider.name)
pulumi.export("PREVIEW_SERVICE_ACCOUNT", settings.address("preview"))
pulumi.export("DEPLOY_SERVICE_ACCOUNT", {each: settings.address(f"deploy-{each}") for each in settings.environments})
pulumi.export("secrets_provider", pulumi.Output.concat("gcpkms://", state.key.id))
