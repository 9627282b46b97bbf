"""Persistent disks and Hyperdisks as volumes. Disks are not attached to machines: many nodes may write to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.pods.csi.request import Request, VolumeError

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "pd.csi.storage.gke.io"


def mount(request: Request) -> Path:
    """The folder of the disk.

    Raises:
        VolumeError: there is no such disk.
    """
    folder = request.storage.disk(request.handle)
    if folder is None:
        raise VolumeError(
            f'AttachVolume.Attach failed for volume "{request.volume}" : rpc error: code = NotFound desc = '
            f"ControllerPublishVolume could not find volume with ID {request.handle}: googleapi: Error 404: The "
            f"resource '{request.handle}' was not found, notFound"
        )
    return folder
