"""The requirements for machines that are made for a pod: of its node selector, or of its ComputeClass. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from components.model.facts import compute, gke, gpu, tpu
from components.model.facts.compute_classes import TAINT_EFFECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from simulator.scaling.pods import Pod

_FALSE: Final = ("", "false", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The machines that are made for a pod."""

    selector: Mapping[str, str]
    """Node labels that they have."""
    chips: int = 0
    """TPU chips of a node."""
    gpus: int = 0
    """GPUs of a node."""
    zones: tuple[str, ...] = ()
    """Where they are; empty where the cluster decides."""
    compute_class: str = ""
    """The class that they are for; empty without one."""

    @classmethod
    def of(cls, pod: Pod) -> Wish:
        """The selectors and requests of the pod."""
        chips, gpus = (-(-pod.requests.get(name, 0) // 1000) for name in (gke.RESOURCE_TPU, gke.RESOURCE_GPU))
        return cls(selector=pod.selector, chips=chips, gpus=gpus)

    def suits(self, machine: str) -> bool:
        """Whether a machine type is the one, or of the series, that is selected, if any is."""
        named, family = self.selector.get(gke.LABEL_INSTANCE_TYPE), self.selector.get(gke.LABEL_MACHINE_FAMILY)
        return named in (None, machine) and family in (None, machine.partition("-")[0])

    @property
    def marks(self) -> dict[str, Any]:
        """The settings by which nodes belong to the class."""
        if not self.compute_class:
            return {}
        key, value = gke.LABEL_COMPUTE_CLASS, self.compute_class
        return {"labels": {key: value}, "taints": [{"key": key, "value": value, "effect": TAINT_EFFECT}]}


def payment_of(selector: Mapping[str, str]) -> dict[str, Any]:
    """The node settings of the capacity type that node labels say; empty for on-demand."""
    config: dict[str, Any] = {}
    if selector.get(gke.LABEL_SPOT) not in _FALSE:
        config["spot"] = True
    if selector.get(gke.LABEL_FLEX_START) not in _FALSE:
        config["flexStart"] = True
        config["reservationAffinity"] = {"consumeReservationType": "NO_RESERVATION"}
    if selector.get(gke.LABEL_RESERVATION_NAME):
        config["reservationAffinity"] = {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": [_reservation(selector)],
        }
    if selector.get(gke.LABEL_MAX_RUN_SECONDS):
        config["maxRunDuration"] = f"{selector[gke.LABEL_MAX_RUN_SECONDS]}s"
    return config


def _reservation(selector: Mapping[str, str]) -> str:
    name, project = selector[gke.LABEL_RESERVATION_NAME], selector.get(gke.LABEL_RESERVATION_PROJECT)
    return name if project is None else f"projects/{project}/reservations/{name}"


def ordinary_machines(wish: Wish, usual: Iterable[str]) -> list[str]:
    """The machine types without accelerators that suit a wish, smallest first; `usual` ones where it names no known."""
    named = wish.selector.keys() & {gke.LABEL_INSTANCE_TYPE, gke.LABEL_MACHINE_FAMILY}
    known = compute.ordinary_machines() if named else ()
    facts = [compute.ordinary_machine(name) for name in known if wish.suits(name)]
    return [each.name for each in sorted(facts, key=lambda each: (each.vcpus, each.memory_mib))] or list(usual)


def gpu_machines(card: gpu.Gpu, wanted: int) -> Iterator[tuple[str, int]]:
    """Machine types with the least sufficient number of GPUs, smallest first, each with that number."""
    count = next((count for count in card.counts if count >= max(1, wanted)), None)
    if count is None:
        return
    fixed = [machine for machine, number in card.machines.items() if number == count]
    bound = card.attached.get(count, 0)
    series = [name for name in compute.ordinary_machines() if name.startswith("n1-standard-")]
    free = [name for name in series if compute.ordinary_machine(name).vcpus <= bound]
    for machine in sorted([*fixed, *free], key=lambda name: compute.ordinary_machine(name).vcpus):
        yield machine, count


def slice_shapes(machines: Iterable[tpu.Machine], topology: str) -> Iterator[tpu.Shape]:
    """The slices of a topology that the machine types make."""
    for machine in machines:
        try:
            yield tpu.shape(machine.name, topology)
        except tpu.ImpossibleTopologyError:
            continue
