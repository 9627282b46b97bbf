"""GPUs that GKE nodes can carry: how each is named, how many come together, and on which machine types.

A GPU is known by the value of the node label cloud.google.com/gke-accelerator. Some are attached to machines of the n1
series, in numbers that bound the machine's size; the others come with a machine type made around them. Only those whose
facts are known surely are here; a lookup that finds nothing raises.

Source: Compute Engine documentation "GPU machine types" and GKE documentation "About GPUs in GKE", read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping


class Gpu(Struct, frozen=True, kw_only=True):
    """A model of GPU."""

    name: str
    """Value of the node label cloud.google.com/gke-accelerator, and of `acceleratorType` in the GKE API."""
    machines: Mapping[str, int] = field(default_factory=dict[str, int])
    """GPUs of each machine type that is made around them."""
    attached: Mapping[int, int] = field(default_factory=dict[int, int])
    """Numbers in which it is attached to n1 machines, each with the most vCPUs that the machine may then have."""

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of GPUs that a node can have."""
        return tuple(sorted({*self.machines.values(), *self.attached}))


class UnknownGpuError(LookupError):
    """No GPU of that name is in the table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name} is not a GPU known here. Known: {', '.join(_BY_NAME)}.")


GPUS: Final = (
    Gpu(name="nvidia-tesla-t4", attached={1: 48, 2: 48, 4: 96}),
    Gpu(
        name="nvidia-l4",
        machines={
            "g2-standard-4": 1,
            "g2-standard-8": 1,
            "g2-standard-12": 1,
            "g2-standard-16": 1,
            "g2-standard-32": 1,
            "g2-standard-24": 2,
            "g2-standard-48": 4,
            "g2-standard-96": 8,
        },
    ),
    Gpu(
        name="nvidia-tesla-a100",
        machines={"a2-highgpu-1g": 1, "a2-highgpu-2g": 2, "a2-highgpu-4g": 4, "a2-highgpu-8g": 8},
    ),
    Gpu(name="nvidia-h100-80gb", machines={"a3-highgpu-8g": 8}),
)
LABELS: Final = (
    *(gpu.name for gpu in GPUS),
    *("nvidia-a100-80gb", "nvidia-b200", "nvidia-gb200", "nvidia-h100-mega-80gb", "nvidia-h200-141gb"),
    *("nvidia-tesla-p100", "nvidia-tesla-p4", "nvidia-tesla-v100"),
)
"""Values of the node label, also of GPUs that have no other facts here."""
_BY_NAME: Final = {gpu.name: gpu for gpu in GPUS}


def is_gpu(name: str) -> bool:
    """Whether `name` is a GPU in the table."""
    return name in _BY_NAME


def gpu(name: str) -> Gpu:
    """The GPU `name`.

    >>> gpu("nvidia-tesla-t4").counts
    (1, 2, 4)

    Raises:
        UnknownGpuError: it is not in the table.
    """
    found = _BY_NAME.get(name)
    if found is None:
        raise UnknownGpuError(name)
    return found
