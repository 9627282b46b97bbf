"""A volume that a CSI driver is asked to mount for a pod, and how it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, section
from simulator.pods.storage import Identity, Storage, identity_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from components.kubeapi import Api
    from simulator.cloud.api import CloudError

_CODES: Final = {
    "FAILED_PRECONDITION": "FailedPrecondition",
    "INVALID_ARGUMENT": "InvalidArgument",
    "NOT_FOUND": "NotFound",
    "PERMISSION_DENIED": "PermissionDenied",
}


class VolumeError(Exception):
    """A volume cannot be provided; the text says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One volume of one pod on one node."""

    pod: Document
    node: Document
    """The node of the pod; empty when it is gone."""
    volume: str
    """The name of the PersistentVolume, or of the pod's own volume."""
    is_inline: bool
    """Whether the volume is the pod's own."""
    driver: str
    handle: str
    """The driver's name of a PersistentVolume; empty for a volume of the pod's own."""
    attributes: Mapping[str, str]
    read_only: bool
    target: Path
    """A folder for files of this volume alone, for drivers that make them; it may not exist yet."""
    kept: Path
    """The folder of what the node keeps beside its pods."""
    api: Api
    storage: Storage

    @property
    def namespace(self) -> str:
        """The pod's namespace."""
        return self.pod["metadata"]["namespace"]

    @property
    def identity(self) -> Identity:
        """Who the pod is for Google's APIs."""
        account = section(self.pod, "spec").get("serviceAccountName") or "default"
        found = self.api.find(f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}")
        return identity_of(self.pod, found)

    def failed(self, code: str, text: str, *, stage: str = "MountVolume.SetUp") -> VolumeError:
        """The error of a driver's call, as the kubelet tells it; `code` is gRPC's, such as `NotFound`."""
        return VolumeError(f'{stage} failed for volume "{self.volume}" : rpc error: code = {code} desc = {text}')


def code_of(error: CloudError) -> str:
    """The gRPC code of a refusal."""
    return _CODES.get(error.status, "Internal")
