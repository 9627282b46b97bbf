"""Managed Lustre: an instance on the cluster's network as a volume.

Source: the texts of pkg/csi_driver/node.go of GoogleCloudPlatform/lustre-csi-driver and of its issues, read 2026-11.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.pods.csi.request import Request

NAME: Final = "lustre.csi.storage.gke.io"
_STAGE: Final = "MountVolume.MountDevice"


def mount(request: Request) -> Path:
    """The folder of the file system.

    Raises:
        VolumeError: no instance on the cluster's network answers at the volume's address.
    """
    address, filesystem = request.attributes.get("ip", ""), request.attributes.get("filesystem", "")
    if not address:
        raise request.failed("InvalidArgument", "Lustre instance IP is not provided", stage=_STAGE)
    if not filesystem:
        raise request.failed("InvalidArgument", "Lustre filesystem name is not provided", stage=_STAGE)
    folder = request.storage.lustre(address, filesystem)
    if folder is not None:
        return folder
    source = f"{address}@tcp:/{filesystem}"
    staged = hashlib.sha256(request.handle.encode()).hexdigest()
    target = f"/var/lib/kubelet/plugins/kubernetes.io/csi/{NAME}/{staged}/globalmount"
    node = request.node.get("metadata", {}).get("name", "")
    raise request.failed(
        "Internal",
        f'Could not mount "{source}" at "{target}" on node {node}: mount failed: exit status 5\n'
        f"Mounting command: mount\nMounting arguments: -t lustre {source} {target}\n"
        f"Output: mount.lustre: mount {source} at {target} failed: Input/output error\nIs the MGS running?",
        stage=_STAGE,
    )
