"""Accounts and secrets: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.model.catalogue.run import one_job
from tests.stacks import Stack, a_platform, in_existing_cluster, on_autopilot

_TRAINER = {"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}
_TOKEN = {"secret": "hf", "key": "token"}
_HF = {"name": "hf", "data": {"token": "made up"}}
_MOUNT = {"secret_manager": "hf-token", "path": "/secrets"}


def _run(**keys: object) -> Stack:
    """The small platform, whose JobSet has more keys."""
    return a_platform().set("workloads", 0, **keys)


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "an account that is not declared": (
        _run(service_account="trainer"),
        ["service-account-exists: workloads[0].service_account"],
    ),
    "a misspelt account": (
        _run(service_account="trainr").set(service_accounts=[{"name": "trainer"}]),
        ["service-account-exists: workloads[0].service_account"],
    ),
    "an account of another namespace": (
        _run(service_account="trainer").set(service_accounts=[{"name": "trainer", "namespace": "research"}]),
        ["service-account-exists: workloads[0].service_account"],
    ),
    "roles that do not reach pods on the network of their hosts": (
        _run(service_account="trainer").set(service_accounts=[_TRAINER]),
        ["identity-reaches-pods: workloads[0].service_account"],
    ),
    "roles that do not reach a Job on the network of its hosts": (
        one_job(host_network=True, service_account="trainer").set(service_accounts=[_TRAINER]),
        ["identity-reaches-pods: workloads[0].service_account"],
    ),
    "the network of the host on Autopilot": (
        on_autopilot().set("workloads", 0, host_network=True),
        ["autopilot-has-no-host-network: workloads[0].host_network"],
    ),
    "an account that owns the project": (
        a_platform().set(service_accounts=[{"name": "trainer", "roles": ["roles/editor"]}]),
        ["role-is-narrow: service_accounts[0].roles[0]"],
    ),
    "a Secret that nobody makes": (_run(env={"HF_TOKEN": _TOKEN}), ["secret-is-declared: workloads[0].env.HF_TOKEN"]),
    "a misspelt Secret in a mount, and one to pull images with": (
        _run(mounts=[{"secret": "hff", "path": "/hf"}], image_pull_secrets=["registry"]).set(secrets=[_HF]),
        ["secret-is-declared: workloads[0].image_pull_secrets[0]", "secret-is-declared: workloads[0].mounts[0].secret"],
    ),
    "a key that a Secret does not have": (
        _run(env={"HF_TOKEN": {**_TOKEN, "key": "tokne"}}).set(secrets=[_HF]),
        ["secret-is-declared: workloads[0].env.HF_TOKEN"],
    ),
    "a secret of Secret Manager in a cluster that exists": (
        in_existing_cluster().set("workloads", 0, mounts=[_MOUNT]),
        ["secret-manager-is-on: workloads[0].mounts[0].secret_manager"],
    ),
    "Secret Manager on a version that does not have it": (
        _run(mounts=[_MOUNT], privileged=True).set("cluster", minimum_version="1.27.9-gke.1092000"),
        ["version-floor: cluster.minimum_version"],
    ),
    "two Secrets of one name": (a_platform().set(secrets=[_HF, _HF]), ["names-differ: secrets[1].name"]),
    "an account in a namespace of the system": (
        a_platform().set(service_accounts=[{"name": "trainer", "namespace": "kube-system"}]),
        ["namespace-is-users: service_accounts[0].namespace"],
    ),
    "images pulled with a Secret of another kind": (
        _run(image_pull_secrets=["hf"]).set(secrets=[_HF]),
        ["pull-secret-is-one: workloads[0].image_pull_secrets[0]"],
    ),
    "a Secret for images that is not of Docker's form": (
        _run(image_pull_secrets=["registry"]).set(secrets=[{"name": "registry", "data": {".dockerconfigjson": "a:b"}}]),
        ["pull-secret-is-readable: secrets[0].data..dockerconfigjson"],
    ),
}
SOUND: dict[str, Stack] = {
    "an account whose roles reach its pods, with a Secret": _run(
        service_account="trainer", host_network=False, env={"HF_TOKEN": _TOKEN}
    ).set(service_accounts=[_TRAINER], secrets=[_HF]),
    "an account without roles on the network of the host": _run(service_account="trainer").set(
        service_accounts=[{"name": "trainer", "existing": True}]
    ),
    "the account that every namespace has": _run(service_account="default"),
    "a secret of Secret Manager on the network of the host": _run(mounts=[_MOUNT]),
    "roles on Autopilot": on_autopilot()
    .set("workloads", 0, service_account="trainer")
    .set(service_accounts=[_TRAINER]),
}
