"""The catalogue's single values: the valid ones, and those worth suggesting.

`enum` where the rules refuse every other value, `examples` where they take others too. Editors suggest both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from components.model.config import (
    AutoProvisioning,
    Bucket,
    Flavor,
    Gpu,
    GpuQuota,
    OrdinaryPool,
    PodGpu,
    TpuQuota,
    TpuSlices,
)
from components.model.facts import compute, gpu, tpu

if TYPE_CHECKING:
    from components.model.config.section import Section

Json = dict[str, Any]

SHAPES: Final = "Shapes"
"""Name of the definition that says which topologies a machine type makes."""
ZONES: Final = "Zones"
"""Name of the definition that says in which zones a generation is documented; others are taken too."""
_OFFERED: Final = [generation for generation in tpu.GENERATIONS if generation.is_offered]
_GPUS: Final = [each.name for each in gpu.GPUS]
_ACCELERATORS: Final = list(dict.fromkeys(generation.accelerator for generation in _OFFERED))
_CUBOID: Final = "^[1-9][0-9]*x[1-9][0-9]*x[1-9][0-9]*$"


def _only(*values: str) -> Json:
    return {"enum": list(values)}


def _such_as(*values: str) -> Json:
    return {"examples": list(values)}


def _machine_types() -> Json:
    """The offered ones; those that only the autoscaler knows are accepted too, but not suggested."""
    offered = [machine.name for generation in _OFFERED for machine in generation.machines]
    others = [m.name for generation in tpu.GENERATIONS if not generation.is_offered for m in generation.machines]
    known = _only(*offered)
    return {"anyOf": [known, {"pattern": f"^({'|'.join(map(re.escape, others))})$"}]} if others else known


_MACHINE_TYPES: Final = _machine_types()
VALUES: Final[dict[tuple[type[Section], str], Json]] = {
    (TpuSlices, "machine_type"): _MACHINE_TYPES,
    (Flavor, "machine_type"): _MACHINE_TYPES,
    (OrdinaryPool, "machine_type"): _such_as(
        *(name for name in compute.ordinary_machines() if name.startswith("e2-standard"))
    ),
    (Gpu, "type"): _only(*_GPUS),
    (PodGpu, "type"): _such_as(*_GPUS),
    (TpuQuota, "family"): _only(*(generation.id for generation in _OFFERED)),
    (GpuQuota, "gpu"): _only(*_GPUS),
    (Bucket, "location"): _such_as("US", "EU", "ASIA"),
}
"""By section and field; they stand beside what the field's type says."""
KEYS: Final[dict[tuple[type[Section], str], tuple[str, ...]]] = {
    (AutoProvisioning, "limits"): ("cpu", "memory_gb", *_GPUS, *_ACCELERATORS),
}
"""The keys that a mapping may have; it has to have no more than its section says."""
BESIDES: Final[dict[type[Section], tuple[str, ...]]] = {TpuSlices: (SHAPES, ZONES), Flavor: (SHAPES,)}
"""Definitions that a section follows as well."""


def definitions() -> Json:
    """Every definition that `BESIDES` names."""
    machines = [machine for generation in tpu.GENERATIONS for machine in generation.machines]
    return {
        SHAPES: {"allOf": [_of_machines([each.name], topology=_topologies(each)) for each in machines]},
        ZONES: {"allOf": [_of_machines(_names(each), zone=_such_as(*each.zones)) for each in _OFFERED if each.zones]},
    }


def _of_machines(names: list[str], **properties: Json) -> Json:
    """The properties where the machine type is one of these."""
    named: Json = {"const": names[0]} if len(names) == 1 else {"enum": names}
    return {
        "if": {"properties": {"machine_type": named}, "required": ["machine_type"]},
        "then": {"properties": properties},
    }


def _topologies(machine: tpu.Machine) -> Json:
    """Those that a machine type makes; a 3D generation makes more than are documented."""
    documented = _only(*tpu.topologies(machine.name))
    has_more = machine.is_multi_host and tpu.generation_of(machine.name).max_cubes is not None
    return {"anyOf": [documented, {"pattern": _CUBOID}]} if has_more else documented


def _names(generation: tpu.Generation) -> list[str]:
    return [machine.name for machine in generation.machines]
