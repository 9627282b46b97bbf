"""The kubeconfig of a GKE cluster. It holds no token: the GKE auth plugin of whoever uses it fetches one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

if TYPE_CHECKING:
    from components.manifests.metadata import Manifest

INSTALL_HINT: Final = "Install gke-gcloud-auth-plugin: gcloud components install gke-gcloud-auth-plugin"


def kubeconfig(name: str, endpoint: str, ca_certificate: str) -> str:
    """The kubeconfig as YAML.

    Args:
        name: what its cluster, user and context are called.
        endpoint: host of the API server, without scheme.
        ca_certificate: base64 of the certificate that signed the API server's.
    """
    document = {
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


def _auth_plugin() -> Manifest:
    """GKE's plugin, which answers in v1beta1 whatever it is asked for (cloud-provider-gcp, gke-gcloud-auth-plugin)."""
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "gke-gcloud-auth-plugin",
        "installHint": INSTALL_HINT,
        "provideClusterInfo": True,
        "interactiveMode": "IfAvailable",
    }
