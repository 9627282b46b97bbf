"""The TPU catalogue against shapes written down by hand from Google's documents, and against its own arithmetic."""

from __future__ import annotations

import math

import pytest

from components.model.facts import tpu

_GOOD = [
    # machine type, topology, hosts, chips
    ("ct6e-standard-4t", "4x4", 4, 16),
    ("ct5lp-hightpu-4t", "2x4", 2, 8),
    ("ct5lp-hightpu-4t", "16x16", 64, 256),
    ("ct6e-standard-8t", "2x4", 1, 8),
    ("ct5lp-hightpu-1t", "1x1", 1, 1),
    ("ct5p-hightpu-4t", "2x2x1", 1, 4),
    ("ct5p-hightpu-4t", "16x16x24", 1536, 6144),
    ("ct5p-hightpu-4t", "16x20x28", 2240, 8960),
    ("tpu7x-standard-4t", "2x2x2", 2, 8),
    ("tpu7x-standard-4t", "2x2x4", 4, 16),
    ("tpu7x-standard-4t", "4x4x8", 32, 128),
    ("tpu7x-standard-4t", "4x8x8", 64, 256),
    ("ct4p-hightpu-4t", "16x16x16", 1024, 4096),
    ("ct3-hightpu-4t", "2x2", 1, 4),
    ("ct3p-hightpu-4t", "32x32", 256, 1024),
    ("ct5l-hightpu-8t", "2x4", 1, 8),
    ("ct5lp-hightpu-8t", "2x4", 1, 8),
    ("ct5lp-hightpu-4t", "2x2", 1, 4),
    ("tpu7x-standard-1t", "1x1x1", 1, 1),
]
_BAD = [
    # machine type, topology, why
    ("ct6e-standard-4t", "3x3", "it is not a shape of TPU v6e"),
    ("ct6e-standard-4t", "8x4", "dimensions are written in ascending order: 4x8"),
    ("ct6e-standard-8t", "4x4", "it is a single-host machine type and makes 2x4 slices only"),
    ("ct6e-standard-1t", "2x2", "it is a single-host machine type and makes 1x1 slices only"),
    ("ct5lp-hightpu-4t", "1x1", "a multi-host slice needs more chips than one ct5lp-hightpu-4t has (4)"),
    ("ct5lp-hightpu-4t", "4x16", "it is not a shape of TPU v5e"),
    ("ct5p-hightpu-4t", "4x4", "a TPU v5p topology has 3 dimensions"),
    ("ct5p-hightpu-4t", "2x4x8", "above 2x4x4 every dimension is a multiple of 4"),
    ("tpu7x-standard-4t", "4x6x8", "above 2x4x4 every dimension is a multiple of 4"),
    ("ct5p-hightpu-4t", "16x24x24", "a TPU v5p slice has at most 8960 chips"),
    ("ct3p-hightpu-4t", "2x2", "a multi-host slice needs more chips than one ct3p-hightpu-4t has (4)"),
    (
        "ct6e-standard-4t",
        "0x4",
        "'0x4' is not a topology: two or three positive whole numbers joined by x, such as 2x4",
    ),
    (
        "ct6e-standard-4t",
        "-1x2",
        "'-1x2' is not a topology: two or three positive whole numbers joined by x, such as 2x4",
    ),
]
_LABELS = {
    # accelerator label by a machine type of each generation
    "ct3-hightpu-4t": "tpu-v3-device",
    "ct3p-hightpu-4t": "tpu-v3-slice",
    "ct4p-hightpu-4t": "tpu-v4-podslice",
    "ct5l-hightpu-8t": "tpu-v5-lite-device",
    "ct5lp-hightpu-4t": "tpu-v5-lite-podslice",
    "ct5p-hightpu-4t": "tpu-v5p-slice",
    "ct6e-standard-4t": "tpu-v6e-slice",
    "tpu7x-standard-4t": "tpu7x",
}


@pytest.mark.parametrize(("machine", "topology", "hosts", "chips"), _GOOD)
def test_shape_has_these_hosts_and_chips(machine: str, topology: str, hosts: int, chips: int) -> None:
    shape = tpu.shape(machine, topology)
    assert (shape.hosts, shape.chips) == (hosts, chips)


@pytest.mark.parametrize(("machine", "topology", "why"), _BAD)
def test_impossible_shape_says_why(machine: str, topology: str, why: str) -> None:
    with pytest.raises(tpu.ImpossibleTopologyError) as refused:
        tpu.shape(machine, topology)
    assert refused.value.reason == why


@pytest.mark.parametrize(
    ("machine", "cubes", "count"),
    [
        ("ct4p-hightpu-4t", 64, 182),
        ("ct5p-hightpu-4t", 140, 492),
        ("tpu7x-standard-4t", 144, 516),
    ],
)
def test_a_cubic_generation_has_as_many_shapes_as_its_cubes_allow(machine: str, cubes: int, count: int) -> None:
    found = [
        f"{4 * a}x{4 * b}x{4 * c}"
        for a in range(1, cubes + 1)
        for b in range(a, cubes // a + 1)
        for c in range(b, cubes // (a * b) + 1)
    ]
    assert len(found) == count
    for topology in found:
        shape = tpu.shape(machine, topology)
        assert shape.hosts * shape.machine.chips == shape.chips == math.prod(tpu.parse_topology(topology))
    assert _is_refused(machine, f"4x4x{4 * (cubes + 1)}")


def _is_refused(machine: str, topology: str) -> bool:
    try:
        tpu.shape(machine, topology)
    except tpu.ImpossibleTopologyError:
        return True
    return False


def test_every_documented_topology_is_made_of_whole_hosts() -> None:
    for machine in tpu.machines():
        made = tpu.topologies(machine.name)
        assert made
        for topology in made:
            shape = tpu.shape(machine.name, topology)
            assert shape.hosts * machine.chips == shape.chips


def test_a_machine_that_is_single_host_makes_one_shape() -> None:
    for machine in tpu.machines():
        if not machine.is_multi_host:
            assert tpu.topologies(machine.name) == (machine.single_host_topology,)


@pytest.mark.parametrize(("machine", "label"), _LABELS.items())
def test_accelerator_label(machine: str, label: str) -> None:
    assert tpu.generation_of(machine).accelerator == label


def test_unknown_machine_names_those_that_are_offered() -> None:
    with pytest.raises(tpu.UnknownMachineError) as refused:
        tpu.machine("ct5lp-hightpu-4")
    assert "ct5lp-hightpu-4t" in refused.value.known
    assert "ct4l-hightpu-4t" not in refused.value.known
    assert tpu.is_tpu_machine("ct4l-hightpu-4t")


@pytest.mark.parametrize(("topology", "near"), [("3x4", ["2x4", "4x4"]), ("1x1", ["2x2"]), ("32x32", ["16x16"])])
def test_nearest_topologies(topology: str, near: list[str]) -> None:
    assert [shape.topology for shape in tpu.nearest_topologies("ct5lp-hightpu-4t", topology)] == near
