"""Accounts and secrets: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.model.catalogue.run import one_job
from tests.stacks import Stack, Told, a_platform, in_existing_cluster, on_autopilot

_TRAINER = {"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}
_TOKEN = {"secret": "hf", "key": "token"}
_HF = {"name": "hf", "data": {"token": "made up"}}
_MOUNT = {"secret_manager": "hf-token", "path": "/secrets"}


def _run(**keys: object) -> Stack:
    """The small platform, whose JobSet has more keys."""
    return a_platform().set("workloads", 0, **keys)


def _told(rule: str, place: str, says: str, remedy: str, severity: str = "error") -> list[Told]:
    return [Told(rule=rule, place=place, says=says, remedy=remedy, severity=severity)]


def _no_account(name: str, hint: str = "") -> list[Told]:
    return _told(
        "service-account-exists",
        "workloads[0].service_account",
        f"no service account of namespace default is named {name}.",
        f"{hint}Declare it under service_accounts; with existing: true if somebody else makes it.",
    )


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "an account that is not declared": (_run(service_account="trainer"), _no_account("trainer")),
    "a misspelt account": (
        _run(service_account="trainr").set(service_accounts=[{"name": "trainer"}]),
        _no_account("trainr", "Did you mean trainer? "),
    ),
    "an account of another namespace": (
        _run(service_account="trainer").set(service_accounts=[{"name": "trainer", "namespace": "research"}]),
        _no_account("trainer", "There is one in research. "),
    ),
    "roles that do not reach pods on the network of their hosts": (
        _run(service_account="trainer").set(service_accounts=[_TRAINER]),
        _told(
            "identity-reaches-pods",
            "workloads[0].service_account",
            "its pods are on the network of their hosts, where roles/bigquery.dataViewer of the account do not reach "
            "them.",
            "Set host_network: false, or grant them to the service account of the nodes.",
        ),
    ),
    "roles that do not reach a Job on the network of its hosts": (
        one_job(host_network=True, service_account="trainer").set(service_accounts=[_TRAINER]),
        _told(
            "identity-reaches-pods",
            "workloads[0].service_account",
            "its pods are on the network of their hosts, where roles/bigquery.dataViewer of the account do not reach "
            "them.",
            "Set host_network: false, or grant them to the service account of the nodes.",
        ),
    ),
    "the network of the host on Autopilot": (
        on_autopilot().set("workloads", 0, host_network=True),
        _told(
            "autopilot-has-no-host-network",
            "workloads[0].host_network",
            "Autopilot does not allow the host's network.",
            "Remove the key.",
        ),
    ),
    "an account that owns the project": (
        a_platform().set(service_accounts=[{"name": "trainer", "roles": ["roles/editor"]}]),
        _told(
            "role-is-narrow",
            "service_accounts[0].roles[0]",
            "roles/editor is a role for the whole project.",
            "Name the roles of the services that the pods call, such as roles/bigquery.dataViewer.",
            "warning",
        ),
    ),
    "a Secret that nobody makes": (
        _run(env={"HF_TOKEN": _TOKEN}),
        _told(
            "secret-is-declared",
            "workloads[0].env.HF_TOKEN",
            "the stack makes no Secret hf in default.",
            "Declare it under secrets, or make it before the pods start: "
            "kubectl create secret generic hf --namespace default --from-literal=token=...",
            "warning",
        ),
    ),
    "a misspelt Secret in a mount, and one to pull images with": (
        _run(mounts=[{"secret": "hff", "path": "/hf"}], image_pull_secrets=["registry"]).set(secrets=[_HF]),
        [
            *_told(
                "secret-is-declared",
                "workloads[0].image_pull_secrets[0]",
                "the stack makes no Secret registry in default.",
                "Declare it under secrets, or make it before the pods start: kubectl create secret docker-registry "
                "registry --namespace default --docker-server=... --docker-username=... --docker-password=...",
                "warning",
            ),
            *_told(
                "secret-is-declared",
                "workloads[0].mounts[0].secret",
                "the stack makes no Secret hff in default.",
                "Did you mean hf? Declare it under secrets, or make it before the pods start: "
                "kubectl create secret generic hff --namespace default --from-literal=KEY=...",
                "warning",
            ),
        ],
    ),
    "a key that a Secret does not have": (
        _run(env={"HF_TOKEN": {**_TOKEN, "key": "tokne"}}).set(secrets=[_HF]),
        _told(
            "secret-is-declared",
            "workloads[0].env.HF_TOKEN",
            "the Secret hf has no key tokne.",
            "Did you mean token? Its keys: token.",
            "warning",
        ),
    ),
    "a secret of Secret Manager in a cluster that exists": (
        in_existing_cluster().set("workloads", 0, mounts=[_MOUNT]),
        _told(
            "secret-manager-is-on",
            "workloads[0].mounts[0].secret_manager",
            "the cluster ml exists, and the stack cannot see whether it has the add-on.",
            "Have its owner switch on the Secret Manager add-on.",
            "warning",
        ),
    ),
    "Secret Manager on a version that does not have it": (
        _run(mounts=[_MOUNT], privileged=True).set("cluster", minimum_version="1.27.9-gke.1092000"),
        _told(
            "version-floor",
            "cluster.minimum_version",
            "1.27.9-gke.1092000 is older than the first version with the Secret Manager add-on.",
            "Set 1.27.14-gke.1042001 or newer, or leave the version to the release channel.",
        ),
    ),
    "two Secrets of one name": (
        a_platform().set(secrets=[_HF, _HF]),
        _told(
            "names-differ",
            "secrets[1].name",
            "the secret name default/hf is taken by secrets[0].",
            "Choose another name.",
        ),
    ),
    "an account in a namespace of the system": (
        a_platform().set(service_accounts=[{"name": "trainer", "namespace": "kube-system"}]),
        _told(
            "namespace-is-users",
            "service_accounts[0].namespace",
            "kube-system belongs to the system.",
            "Name a namespace of a team, or default.",
        ),
    ),
    "images pulled with a Secret of another kind": (
        _run(image_pull_secrets=["hf"]).set(secrets=[_HF]),
        _told(
            "pull-secret-is-one",
            "workloads[0].image_pull_secrets[0]",
            "the Secret hf has token; nodes pull images with a Secret whose only key is .dockerconfigjson.",
            "Give it the key .dockerconfigjson alone, or name another Secret.",
        ),
    ),
    "a Secret for images that is not of Docker's form": (
        _run(image_pull_secrets=["registry"]).set(secrets=[{"name": "registry", "data": {".dockerconfigjson": "a:b"}}]),
        _told(
            "pull-secret-is-readable",
            "secrets[0].data..dockerconfigjson",
            "it is not a JSON mapping, as Docker writes one.",
            'Encrypt the text of a file such as ~/.docker/config.json: {"auths": {...}}.',
        ),
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
