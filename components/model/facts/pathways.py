"""Facts of Pathways on Cloud: its images and its names of slices.

Source: google/pathways-job @872d4e35, internal/controller/pathwaysjob_controller.go, which makes a JobSet of a
PathwaysJob; for TPU7x the table of other generators of such JobSets; read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER_REPOSITORY: Final = "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server"
"""The image of the resource manager and of the workers."""
PROXY_REPOSITORY: Final = "us-docker.pkg.dev/cloud-tpu-v2-images/pathways/proxy_server"

_SLICE_TYPES: Final[Mapping[str, str]] = {
    "ct4p-hightpu-4t": "tpuv4",
    "ct5lp-hightpu-4t": "tpuv5e",
    "ct5lp-hightpu-8t": "tpuv5e1t",
    "ct5p-hightpu-4t": "tpuv5",
    "ct6e-standard-4t": "tpuv6e",
    "ct6e-standard-8t": "tpuv6e1t",
    "tpu7x-standard-4t": "tpu7x",
}
"""Pathways' name of the slices of a machine type."""


def instance_type(machine_type: str, topology: str) -> str:
    """Pathways' name of a slice; empty for a machine type on which it does not run.

    >>> instance_type("ct5lp-hightpu-4t", "2x4"), instance_type("ct5lp-hightpu-1t", "1x1")
    ('tpuv5e:2x4', '')
    """
    slice_type = _SLICE_TYPES.get(machine_type)
    return "" if slice_type is None else f"{slice_type}:{topology}"
