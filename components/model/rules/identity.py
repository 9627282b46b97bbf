"""Rules about the accounts that pods act as and the secrets that they read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import pods
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.plan.pods import SecretManagerMountPlan
from components.model.plan.workloads import secret_reads
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

FAMILY: Final = Family.GUARDRAILS

_IDENTITY: Final = 'GKE documentation "About Workload Identity Federation for GKE", read 2026-11'
_BASIC: Final = frozenset({"roles/owner", "roles/editor", "roles/viewer"})


@rule(
    summary="a workload's service account is declared in its namespace",
    why="The API server refuses pods whose account does not exist, and the workload waits for ever.",
    source='Kubernetes documentation "Configure Service Accounts for Pods", read 2026-11',
)
def _service_account_exists(plan: Plan) -> Iterator[Finding]:
    known = {(each.namespace, each.name) for each in plan.service_accounts}
    for group in plan.pod_groups:
        account, home = group.pod.service_account, group.work.namespace
        if account in (None, names.DEFAULT_ACCOUNT) or (home, account) in known:
            continue
        here = [name for namespace, name in known if namespace == home]
        elsewhere = [namespace for namespace, name in known if name == account]
        hint = f"There is one in {listing(sorted(elsewhere))}. " if elsewhere else did_you_mean(account, here)
        yield Finding(
            place=group.work.place.at("service_account"),
            says=f"no service account of namespace {home} is named {account}.",
            remedy=f"{hint}Declare it under service_accounts; with existing: true if somebody else makes it.",
        )


@rule(
    summary="pods that need their account's roles are not on the network of their host",
    why="The node answers them when they ask who they are, so Google Cloud sees the node and not their account.",
    source=_IDENTITY,
)
def _identity_reaches_pods(plan: Plan) -> Iterator[Finding]:
    roles = {(each.namespace, each.name): each.roles for each in plan.service_accounts}
    for group in plan.pod_groups:
        granted = roles.get((group.work.namespace, names.account_of(group.pod.service_account)), ())
        if granted and group.is_on_host_network:
            yield Finding(
                place=group.work.place.at("service_account"),
                says=f"its pods are on the network of their hosts, where {listing(granted)} of the account do not "
                "reach them.",
                remedy="Set host_network: false, or grant them to the service account of the nodes.",
            )


@rule(
    summary="pods on Autopilot are not on the network of their host",
    why="Autopilot refuses them.",
    source='GKE documentation "Autopilot security capabilities", read 2026-11',
)
def _autopilot_has_no_host_network(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs if plan.cluster.mode == "autopilot" else ():
        if work.is_on_host_network:
            yield about_key(
                place=work.place.at("host_network"),
                says="Autopilot does not allow the host's network.",
            )


@rule(
    summary="accounts of pods have no basic role of the project",
    why="owner and editor may change and delete everything in the project, viewer may read almost everything.",
    source='IAM documentation "Basic and predefined roles", read 2026-11',
    severity=Severity.WARNING,
)
def _role_is_narrow(plan: Plan) -> Iterator[Finding]:
    for account in plan.service_accounts:
        for index, role in enumerate(account.roles):
            if role in _BASIC:
                yield Finding(
                    place=account.place.at("roles", index),
                    says=f"{role} is a role for the whole project.",
                    remedy="Name the roles of the services that the pods call, such as roles/bigquery.dataViewer.",
                )


@rule(
    summary="in a cluster that the stack makes, pods read Secrets that it makes too",
    why="Pods whose Secret does not exist wait until somebody creates it.",
    source='Kubernetes documentation "Secrets", read 2026-11',
    severity=Severity.WARNING,
)
def _secret_is_declared(plan: Plan) -> Iterator[Finding]:
    known = {(each.namespace, each.name): each.data for each in plan.secrets}
    made = {(redis.namespace, redis.secret) for redis in plan.redises}
    for read in (read for group in plan.pod_groups for read in secret_reads(group)):
        data = known.get((read.namespace, read.name))
        if data is None and (read.namespace, read.name) not in made:
            if plan.is_running:
                continue  # components/live/secrets.py asks the cluster
            here = [each for namespace, each in known if namespace == read.namespace]
            yield Finding(
                place=read.place,
                says=f"the stack makes no Secret {read.name} in {read.namespace}.",
                remedy=f"{did_you_mean(read.name, here)}Declare it under secrets, or make it before the pods start: "
                f"{read.command}",
            )
        elif data is not None and read.key is not None and read.key not in data:
            yield Finding(
                place=read.place,
                says=f"the Secret {read.name} has no key {read.key}.",
                remedy=f"{did_you_mean(read.key, data)}Its keys: {listing(list(data))}.",
            )


@rule(
    summary="an existing cluster whose pods mount secrets of Secret Manager has the add-on",
    why="The stack does not change a cluster that it did not make; without the add-on pods wait for their volume.",
    source='Secret Manager documentation "Use the Secret Manager add-on", read 2026-11',
    severity=Severity.WARNING,
)
def _secret_manager_is_on(plan: Plan) -> Iterator[Finding]:
    for group in plan.pod_groups if plan.cluster.is_existing else ():
        for mount in group.pod.all_mounts:
            if isinstance(mount, SecretManagerMountPlan):
                yield Finding(
                    place=mount.place.at("secret_manager"),
                    says=f"the cluster {plan.cluster.name} exists, and the stack cannot see whether it has the add-on.",
                    remedy="Have its owner switch on the Secret Manager add-on.",
                )


@rule(
    summary="a Secret of the stack that pulls images has the key of such Secrets, and no other",
    why="The kubelet pulls with no other kind of Secret, so the registry refuses it and the pods wait.",
    source='Kubernetes documentation "Pull an Image from a Private Registry", and kubernetes/pkg/credentialprovider; '
    "read 2026-11",
)
def _pull_secret_is_one(plan: Plan) -> Iterator[Finding]:
    known = {(each.namespace, each.name): each for each in plan.secrets}
    for work in plan.programs:
        for index, name in enumerate(work.pod.pull_secrets):
            secret = known.get((work.namespace, name))
            if secret is not None and set(secret.data) != {pods.PULL_SECRET_KEY}:
                yield Finding(
                    place=work.place.at("image_pull_secrets", index),
                    says=f"the Secret {name} has {listing(list(secret.data))}; nodes pull images with a Secret whose "
                    f"only key is {pods.PULL_SECRET_KEY}.",
                    remedy=f"Give it the key {pods.PULL_SECRET_KEY} alone, or name another Secret.",
                )


@rule(
    summary="the value of a Secret that pulls images is JSON",
    why="The API server refuses the Secret.",
    source="Kubernetes 1.36.4, pkg/apis/core/validation (ValidateSecret)",
)
def _pull_secret_is_readable(plan: Plan) -> Iterator[Finding]:
    for secret in plan.secrets:
        value = secret.data.get(pods.PULL_SECRET_KEY)
        if value is not None and len(secret.data) == 1 and not value.is_json_mapping:
            yield Finding(
                place=secret.place.at("data", pods.PULL_SECRET_KEY),
                says="it is not a JSON mapping, as Docker writes one.",
                remedy='Encrypt the text of a file such as ~/.docker/config.json: {"auths": {...}}.',
            )
