"""Ordinary machines, GKE's names and the pinned releases."""

from __future__ import annotations

import pytest

from components.model import names
from components.model.facts import compute, filestore, floors, gke, gpu, versions

_MACHINES = [
    # name, vCPUs, MiB, as Google's tables state them
    ("e2-standard-4", 4, 16 * 1024),
    ("e2-highcpu-8", 8, 8 * 1024),
    ("e2-medium", 2, 4 * 1024),
    ("n1-standard-4", 4, 15 * 1024),
    ("n1-highmem-96", 96, 624 * 1024),
    ("n2-highmem-64", 64, 512 * 1024),
    ("n2d-standard-224", 224, 896 * 1024),
    ("c3-highcpu-22", 22, 44 * 1024),
    ("t2d-standard-60", 60, 240 * 1024),
    ("g2-standard-24", 24, 96 * 1024),
    ("a2-highgpu-4g", 48, 340 * 1024),
]


@pytest.mark.parametrize(("name", "vcpus", "memory_mib"), _MACHINES)
def test_ordinary_machine(name: str, vcpus: int, memory_mib: int) -> None:
    assert compute.ordinary_machine(name) == compute.OrdinaryMachine(name=name, vcpus=vcpus, memory_mib=memory_mib)


@pytest.mark.parametrize("name", ["e2-standard-5", "n2-highmem-128", "ct5lp-hightpu-4t", "custom-4-8192", ""])
def test_a_machine_that_is_not_in_the_table_is_not_guessed(name: str) -> None:
    assert not compute.is_ordinary_machine(name)
    with pytest.raises(compute.UnknownOrdinaryMachineError):
        compute.ordinary_machine(name)


@pytest.mark.parametrize(
    ("location", "region", "is_zone"),
    [
        ("us-west4", "us-west4", False),
        ("us-west4-a", "us-west4", True),
        ("us-south1-ai1b", "us-south1", True),
        ("northamerica-northeast1", "northamerica-northeast1", False),
        ("northamerica-northeast1-c", "northamerica-northeast1", True),
    ],
)
def test_locations(location: str, region: str, is_zone: bool) -> None:  # noqa: FBT001  a column of the table
    assert (gke.region_of(location), gke.is_zone(location)) == (region, is_zone)


def test_versions_compare_by_number() -> None:
    assert gke.parse_version("1.33.0-gke.1712000") < gke.parse_version("1.33.10-gke.1")
    assert gke.parse_version("1.9.0-gke.1") < gke.parse_version("1.10.0-gke.0")
    assert versions.parse_release("0.9.1") < versions.parse_release("0.19.2")


@pytest.mark.parametrize("text", ["1.33", "1.33.0", "v1.33.0-gke.1", "1.33.0-gke.x", "latest"])
def test_part_of_a_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a full GKE version"):
        gke.parse_version(text)


@pytest.mark.parametrize("text", ["0.16", "v0.19.2", "0.19.2-rc1", "0.16.x"])
def test_part_of_a_release_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a release"):
        versions.parse_release(text)


def test_pools_are_numbered_where_a_count_is_stated() -> None:
    assert names.slice_pools("v5e", None, is_multi_host=True) == ("v5e",)
    assert names.slice_pools("v5e", 1, is_multi_host=True) == ("v5e1",)
    assert names.slice_pools("v5e", 3, is_multi_host=True) == ("v5e1", "v5e2", "v5e3")
    assert names.slice_pools("v5e", 3, is_multi_host=False) == ("v5e",)


def test_the_longest_pod_is_of_the_last_host_of_the_last_slice() -> None:
    assert names.longest_pod("train", 3, 2) == "train-slice-2-1-abcde"
    assert names.longest_pod("train", 101, 64) == "train-slice-100-63-abcde"


@pytest.mark.parametrize(
    ("name", "counts"),
    [("nvidia-tesla-t4", (1, 2, 4)), ("nvidia-l4", (1, 2, 4, 8)), ("nvidia-h100-80gb", (8,))],
)
def test_gpu(name: str, counts: tuple[int, ...]) -> None:
    assert gpu.gpu(name).counts == counts
    assert all(compute.is_ordinary_machine(machine) for machine in gpu.gpu(name).machines)


def test_a_gpu_that_is_not_in_the_table_is_not_guessed() -> None:
    assert not gpu.is_gpu("nvidia-voodoo")
    with pytest.raises(gpu.UnknownGpuError, match="nvidia-voodoo is not a GPU known here"):
        gpu.gpu("nvidia-voodoo")


def test_every_floor_is_a_version() -> None:
    stated = {name: value for name, value in vars(floors).items() if name.isupper()}
    assert len(stated) > 4
    assert all(gke.is_at_least("9.0.0-gke.0", version) for version in stated.values())


@pytest.mark.parametrize(
    ("tier", "capacity", "has"),
    [
        ("BASIC_HDD", 1024, True),
        ("BASIC_HDD", 1023, False),
        ("BASIC_SSD", 2560, True),
        ("BASIC_SSD", 65434, False),
        ("ZONAL", 10239, True),
        ("ZONAL", 10241, False),
        ("ZONAL", 12800, True),
        ("REGIONAL", 102400, True),
        ("ENTERPRISE", 1280, True),
        ("ENTERPRISE", 1281, False),
    ],
)
def test_capacities_of_shares(tier: str, capacity: int, has: bool) -> None:  # noqa: FBT001  a column of the table
    found = filestore.tier(tier)
    assert found.has(capacity) is has
    assert all(found.has(near) for near in found.nearest(capacity))
