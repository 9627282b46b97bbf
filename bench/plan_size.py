"""How the time to load, plan and check a platform grows with its size.

The platform is made here: slices by count, as large stack files state them, a queue for every ten slices and a workload
for each. It is read as the engine passes it, with more text than a stack file may have. Its network exists already, so
that no range of the stack limits its nodes.
"""

from __future__ import annotations

import json
import statistics
from typing import Any, Final

from bench.measures import cpu_seconds
from components.model.project import PROJECT
from components.model.stack_file.reading import Given, read

SIZES: Final = (1_000, 10_000)
_ROUNDS: Final = 3
_SHAPES: Final = (
    ("ct5lp-hightpu-4t", "2x4"),
    ("ct5lp-hightpu-4t", "4x4"),
    ("ct6e-standard-4t", "2x4"),
    ("ct6e-standard-4t", "4x4"),
)
_ZONE: Final = "us-central1-a"


def growth() -> str:
    """The time of the smaller platform, and how many times as long the larger one takes, as it is printed."""
    small, large = (_given(slices) for slices in SIZES)
    _read(small)  # loads and caches what is needed once
    times = [(cpu_seconds(lambda: _read(small)), cpu_seconds(lambda: _read(large))) for _ in range(_ROUNDS)]
    least = min(first for first, _ in times)
    ratio = statistics.median(second / first for first, second in times)
    return (
        f"{least:.2f} s of processor time for {SIZES[0]:,} slices   goal 0.15 s; "
        f"{ratio:.1f}x for {SIZES[1]:,}   goal 11x"
    )


def _given(slices: int) -> Given:
    return Given(
        project=PROJECT,
        file_name="Pulumi.large.yaml",
        file_text=None,
        platform=json.dumps(large_platform(slices)),
        gcp_project="tpu-sandbox",
    )


def _read(given: Given) -> None:
    reading = read(given)
    if reading.plan is None:
        raise SystemExit(f"the large platform is refused:\n{reading.report}")


def large_platform(slices: int) -> dict[str, Any]:
    """A sound platform with `slices` slices of four shapes, a queue for every ten of them and as many workloads."""
    share = slices // len(_SHAPES)
    queues = share // 10
    shapes = [f"{machine.partition('-')[0]}-{topology}" for machine, topology in _SHAPES]
    return {
        "network": {"existing": "large", "subnetwork": "nodes"},
        "cluster": {"name": "large", "mode": "standard", "location": "us-central1", "release_channel": "RAPID"},
        "node_pools": [{"name": "system", "machine_type": "e2-standard-16", "nodes": 2, "zones": [_ZONE]}],
        "tpu_slices": [
            {"name": f"{shape}-s", "slices": share, "machine_type": machine, "topology": topology, "zone": _ZONE}
            for shape, (machine, topology) in zip(shapes, _SHAPES, strict=True)
        ],
        "flavors": [
            {"name": shape, "machine_type": machine, "topology": topology}
            for shape, (machine, topology) in zip(shapes, _SHAPES, strict=True)
        ],
        "queues": [
            _queue(f"{shape}-{number}", shape, share // queues * _chips(topology))
            for shape, (_, topology) in zip(shapes, _SHAPES, strict=True)
            for number in range(queues)
        ],
        "priorities": [{"name": "normal", "value": 1000}, {"name": "low", "value": 100}],
        "workloads": [
            _run(f"run-{number}", shape, f"{shape}-{number % queues}") for shape in shapes for number in range(share)
        ],
    }


def _queue(name: str, flavor: str, chips: int) -> dict[str, Any]:
    return {
        "name": name,
        "flavors": [{"name": flavor, "chips": chips}],
        "preemption": {"within_cluster_queue": "LowerPriority"},
        "local_queues": [{"name": name, "namespace": name}],
    }


def _run(name: str, flavor: str, queue: str) -> dict[str, Any]:
    return {
        "kind": "jobset",
        "name": name,
        "namespace": queue,
        "queue": queue,
        "priority": "normal",
        "flavor": flavor,
        "slices": 1,
        "image": "registry.example/train:1.0",
        "command": ["python", "train.py"],
    }


def _chips(topology: str) -> int:
    rows, columns = (int(side) for side in topology.split("x"))
    return rows * columns
