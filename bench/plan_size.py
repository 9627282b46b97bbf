"""How time and memory to load, plan and check a platform grow with its size.

The platform is made here: slices by count, as large stack files state them, a queue for every ten slices and a workload
for each. It is read as the engine passes it, with more text than a stack file may have. Its network exists already, so
that no range of the stack limits its nodes: 100,000 slices are more than one cluster of GKE can have, but not more than
the program must be able to check.
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import tracemalloc
from typing import Any, Final, NamedTuple

from bench.measures import cpu_seconds, environment
from components.model.project import PROJECT
from components.model.stack_file.reading import Given, read

SIZES: Final = (1_000, 10_000, 100_000)
_ROUNDS: Final = 3
_SHAPES: Final = (
    ("ct5lp-hightpu-4t", "2x4"),
    ("ct5lp-hightpu-4t", "4x4"),
    ("ct6e-standard-4t", "2x4"),
    ("ct6e-standard-4t", "4x4"),
)
_ZONE: Final = "us-central1-a"


class Cost(NamedTuple):
    """What it takes to read a platform, from its JSON to a plan that every rule has seen."""

    seconds: float
    """Of CPU."""
    mib: float
    """Peak of the memory that Python allocates for it."""


class Growth(NamedTuple):
    """How many times the cost of a platform ten times smaller."""

    seconds: float
    mib: float


def growth() -> str:
    """The cost of the smallest platform, and by how much it grows from each size to the next, as it is printed."""
    command = [sys.executable, "-m", "bench.plan_size"]
    done = subprocess.run(command, env=environment(), check=True, stdout=subprocess.PIPE, text=True)
    cost, *steps = json.loads(done.stdout)
    smallest, growths = Cost(*cost), [Growth(*step) for step in steps]
    return (
        f"load, plan and check {SIZES[0]} slices {smallest.seconds:.2f} s of CPU, {smallest.mib:.0f} MiB   goal 1 s; "
        f"for 10 and 100 times as many, each beside the size before it: "
        f"{' and '.join(f'{each.seconds:.1f}x' for each in growths)} of CPU, "
        f"{' and '.join(f'{each.mib:.1f}x' for each in growths)} of memory   goal 11x"
    )


def _measured() -> tuple[Cost | Growth, ...]:
    """The cost of the smallest platform and the growth to each larger one, in this process."""
    platforms = [_given(slices) for slices in SIZES]
    _read(platforms[0])  # loads and caches what is needed once
    times = [_times(small, large) for small, large in itertools.pairwise(platforms)]
    smallest = cpu_seconds(lambda: _read(platforms[0]))
    mib = [_peak_mib(platform) for platform in platforms]
    larger = [after / before for before, after in itertools.pairwise(mib)]
    return (Cost(smallest, mib[0]), *map(Growth, times, larger))


def _times(small: Given, large: Given) -> float:
    """The CPU to read a platform, as a multiple of that of one ten times smaller: the median of some rounds.

    In each round five reads of the small one come before a read of the large one, and five after it. Both then take
    about as long, so a change of the machine's speed affects both. The best of some short reads and the best of as many
    long ones differ by up to a tenth more, because a short read can fall into a moment of high speed.
    """

    def five() -> None:
        for _ in range(5):
            _read(small)

    rounds = [(cpu_seconds(five), cpu_seconds(lambda: _read(large)), cpu_seconds(five)) for _ in range(_ROUNDS)]
    return statistics.median(10 * middle / (before + after) for before, middle, after in rounds)


def _peak_mib(given: Given) -> float:
    tracemalloc.start()  # the kernel counts whole pages, in which a small platform finds room that is there anyway
    _read(given)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


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


if __name__ == "__main__":
    print(json.dumps(_measured()))
