"""The rows behind `tpu.py`: TPU generations on GKE with their machine types, topologies, disks, zones and floors.

Facts only. A field that sources contradict or that is known from one report alone is left out or None: nothing may be
refused because of it.

Sources, read 2026-11-20: GoogleCloudPlatform/cluster-autoscaler @7d250507 (machine types, chips, hosts, disks, labels),
cloud.google.com/tpu/docs/{v4,v5e,v5p,v6e,tpu7x,regions-zones}, cloud.google.com/kubernetes-engine/docs/concepts/tpus,
AI-Hypercomputer/xpk @367c8382 and GoogleCloudPlatform/cluster-toolkit @10470803 (shapes and the cube rule).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct


class WorkloadPolicy(Enum):
    """Whether a multi-host pool of the generation takes a compute workload policy."""

    REFUSED = "refused"
    POSSIBLE = "possible"
    REQUIRED = "required"


class Machine(Struct, frozen=True, kw_only=True):
    """A TPU machine type."""

    name: str
    chips: int
    """Chips of one host, which is also its allocatable google.com/tpu."""
    vcpus: int
    memory_gb: int
    """Memory of the machine in GB as Google states it, to be read as GiB."""
    single_host_topology: str | None
    """The topology that one host makes by itself; None when the type only comes in multi-host slices."""
    is_multi_host: bool
    """Whether slices of more than one host exist."""


class Generation(Struct, frozen=True, kw_only=True):
    """A TPU generation as GKE offers it."""

    id: str
    marketing: str
    """How the generation is named to people."""
    accelerator: str
    """Value of the node label cloud.google.com/gke-tpu-accelerator."""
    dimensions: int
    """2 or 3: how many sides a topology has."""
    devices_per_chip: int
    """The devices that jax.device_count() counts for one chip."""
    topologies: tuple[str, ...]
    """Documented topologies over all machine types, by chips; complete for 2D generations."""
    max_cubes: int | None
    """Chips of a pod of a 3D generation in cubes of 4x4x4; None for 2D generations, whose largest slice is a pod."""
    machines: tuple[Machine, ...]
    has_flex_start: bool
    has_multislice: bool
    workload_policy: WorkloadPolicy
    boot_disks: tuple[str, ...]
    """Boot disk types that the machines take, the usual one first."""
    zones: tuple[str, ...]
    """Zones that the documentation lists; others may exist, so an unlisted one is worth a warning only."""
    flex_start_zones: tuple[str, ...]
    minimum_version: str | None
    """GKE version floor on Standard clusters where a source states it."""
    autopilot_minimum_version: str | None = None
    """The floor on Autopilot clusters, where a source states another one."""
    documented_chips: int | None = None
    """Chips of the largest single slice that is documented, where that is less than a pod."""
    has_queued: bool = False
    """Whether a source shows flex-start nodes with queued provisioning (GoogleCloudPlatform/cluster-toolkit pull
    request 5218, 2026-02); before, the API refused all TPUs (AI-Hypercomputer/xpk pull request 900, 2025-12)."""
    is_offered: bool = True
    """False for types that only the autoscaler's source knows: recognised, never suggested."""


_FLAT = ("1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16")
_CUBIC = ("2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4", "4x4x8", "4x8x8", "8x8x8", "8x8x16", "8x16x16", "16x16x16")
_OLD_DISKS = ("pd-standard", "pd-balanced", "pd-ssd")
_PD_DISKS = ("pd-balanced", "pd-ssd")
_HYPERDISK = ("hyperdisk-balanced",)


def _host(name: str, chips: int, vcpus: int, memory_gb: int, alone: str | None, *, multi: bool = False) -> Machine:
    return Machine(
        name=name,
        chips=chips,
        vcpus=vcpus,
        memory_gb=memory_gb,
        single_host_topology=alone,
        is_multi_host=multi,
    )


GENERATIONS: Final = (
    Generation(
        id="v3-device",
        marketing="TPU v3 (single host)",
        accelerator="tpu-v3-device",
        dimensions=2,
        devices_per_chip=2,
        topologies=("2x2",),
        max_cubes=None,
        machines=(_host("ct3-hightpu-4t", 4, 96, 340, "2x2"),),
        has_flex_start=False,
        has_multislice=False,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=_OLD_DISKS,
        zones=("us-central1-a", "us-central1-b", "europe-west4-a"),
        flex_start_zones=(),
        minimum_version=None,
    ),
    Generation(
        id="v3",
        marketing="TPU v3",
        accelerator="tpu-v3-slice",
        dimensions=2,
        devices_per_chip=2,
        topologies=("4x4", "4x8", "8x8", "8x16", "16x16", "16x32", "32x32"),
        max_cubes=None,
        machines=(_host("ct3p-hightpu-4t", 4, 48, 340, None, multi=True),),
        has_flex_start=False,
        has_multislice=False,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=_OLD_DISKS,
        zones=("us-central1-a", "europe-west4-a"),
        flex_start_zones=(),
        minimum_version=None,
    ),
    Generation(
        id="v4-lite-device",
        marketing="TPU v4 lite",
        accelerator="tpu-v4-lite-device",
        dimensions=2,
        devices_per_chip=1,
        topologies=("2x2",),
        max_cubes=None,
        machines=(_host("ct4l-hightpu-4t", 4, 48, 340, "2x2"),),
        has_flex_start=False,
        has_multislice=False,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=(*_OLD_DISKS, *_HYPERDISK),
        zones=(),
        flex_start_zones=(),
        minimum_version=None,
        is_offered=False,
    ),
    Generation(
        id="v4",
        marketing="TPU v4",
        accelerator="tpu-v4-podslice",
        dimensions=3,
        devices_per_chip=1,
        topologies=_CUBIC,
        max_cubes=64,
        machines=(_host("ct4p-hightpu-4t", 4, 240, 407, "2x2x1", multi=True),),
        has_flex_start=False,
        has_multislice=True,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=(*_OLD_DISKS, *_HYPERDISK),
        zones=("us-central2-b",),
        flex_start_zones=(),
        minimum_version=None,
    ),
    Generation(
        id="v5e-device",
        marketing="TPU v5e (device)",
        accelerator="tpu-v5-lite-device",
        dimensions=2,
        devices_per_chip=1,
        topologies=("1x1", "2x2", "2x4"),
        max_cubes=None,
        machines=(
            _host("ct5l-hightpu-1t", 1, 24, 48, "1x1"),
            _host("ct5l-hightpu-4t", 4, 112, 192, "2x2"),
            _host("ct5l-hightpu-8t", 8, 224, 384, "2x4"),
        ),
        has_flex_start=False,
        has_multislice=False,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=_PD_DISKS,
        zones=(),
        flex_start_zones=(),
        minimum_version=None,
    ),
    Generation(
        id="v5e",
        marketing="TPU v5e",
        accelerator="tpu-v5-lite-podslice",
        dimensions=2,
        devices_per_chip=1,
        topologies=_FLAT,
        max_cubes=None,
        machines=(
            _host("ct5lp-hightpu-1t", 1, 24, 48, "1x1"),
            _host("ct5lp-hightpu-4t", 4, 112, 192, "2x2", multi=True),
            _host("ct5lp-hightpu-8t", 8, 224, 384, "2x4"),
        ),
        has_flex_start=True,
        has_multislice=True,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=_PD_DISKS,
        zones=("us-central1-a", "us-south1-a", "us-west1-c", "us-west4-a"),
        flex_start_zones=("us-west4-a",),
        minimum_version=None,
    ),
    Generation(
        id="v5p",
        marketing="TPU v5p",
        accelerator="tpu-v5p-slice",
        dimensions=3,
        devices_per_chip=1,
        topologies=(*_CUBIC, "16x16x24"),
        max_cubes=140,
        documented_chips=6144,
        machines=(_host("ct5p-hightpu-4t", 4, 208, 448, "2x2x1", multi=True),),
        has_flex_start=True,
        has_multislice=True,
        workload_policy=WorkloadPolicy.REFUSED,
        boot_disks=_PD_DISKS,
        zones=("us-central1-a", "us-east5-a"),
        flex_start_zones=("us-east5-a",),
        minimum_version=None,
    ),
    Generation(
        id="v6e",
        marketing="TPU v6e",
        accelerator="tpu-v6e-slice",
        dimensions=2,
        devices_per_chip=1,
        topologies=_FLAT,
        max_cubes=None,
        machines=(
            _host("ct6e-standard-1t", 1, 44, 176, "1x1"),
            _host("ct6e-standard-4t", 4, 180, 720, "2x2", multi=True),
            _host("ct6e-standard-8t", 8, 180, 1440, "2x4"),
        ),
        has_flex_start=True,
        has_queued=True,
        has_multislice=True,
        workload_policy=WorkloadPolicy.POSSIBLE,
        boot_disks=_HYPERDISK,
        zones=(
            "us-central1-b",
            "us-east1-d",
            "us-east5-a",
            "us-east5-b",
            "us-south1-ai1b",
            "europe-west4-a",
            "asia-northeast1-b",
            "southamerica-west1-a",
        ),
        flex_start_zones=("asia-northeast1-b", "us-east5-a", "us-east5-b", "us-south1-ai1b"),
        minimum_version="1.31.2-gke.1115000",
    ),
    Generation(
        id="tpu7x",
        marketing="TPU7x",
        accelerator="tpu7x",
        dimensions=3,
        devices_per_chip=2,
        topologies=("1x1x1", *_CUBIC),
        max_cubes=144,
        machines=(
            _host("tpu7x-standard-1t", 1, 56, 248, "1x1x1"),
            _host("tpu7x-standard-4t", 4, 224, 992, "2x2x1", multi=True),
        ),
        has_flex_start=True,
        has_queued=True,
        has_multislice=True,
        workload_policy=WorkloadPolicy.REQUIRED,
        boot_disks=_HYPERDISK,
        zones=("us-central1-c",),
        flex_start_zones=("us-central1-c",),
        minimum_version="1.34.0-gke.2201000",
        autopilot_minimum_version="1.34.1-gke.3084001",
    ),
)
