"""Disks and checkpoints that pods mount: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.catalogue.checkpoints import with_checkpoints
from tests.model.catalogue.disk import with_disk
from tests.stacks import Stack, a_platform, in_existing_cluster, on_autopilot

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHECKPOINTS = {"checkpoints": True, "path": "/checkpoints"}
_MODEL = {"claim": "model", "path": "/model"}
_BESIDE = {"name": "eval", "image": "registry.example/eval:1.0"}
_JOB = {
    "name": "fill",
    "kind": "batch-job",
    "image": "registry.example/fill:1.0",
    "pods": 1,
    "mounts": [_MODEL],
}


def _mounted(stack: Stack, mount: Mapping[str, object]) -> Stack:
    return stack.set("workloads", 0, mounts=[mount])


def _filled_by(machine_type: str, pods: int = 1, **settings: object) -> Stack:
    """A disk that a batch job mounts on ordinary nodes, where there is nothing else."""
    stack = with_disk(**settings).set("node_pools", 0, machine_type=machine_type)
    for section in ("queues", "flavors", "priorities", "tpu_slices"):
        stack = stack.drop(section)
    return stack.set(controllers={"kueue": {"install": False}}, workloads=[{**_JOB, "pods": pods}])


def _filled_on_class(machine_type: str) -> Stack:
    """A disk that a batch job mounts on nodes of a ComputeClass, beside a pool that cannot attach it."""
    stack = _filled_by("e2-standard-4").set(
        compute_classes=[{"name": "fillers", "priorities": [{"machine_type": machine_type}]}]
    )
    return stack.set("workloads", 0, compute_class="fillers")


BROKEN: dict[str, dict[str, Stack]] = {
    "disk-is-attachable, written-disk-is-on-one-node": {
        "a balanced disk on hosts that cannot attach it": _mounted(with_disk(kind="balanced"), _MODEL).set(
            "workloads", 0, slices=1
        ),
    },
    "disk-is-attachable": {
        "a disk that nodes of the only pool cannot attach": _filled_by("e2-standard-4"),
        "a disk that nodes of a ComputeClass cannot attach": _filled_on_class("n2-standard-8"),
        "a disk that jobs beside the slices cannot attach": with_disk(access="ReadOnlyMany").set(
            "workloads", 0, replicated_jobs=[{**_BESIDE, "mounts": [_MODEL]}]
        ),
    },
    "written-disk-is-on-one-node": {
        "a disk to write on all hosts of two slices": _mounted(with_disk(), _MODEL),
        "a disk to write in three pods": _filled_by("c3-standard-4", pods=3),
        "a disk that two jobs beside the slices write": with_disk()
        .set("node_pools", 0, machine_type="c3-standard-4")
        .set("workloads", 0, replicated_jobs=[{**_BESIDE, "replicas": 2, "mounts": [_MODEL]}]),
    },
    "disk-has-few-readers": {
        "more readers than a large disk allows": _filled_by(
            "c3-standard-4", pods=31, access="ReadOnlyMany", size_gib=20000
        ),
    },
    "checkpoints-are-set-up": {
        "checkpoints of a cluster without them": _mounted(a_platform(), _CHECKPOINTS),
        "checkpoints on Autopilot": _mounted(on_autopilot(), _CHECKPOINTS),
        "checkpoints beside the slices": with_checkpoints().set(
            "workloads", 0, replicated_jobs=[{**_BESIDE, "mounts": [_CHECKPOINTS]}]
        ),
    },
    "checkpoints-are-set-up, workload-has-a-queue": {
        "checkpoints of a batch job": with_checkpoints().add("workloads", **{**_JOB, "mounts": [_CHECKPOINTS]}),
    },
}
SOUND: dict[str, Stack] = {
    "a disk that all hosts read": _mounted(with_disk(access="ReadOnlyMany"), _MODEL),
    "a disk that one pod fills": _filled_by("c3-standard-4"),
    "a disk that a pod on a ComputeClass fills": _filled_on_class("c3-standard-4"),
    "a balanced disk that one pod fills": _filled_by("c3-standard-4", kind="balanced"),
    "checkpoints on all hosts of a run": _mounted(with_checkpoints(), _CHECKPOINTS),
    "checkpoints of a cluster that exists": _mounted(in_existing_cluster(), _CHECKPOINTS),
}
