"""Stack files whose objects, listed, are written as stack files that make the same objects; workloads are left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.model.config import Platform
from components.model.planning import make_plan
from tests.adopt.listed import (
    PROJECT,
    PROTECTED,
    QUOTA,
    SLICES,
    adopted,
    cluster,
    controllers,
    network,
    of,
    platform,
    pool,
    queueing,
    told,
)
from tests.model.catalogue import checkpoints
from tests.stacks import committed, committed_plan
from tpu.adopt.documents import rendered

if TYPE_CHECKING:
    from components.model.plan import Plan
    from tests.adopt.listed import Item

_LEFT_OUT: Final = {"training": {("ResourceFlavor", "v6e-flex"), ("CheckpointConfiguration", "training-checkpoints")}}
"""A flavor of queued nodes whose node pool is not listed; an object that has the name of the cluster, `ml` here."""
_OF_SHARES: Final = ("PersistentVolume", "PersistentVolumeClaim")
"""What is stated beside a Filestore instance only."""


def _planned(sections: dict[str, Any]) -> Plan:
    return make_plan(Platform.model_validate_json(json.dumps(sections)), PROJECT)


def _written(plan: Plan) -> dict[tuple[str, str], Item]:
    """What the program writes into a cluster and adoption compares, by kind and name."""
    items: list[Item] = json.loads(json.dumps(list(rendered(plan))))
    for each in items:
        if each.get("spec", {}).get("fairSharing") == {"weight": "1"}:
            del each["spec"]["fairSharing"]  # as much as a queue weighs that states no weight
    return {(each["kind"], each["metadata"]["name"]): each for each in items if each["kind"] not in _OF_SHARES}


@pytest.mark.parametrize("stack", committed())
def test_what_a_committed_stack_has_written_is_stated_so_that_it_is_written_again(stack: str) -> None:
    plan = committed_plan(stack)
    there = _written(plan)
    mode = {"autopilot": {"enabled": True}} if plan.cluster.mode == "autopilot" else {}
    found = adopted(cluster(**mode), pool("system"), *network(), *controllers(), *there.values())

    left_out = _LEFT_OUT.get(stack, set[tuple[str, str]]())
    again, before = (
        {key: each for key, each in items.items() if key not in left_out}
        for items in (_written(_planned(platform(found))), there)
    )
    assert again == before


# --- multi-tier checkpointing


def _with_add_on(*others: Item) -> tuple[Item, ...]:
    """A cluster with the add-on of multi-tier checkpointing."""
    on = cluster(addonsConfig={"highScaleCheckpointingConfig": {"enabled": True}})
    return (on, pool("system"), *network(), *controllers(), *others)


def test_checkpoints_are_stated_so_that_their_configuration_is_written_again() -> None:
    plan = checkpoints.with_checkpoints(local_gib=20).plan()
    (configuration,) = [each for key, each in _written(plan).items() if key[0] == "CheckpointConfiguration"]
    found = adopted(*_with_add_on(configuration))
    stated = platform(found)
    assert stated["buckets"] == [{"name": "checkpoints"}]
    assert stated["cluster"]["checkpoints"] == {
        "bucket": "checkpoints",
        "local_gib": 20,
        "machine_type": "ct5lp-hightpu-4t",
    }
    assert _written(_planned(stated))["CheckpointConfiguration", "ml-checkpoints"] == configuration


def test_checkpoints_without_their_configuration_are_told() -> None:
    found = adopted(*_with_add_on())
    assert "checkpoints" not in platform(found)["cluster"]
    says = "no CheckpointConfiguration ml-checkpoints is listed (listed: none)."
    assert any(each.endswith(says) for each in told(found))


# --- workloads


def _workload(kind: str, name: str, **body: Any) -> Item:  # noqa: ANN401  fields of the object
    version = {"JobSet": "jobset.x-k8s.io/v1alpha2", "Job": "batch/v1", "RayJob": "ray.io/v1"}[kind]
    return of(kind, version, name, namespace="research", **body)


def _ended(type_: str, status: str = "True") -> Item:
    return {"conditions": [{"type": type_, "status": status}]}


def _told_with(*workloads: Item) -> list[str]:
    """The remarks on a platform that runs these workloads, which the stack file never has."""
    found = adopted(cluster(), pool("system"), *SLICES, *network(), *controllers(), *queueing(), *workloads)
    assert "workloads" not in platform(found)
    return told(found)


def test_workloads_that_run_are_named_in_one_sentence() -> None:
    running = [
        _workload("Job", "load", status=_ended("Complete", "False")),
        _workload("RayJob", "tune", status={"jobDeploymentStatus": "Running"}),
        _workload("JobSet", "train"),
    ]
    says = "JobSet research/train, Job research/load and RayJob research/tune are running or queued: "
    says += "the stack file leaves them out, and they end by themselves."
    assert _told_with(*running) == [PROTECTED, f"workloads: {says}", QUOTA]


def test_one_workload_that_runs_is_named() -> None:
    says = "JobSet research/train is running or queued: the stack file leaves it out, and it ends by itself."
    assert _told_with(_workload("JobSet", "train")) == [PROTECTED, f"workloads: {says}", QUOTA]


@pytest.mark.parametrize(
    "item",
    [
        _workload("JobSet", "train", status=_ended("Completed")),
        _workload("Job", "load", status=_ended("Complete")),
        _workload("Job", "load", status=_ended("Failed")),
        _workload("RayJob", "tune", status={"jobDeploymentStatus": "Failed"}),
    ],
)
def test_workloads_that_have_ended_are_not_named(item: Item) -> None:
    assert _told_with(item) == [PROTECTED, QUOTA]


def test_jobs_of_controllers_are_not_named() -> None:
    made = _workload("Job", "train-slice-0")
    made["metadata"]["ownerReferences"] = [{"controller": True, "uid": "uid-train"}]
    assert _told_with(made) == [PROTECTED, QUOTA]
