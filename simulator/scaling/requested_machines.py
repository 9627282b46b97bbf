"""The requirements of a pod's node selector for machines that are made for it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.model.facts import compute, gke, gpu, tpu

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.scaling.pods import Pod

_FALSE: Final = ("", "false", None)


def payment_of(pod: Pod) -> dict[str, Any]:
    """The node settings of the pod's capacity type; empty for on-demand."""
    selector = pod.selector
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
            "values": [selector[gke.LABEL_RESERVATION_NAME]],
        }
    if selector.get(gke.LABEL_MAX_RUN_SECONDS):
        config["maxRunDuration"] = f"{selector[gke.LABEL_MAX_RUN_SECONDS]}s"
    return config


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
