"""TPU machine types and slice topologies: which exist, how many hosts and chips each has, what each may be asked for.

The key is (machine type, topology), never a nickname: 2x4 is one ct5lp-hightpu-8t host or two ct5lp-hightpu-4t hosts.
A lookup that finds nothing raises with what would be valid; nothing here guesses. The rows are in `tpu_catalogue.py`.
"""

from __future__ import annotations

import math
import re
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts.tpu_catalogue import GENERATIONS, Generation, Machine, WorkloadPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "GENERATIONS",
    "Generation",
    "HostKind",
    "ImpossibleTopologyError",
    "Machine",
    "Shape",
    "UnknownMachineError",
    "WorkloadPolicy",
    "generation_of",
    "is_tpu_machine",
    "machine",
    "machines",
    "named",
    "nearest_topologies",
    "parse_topology",
    "shape",
    "topologies",
]

_CUBE_SIDE: Final = 4
_CUBE_CHIPS: Final = _CUBE_SIDE**3
_SMALL_SHAPES_3D: Final = ("2x2x1", "2x2x2", "2x2x4", "2x4x4")
"""The shapes of a 3D generation that are smaller than one cube."""
_TOPOLOGY = re.compile(r"[1-9]\d*(x[1-9]\d*){1,2}")


class HostKind(Enum):
    """Whether a slice is one host or several that form one mesh."""

    SINGLE = "single-host"
    MULTI = "multi-host"


class Shape(Struct, frozen=True, kw_only=True):
    """A slice of one topology on one machine type."""

    machine: Machine
    topology: str
    hosts: int
    """Nodes of the slice; a multi-host node pool has this many or none."""
    chips: int
    """Chips of the whole slice."""

    @property
    def kind(self) -> HostKind:
        """Single-host when one machine holds the whole topology."""
        return HostKind.SINGLE if self.hosts == 1 else HostKind.MULTI


class UnknownMachineError(LookupError):
    """No TPU machine type of that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known = tuple(m.name for m in machines())
        super().__init__(f"{name} is not a TPU machine type. Known: {', '.join(self.known)}.")


class ImpossibleTopologyError(LookupError):
    """The machine type has no slice of that topology."""

    def __init__(self, machine: Machine, topology: str, reason: str) -> None:
        self.machine = machine
        self.topology = topology
        self.reason = reason
        """Why, as a clause that can follow a colon."""
        self.valid = topologies(machine.name)
        super().__init__(f"{topology} on {machine.name}: {reason}. Valid: {', '.join(self.valid)}.")


@cache
def _by_name() -> dict[str, Machine]:
    return {m.name: m for generation in GENERATIONS for m in generation.machines}


@cache
def _generations() -> dict[str, Generation]:
    return {m.name: generation for generation in GENERATIONS for m in generation.machines}


def machines() -> tuple[Machine, ...]:
    """Every TPU machine type that is offered to users, in the order of the catalogue."""
    return tuple(m for generation in GENERATIONS if generation.is_offered for m in generation.machines)


def is_tpu_machine(name: str) -> bool:
    """Whether `name` is a TPU machine type, offered or not."""
    return name in _by_name()


def machine(name: str) -> Machine:
    """The TPU machine type `name`.

    Raises:
        UnknownMachineError: there is none of that name.
    """
    found = _by_name().get(name)
    if found is None:
        raise UnknownMachineError(name)
    return found


def named(are_meant: Callable[[Generation], bool]) -> tuple[str, ...]:
    """Names of the generations that are offered and meant, in the order of the catalogue.

    >>> named(lambda each: each.has_flex_start)
    ('TPU v5e', 'TPU v5p', 'TPU v6e', 'TPU7x')
    """
    return tuple(each.marketing for each in GENERATIONS if each.is_offered and are_meant(each))


QUEUED: Final = named(lambda each: each.has_queued)
"""Names of the generations that have flex-start nodes with queued provisioning."""
NEED_WORKLOAD_POLICY: Final = named(lambda each: each.workload_policy is WorkloadPolicy.REQUIRED)
"""Names of the generations whose multi-host pools name a workload policy."""
TAKE_WORKLOAD_POLICY: Final = named(lambda each: each.workload_policy is not WorkloadPolicy.REFUSED)
"""Names of the generations whose pools may name one."""


@cache
def generation_of(machine_type: str) -> Generation:
    """The TPU generation that the machine type belongs to.

    Raises:
        UnknownMachineError: there is no such machine type.
    """
    return _generations()[machine(machine_type).name]


def parse_topology(text: str) -> tuple[int, ...]:
    """The dimensions of a topology such as `2x4` or `4x4x8`.

    >>> parse_topology("4x4x8")
    (4, 4, 8)

    Raises:
        ValueError: `text` is not two or three positive whole numbers joined by x.
    """
    if _TOPOLOGY.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a topology: two or three positive whole numbers joined by x, such as 2x4")
    return tuple(int(part) for part in text.split("x"))


@cache
def shape(machine_type: str, topology: str) -> Shape:
    """Hosts and chips of a slice of `topology` on `machine_type`.

    >>> shape("ct5lp-hightpu-4t", "2x4").hosts
    2

    Raises:
        UnknownMachineError: there is no such machine type.
        ImpossibleTopologyError: the machine type has no slice of that topology; says why and what would be valid.
    """
    found = machine(machine_type)
    reason = _why_impossible(found, generation_of(machine_type), topology)
    if reason is not None:
        raise ImpossibleTopologyError(found, topology, reason)
    chips = math.prod(parse_topology(topology))
    return Shape(machine=found, topology=topology, hosts=chips // found.chips, chips=chips)


@cache
def topologies(machine_type: str) -> tuple[str, ...]:
    """The documented topologies of a machine type, smallest first.

    A 3D generation allows more than these (any cuboid of whole 4x4x4 cubes up to its largest slice).

    Raises:
        UnknownMachineError: there is no such machine type.
    """
    found = machine(machine_type)
    generation = generation_of(machine_type)
    return tuple(t for t in generation.topologies if _why_impossible(found, generation, t) is None)


def nearest_topologies(machine_type: str, topology: str) -> tuple[Shape, ...]:
    """Up to two valid shapes whose chip counts are nearest below and above that of `topology`, smallest first.

    Raises:
        UnknownMachineError: there is no such machine type.
        ValueError: `topology` is not a topology at all.
    """
    wanted = math.prod(parse_topology(topology))
    shapes = [shape(machine_type, valid) for valid in topologies(machine_type)]
    below = [s for s in shapes if s.chips <= wanted]
    above = [s for s in shapes if s.chips > wanted]
    return tuple(_largest(below) + _smallest(above))


def _largest(shapes: Iterable[Shape]) -> list[Shape]:
    return sorted(shapes, key=lambda s: s.chips)[-1:]


def _smallest(shapes: Iterable[Shape]) -> list[Shape]:
    return sorted(shapes, key=lambda s: s.chips)[:1]


def _why_impossible(machine: Machine, generation: Generation, topology: str) -> str | None:
    try:
        sides = parse_topology(topology)
    except ValueError as error:
        return str(error)
    if len(sides) != generation.dimensions:
        return f"a {generation.marketing} topology has {generation.dimensions} dimensions"
    if not machine.is_multi_host and topology != machine.single_host_topology:
        return f"it is a single-host machine type and makes {machine.single_host_topology} slices only"
    if topology == machine.single_host_topology:
        return None
    if sides != tuple(sorted(sides)):
        return f"dimensions are written in ascending order: {'x'.join(str(side) for side in sorted(sides))}"
    if math.prod(sides) <= machine.chips:
        return f"a multi-host slice needs more chips than one {machine.name} has ({machine.chips})"
    return _why_no_shape(generation, topology, sides)


def _why_no_shape(generation: Generation, topology: str, sides: tuple[int, ...]) -> str | None:
    if generation.max_cubes is None:
        return None if topology in generation.topologies else f"it is not a shape of {generation.marketing}"
    if topology in _SMALL_SHAPES_3D:
        return None
    if any(side % _CUBE_SIDE for side in sides):
        return f"above {_SMALL_SHAPES_3D[-1]} every dimension is a multiple of {_CUBE_SIDE}"
    largest = generation.max_cubes * _CUBE_CHIPS
    if math.prod(sides) > largest:
        return f"a {generation.marketing} slice has at most {largest} chips"
    return None
