"""Accounts and secrets: broken stacks by the rules that find them, and sound ones."""

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


BROKEN: dict[str, dict[str, Stack]] = {
    "service-account-exists": {
        "an account that is not declared": _run(service_account="trainer"),
        "a misspelt account": _run(service_account="trainr").set(service_accounts=[{"name": "trainer"}]),
        "an account of another namespace": _run(service_account="trainer").set(
            service_accounts=[{"name": "trainer", "namespace": "research"}]
        ),
    },
    "identity-reaches-pods": {
        "roles that do not reach pods on the network of their hosts": _run(service_account="trainer").set(
            service_accounts=[_TRAINER]
        ),
        "roles that do not reach a Job on the network of its hosts": one_job(
            host_network=True, service_account="trainer"
        ).set(service_accounts=[_TRAINER]),
    },
    "autopilot-has-no-host-network": {
        "the network of the host on Autopilot": on_autopilot().set("workloads", 0, host_network=True),
    },
    "role-is-narrow": {
        "an account that owns the project": a_platform().set(
            service_accounts=[{"name": "trainer", "roles": ["roles/editor"]}]
        ),
    },
    "secret-is-declared": {
        "a Secret that nobody makes": _run(env={"HF_TOKEN": _TOKEN}),
        "a misspelt Secret in a mount, and one to pull images with": _run(
            mounts=[{"secret": "hff", "path": "/hf"}], image_pull_secrets=["registry"]
        ).set(secrets=[_HF]),
        "a key that a Secret does not have": _run(env={"HF_TOKEN": {**_TOKEN, "key": "tokne"}}).set(secrets=[_HF]),
    },
    "secret-manager-is-on": {
        "a secret of Secret Manager in a cluster that exists": in_existing_cluster().set(
            "workloads", 0, mounts=[_MOUNT]
        ),
    },
    "version-floor": {
        "Secret Manager on a version that does not have it": _run(mounts=[_MOUNT], privileged=True).set(
            "cluster", minimum_version="1.27.9-gke.1092000"
        ),
    },
    "names-differ": {
        "two Secrets of one name": a_platform().set(secrets=[_HF, _HF]),
    },
    "namespace-is-users": {
        "an account in a namespace of the system": a_platform().set(
            service_accounts=[{"name": "trainer", "namespace": "kube-system"}]
        ),
    },
    "pull-secret-is-one": {
        "images pulled with a Secret of another kind": _run(image_pull_secrets=["hf"]).set(secrets=[_HF]),
    },
    "pull-secret-is-readable": {
        "a Secret for images that is not of Docker's form": _run(image_pull_secrets=["registry"]).set(
            secrets=[{"name": "registry", "data": {".dockerconfigjson": "a:b"}}]
        ),
    },
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
