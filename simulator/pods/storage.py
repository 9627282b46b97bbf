"""The storage of the simulated cloud as pods reach it: the interface, and who asks.

`simulator.cloud.mounts` implements it for the clusters of a cloud.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from components.kubeapi.documents import Document, section

if TYPE_CHECKING:
    from pathlib import Path

IMPERSONATES: Final = "iam.gke.io/gcp-service-account"
"""The annotation of a Kubernetes service account that names a Google service account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who asks Google's APIs for something: a Kubernetes service account, or a node."""

    namespace: str = ""
    account: str = ""
    google_account: str = ""
    """The address of the Google service account that the Kubernetes one acts as; empty for none."""
    pool: str = ""
    """The node pool of a node that asks itself; empty for a Kubernetes service account."""


def identity_of(pod: Document, account: Document | None) -> Identity:
    """The identity of a pod, whose ServiceAccount is `account`, None when it does not exist."""
    annotations = section(account or {}, "metadata", "annotations")
    return Identity(
        namespace=pod["metadata"]["namespace"],
        account=section(pod, "spec").get("serviceAccountName") or "default",
        google_account=str(annotations.get(IMPERSONATES) or ""),
    )


class Storage(Protocol):
    """The files that the pods of one cluster reach. Refusals are `simulator.cloud.api.CloudError`s."""

    def share(self, server: str, path: str) -> Path | None:
        """The folder behind an NFS server and its path, None when no such server is on the cluster's network."""
        ...

    def lustre(self, address: str, filesystem: str) -> Path | None:
        """The folder of a Lustre file system, None when no instance on the cluster's network serves it."""
        ...

    def bucket(self, name: str, who: Identity) -> Path:
        """The folder with a bucket's objects.

        Raises:
            CloudError: there is no such bucket, or it may not be listed.
        """
        ...

    def secret(self, version: str, who: Identity) -> bytes:
        """The value of a version of a secret (an API name, which may end with `latest`).

        Raises:
            CloudError: there is no such version, or it may not be read.
        """
        ...

    def disk(self, name: str) -> Path | None:
        """The folder of a disk (an API name), None when there is no such disk."""
        ...

    def make_disk(self, name: str, body: dict[str, Any]) -> None:
        """Make a disk (an API name) with the fields of its API document; one that exists is left as it is.

        Raises:
            CloudError: the API refuses it.
        """
        ...

    def delete_disk(self, name: str) -> None:
        """Delete a disk (an API name); one that is gone is not an error."""
        ...

    @property
    def project(self) -> str:
        """The cluster's project."""
        ...
