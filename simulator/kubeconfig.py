"""A kubeconfig of the simulated clusters, as `gcloud container clusters get-credentials` would write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AUTH_PLUGIN: Final = "gke-gcloud-auth-plugin"


@dataclass(frozen=True, slots=True)
class Entry:
    """One cluster in a kubeconfig."""

    name: str
    """The API name, `projects/P/locations/L/clusters/C`."""
    endpoint: str
    """`host:port`."""
    certificate_authority: str
    """PEM in base64."""

    @property
    def context(self) -> str:
        """The context's name, in gcloud's form `gke_PROJECT_LOCATION_CLUSTER`."""
        _, project, _, location, _, cluster = self.name.split("/")
        return f"gke_{project}_{location}_{cluster}"


def kubeconfig(entries: Sequence[Entry]) -> dict[str, Any]:
    """A kubeconfig with one context per cluster; the last one is the current context."""
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": AUTH_PLUGIN,
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    return document(
        *(
            (
                entry.context,
                {
                    "server": f"https://{entry.endpoint}",
                    "certificate-authority-data": entry.certificate_authority,
                },
                {"exec": plugin},
            )
            for entry in entries
        )
    )


def document(*contexts: tuple[str, Mapping[str, Any], Mapping[str, Any]]) -> dict[str, Any]:
    """A kubeconfig of contexts, each with its name, cluster and user; the last one is the current context."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster} for name, cluster, _ in contexts],
        "users": [{"name": name, "user": user} for name, _, user in contexts],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}} for name, _, _ in contexts],
        "current-context": contexts[-1][0] if contexts else "",
    }
