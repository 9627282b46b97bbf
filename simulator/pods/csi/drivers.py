"""The drivers by name, and the first question to any of them: whether its add-on is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.pods.csi import checkpoints, disks, gcs_fuse, lustre, secret_manager
from simulator.pods.csi.request import Request, VolumeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_DRIVERS: Final[Mapping[str, Callable[[Request], Path]]] = {
    module.NAME: module.mount for module in (checkpoints, disks, gcs_fuse, lustre, secret_manager)
}


def mount(request: Request) -> Path:
    """The folder that a volume is.

    Raises:
        VolumeError: the driver is not on the node, or cannot mount the volume.
    """
    driver = _DRIVERS.get(request.driver)
    if driver is None or request.api.find(f"/apis/storage.k8s.io/v1/csidrivers/{request.driver}") is None:
        call = "mounter.SetUpAt failed to get CSI client"
        stage = "MountVolume.SetUp"
        if request.driver in (disks.NAME, lustre.NAME):
            call, stage = "attacher.MountDevice failed to create newCsiDriverClient", "MountVolume.MountDevice"
        raise VolumeError(
            f'{stage} failed for volume "{request.volume}" : kubernetes.io/csi: {call}: driver name {request.driver} '
            "not found in the list of registered CSI drivers"
        )
    return driver(request)


def needs_care(request: Request) -> bool:
    """Whether `after` does anything for the volume."""
    return request.driver == checkpoints.NAME


def after(request: Request) -> None:
    """The work of a driver beside a pod that runs.

    Raises:
        VolumeError: the driver is no longer able to.
    """
    if needs_care(request):
        checkpoints.back_up(request)
