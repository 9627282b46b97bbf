"""The kubeconfig of a GKE cluster. It holds no token: the GKE auth plugin of whoever uses it fetches one."""

from __future__ import annotations

from typing import Final, TypedDict

import yaml

INSTALL_HINT: Final = "Install gke-gcloud-auth-plugin: gcloud components install gke-gcloud-auth-plugin"


class ClusterEntry(TypedDict):
    """Where the API server is."""

    name: str
    cluster: dict[str, str]


class ContextEntry(TypedDict):
    """A user at a cluster."""

    name: str
    context: dict[str, str]


class Exec(TypedDict):
    """A program that prints a credential."""

    apiVersion: str
    command: str
    installHint: str
    provideClusterInfo: bool
    interactiveMode: str


class User(TypedDict):
    """How a user proves itself."""

    exec: Exec


class UserEntry(TypedDict):
    """A named user."""

    name: str
    user: User


Kubeconfig = TypedDict(
    "Kubeconfig",
    {
        "apiVersion": str,
        "kind": str,
        "clusters": list[ClusterEntry],
        "contexts": list[ContextEntry],
        "users": list[UserEntry],
        "current-context": str,
    },
)


def kubeconfig(name: str, endpoint: str, ca_certificate: str) -> str:
    """The kubeconfig as YAML.

    Args:
        name: what its cluster, user and context are called.
        endpoint: host of the API server, without scheme.
        ca_certificate: base64 of the certificate that signed the API server's.
    """
    document: Kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": name,
                "cluster": {"server": f"https://{endpoint}", "certificate-authority-data": ca_certificate},
            }
        ],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "users": [{"name": name, "user": {"exec": _auth_plugin()}}],
        "current-context": name,
    }
    return yaml.safe_dump(document, sort_keys=False)


def _auth_plugin() -> Exec:
    """GKE's plugin, which answers in v1beta1 whatever it is asked for (cloud-provider-gcp, gke-gcloud-auth-plugin)."""
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "gke-gcloud-auth-plugin",
        "installHint": INSTALL_HINT,
        "provideClusterInfo": True,
        "interactiveMode": "IfAvailable",
    }
