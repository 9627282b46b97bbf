"""A large fleet in the simulator: slices of four hosts, and JobSets that take one slice and two in turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from bench.measures import memory_mib, seconds
from bench.simulated import ROOT, Simulated
from components.kubeapi.jobs import EVENTS, NODES, has_failed, is_finished
from components.kubeapi.owners import JOBSETS
from components.model.project import KEY, PROJECT

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.home import Home

SLICES: Final = 250
"""The slices, of four hosts each: 1,000 nodes."""
RUNS: Final = 200
_STACK: Final = "fleet"
_MACHINE: Final = "ct5lp-hightpu-4t"
_TOPOLOGY: Final = "4x4"
_ZONE: Final = "us-central1-a"


def fleet(home: Home, project: Path) -> str:
    """Bring the fleet up and follow it until it settles; what it took, as it is printed."""
    _write_project(project)
    with Simulated(home, project) as simulated:
        took = seconds(lambda: simulated.run("tpu", "up", _STACK))
        api, held = simulated.api(), memory_mib(simulated.pids()) / 1024
        jobsets, nodes = api.items(JOBSETS), len(api.items(NODES))
        completed = sum(is_finished(each) and not has_failed(each) for each in jobsets)
        lost = sum(event.get("reason") == "NodeNotReady" for event in api.items(EVENTS))
    return (
        f"{took:.0f} s for {nodes:,} nodes and {completed} of {len(jobsets)} JobSets completed   goal 360 s; "
        f"{lost} nodes lost   goal 0; {held:.2f} GiB at the end"
    )


def _write_project(project: Path) -> None:
    """The project of this repository with one stack."""
    project.mkdir()
    for name in ("Pulumi.yaml", "__main__.py"):
        (project / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    (project / ".venv").symlink_to(ROOT / ".venv")
    config = {"gcp:project": "tpu-sandbox", f"{PROJECT}:{KEY}": platform()}
    (project / f"Pulumi.{_STACK}.yaml").write_text(json.dumps({"config": config}), encoding="utf-8")


def platform() -> dict[str, Any]:
    """A sound platform with the slices, and JobSets of a minute each that request one and two of them in turn."""
    ranges = {"nodes_cidr": "10.0.0.0/16", "pods_cidr": "32.0.0.0/9", "services_cidr": "10.32.0.0/20"}
    shape = {"machine_type": _MACHINE, "topology": _TOPOLOGY}
    return {
        "network": {"name": _STACK, **ranges},
        "cluster": {
            "name": _STACK,
            "mode": "standard",
            "location": "us-central1",
            "release_channel": "RAPID",
            "deletion_protection": False,
        },
        "node_pools": [{"name": "system", "machine_type": "e2-standard-16", "nodes": 1, "zones": [_ZONE]}],
        "tpu_slices": [{"name": "v5e", "slices": SLICES, **shape, "zone": _ZONE}],
        "flavors": [{"name": "v5e", **shape}],
        "queues": [
            {"name": "all", "flavors": [{"name": "v5e"}], "local_queues": [{"name": "all", "namespace": "default"}]}
        ],
        "priorities": [{"name": "normal", "value": 1000}],
        "workloads": [_jobset(number) for number in range(RUNS)],
        "workload_order": "any",
    }


def _jobset(number: int) -> dict[str, Any]:
    return {
        "kind": "jobset",
        "name": f"run-{number}",
        "queue": "all",
        "priority": "normal",
        "flavor": "v5e",
        "slices": 1 + number % 2,
        "image": "registry.example/train:1.0",
        "script": "sleep 60",
    }
