"""Stack files whose objects, listed, are written as stack files that make the same objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from adopt.documents import rendered
from components.model.config import Platform
from components.model.planning import make_plan
from tests.adopt.listed import PROJECT, adopted, cluster, controllers, network, platform, pool, told
from tests.model.catalogue import (
    attached,
    bucket,
    checkpoints,
    failure,
    head,
    identity,
    maintenance,
    pods,
    replicated,
    whole,
)
from tests.stacks import Stack, a_platform

if TYPE_CHECKING:
    from adopt.stack_file import Written
    from components.model.plan import Plan
    from tests.adopt.listed import Item

_MODULES: Final = (attached, bucket, checkpoints, failure, head, identity, maintenance, pods, replicated, whole)
_WITHOUT_POOLS: Final = {
    # what listings without node pools do not tell apart, and a name that needs none
    "Pathways on a single host of eight chips",
    "Ray on slices of one host",
    "the account that every namespace has",
}
_STACKS: Final = {
    name: stack for module in _MODULES for name, stack in module.SOUND.items() if name not in _WITHOUT_POOLS
}
_RUNS: Final = ("JobSet", "Job", "RayJob", "SecretProviderClass", "CheckpointConfiguration")


def _objects(plan: Plan) -> dict[tuple[str, str, str], Item]:
    """The workloads of a plan, and what they mount, as the program writes them."""
    items: list[Item] = json.loads(json.dumps(list(rendered(plan))))
    return {(each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]): each for each in items}


def _listed(plan: Plan, *others: Item, without: tuple[str, ...] = ()) -> Written:
    """The stack file of the platform of the plan; its cluster has the add-ons that the plan wants."""
    settings: dict[str, Any] = {"autopilot": {"enabled": True}} if plan.cluster.mode == "autopilot" else {}
    if plan.cluster.checkpoints is not None:
        settings["addonsConfig"] = {"highScaleCheckpointingConfig": {"enabled": True}}
    objects = [each for each in _objects(plan).values() if each["kind"] not in without]
    return adopted(cluster(**settings), pool("system"), *network(), *controllers(), *objects, *others)


def _planned(stack: Stack) -> Plan:
    return make_plan(Platform.model_validate_json(json.dumps(stack.platform)), PROJECT)


@pytest.mark.parametrize("stack", _STACKS.values(), ids=_STACKS)
def test_what_a_stack_has_written_is_stated_so_that_it_is_written_again(stack: Stack) -> None:
    plan = _planned(stack)
    there = _objects(plan)
    again = _objects(_planned(Stack(platform(_listed(plan)))))
    assert {key: again.get(key) for key in there if key[0] in _RUNS} == {
        key: each for key, each in there.items() if key[0] in _RUNS
    }


_POLICY: Final[dict[str, Any]] = {
    "failure_policy": {
        "max_restarts": 3,
        "restart_strategy": "BlockingRecreate",
        "rules": [
            {"name": "bug", "action": "FailJobSet", "on_exit_codes": [3, 42], "replicated_jobs": ["slice"]},
            {"action": "FailJobSet", "on_reasons": ["DeadlineExceeded"], "on_messages": ["too late"]},
            {"action": "RestartJobSet", "on_pod_conditions": ["DisruptionTarget"]},
        ],
    },
    "success_policy": {"operator": "Any", "replicated_jobs": ["slice"]},
    "replicated_jobs": [
        {
            "name": "head",
            "image": "registry.example/head:1.0",
            "replicas": 2,
            "script": "serve",
            "backoff_limit": 2,
            "labels": {"team": "vision"},
            "mounts": [{"bucket": "data", "only_dir": "train", "profile": "training", "cache_gib": 4, "path": "/data"}],
        }
    ],
    "depends_on": [{"name": "head", "status": "Ready"}],
    "maintenance": {"checkpoint_seconds": 120},
}


def test_failures_jobs_beside_the_slices_and_their_order_come_back_as_keys() -> None:
    stack = a_platform().set(buckets=[{"name": "data"}]).set("workloads", 0, host_network=False, **_POLICY)
    found = platform(_listed(_planned(stack)))
    (run,) = found["workloads"]
    assert {key: run[key] for key in _POLICY} == _POLICY
    assert "grace_seconds" not in run
    assert found["buckets"] == [{"name": "data"}]


def test_failures_of_a_job_come_back_as_keys() -> None:
    keys = {
        "pod_failure_policy": [
            {"action": "FailJob", "on_exit_codes": [3]},
            {"action": "Count", "except_exit_codes": [1, 2]},
        ],
        "backoff_limit": 2,
        "user": 1000,
    }
    job = {"name": "load", "kind": "batch-job", "image": "registry.example/load:1.0", "pods": 2, **keys}
    (run,) = platform(_listed(_planned(a_platform().set(workloads=[job]))))["workloads"]
    assert {key: run[key] for key in keys} == keys


_MOUNTS: Final[list[dict[str, Any]]] = [
    {"bucket": "data", "path": "/a"},
    {"bucket": "data", "read_only": True, "profile": "training", "path": "/b"},
    {"bucket": "data", "only_dir": "out", "profile": "checkpointing", "path": "/c"},
    {"bucket": "data", "profile": "serving", "cache_gib": 20, "parallel_download": False, "path": "/d"},
    {"bucket": "data", "metadata_ttl_seconds": 600, "cache_gib": 4, "path": "/e"},
    {"secret_manager": "wandb", "version": "2", "path": "/f"},
    {"secret_manager": "hf-token", "path": "/g"},
    {"checkpoints": True, "path": "/h"},
]


def _mounting() -> Plan:
    stack = checkpoints.with_checkpoints(local_gib=20).set("workloads", 0, host_network=False, mounts=_MOUNTS)
    return _planned(stack.add("buckets", name="data"))


def test_mounts_come_back_as_the_keys_that_make_them() -> None:
    found = platform(_listed(_mounting()))
    assert found["workloads"][0]["mounts"] == _MOUNTS
    assert found["buckets"] == [{"name": "checkpoints"}, {"name": "data"}]
    assert found["cluster"]["checkpoints"] == {
        "bucket": "checkpoints",
        "local_gib": 20,
        "machine_type": "ct5lp-hightpu-4t",
    }


def test_a_secret_whose_class_is_not_listed_is_not_guessed() -> None:
    found = _listed(_mounting(), without=("SecretProviderClass",))
    assert "workloads" not in platform(found)
    says = "it mounts secrets of Secret Manager by the SecretProviderClass secret-manager-wandb-2, which is not listed"
    assert any(says in each for each in told(found))


def test_checkpoints_without_their_configuration_are_told() -> None:
    found = _listed(_mounting(), without=("CheckpointConfiguration",))
    assert "checkpoints" not in platform(found)["cluster"]
    says = "no CheckpointConfiguration ml-checkpoints is listed (listed: none)."
    assert any(each.endswith(says) for each in told(found))


# --- what no stack file states


def _changed(plan: Plan, change: dict[str, Any]) -> Written:
    """The platform of the plan, whose JobSet has a changed field of its specification."""
    objects = [each for each in _objects(plan).values() if each["kind"] != "JobSet"]
    (jobset,) = [each for each in _objects(plan).values() if each["kind"] == "JobSet"]
    jobset["spec"] |= change
    return adopted(cluster(), pool("system"), *network(), *controllers(), *objects, jobset)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"failurePolicy": {"rules": [{"name": "a", "action": "RestartJob"}]}},
            "a stack file does not take failure_policy.rules[0].action: RestartJob is not supported here.",
        ),
        (
            {"failurePolicy": {"restartStrategy": "InPlaceRestart"}},
            "a stack file does not take restart_strategy: InPlaceRestart is not supported here.",
        ),
    ],
)
def test_policies_that_no_stack_file_states_leave_the_run_out(change: dict[str, Any], says: str) -> None:
    found = _changed(_planned(a_platform()), change)
    assert "workloads" not in platform(found)
    assert f"JobSet default/train: {says}" in told(found)


def test_options_that_no_profile_sets_leave_the_run_out() -> None:
    plan = _planned(bucket.mounting(a_platform(), profile="training"))
    (jobset,) = [each for each in _objects(plan).values() if each["kind"] == "JobSet"]
    replicated_jobs = jobset["spec"]["replicatedJobs"]
    (volume,) = replicated_jobs[0]["template"]["spec"]["template"]["spec"]["volumes"]
    volume["csi"]["volumeAttributes"]["mountOptions"] += ",debug_fuse"
    found = _changed(plan, {"replicatedJobs": replicated_jobs})
    assert "workloads" not in platform(found)
    assert any("debug_fuse, which no profile and no key of a mount sets" in each for each in told(found))


def test_jobs_beside_the_slices_that_select_nodes_leave_the_run_out() -> None:
    plan = _planned(a_platform().set("workloads", 0, replicated_jobs=[{"name": "eval", "image": "a:1"}]))
    (jobset,) = [each for each in _objects(plan).values() if each["kind"] == "JobSet"]
    replicated_jobs = jobset["spec"]["replicatedJobs"]
    (beside,) = [each for each in replicated_jobs if each["name"] == "eval"]
    beside["template"]["spec"]["template"]["spec"]["nodeSelector"] = {"team": "a"}
    found = _changed(plan, {"replicatedJobs": replicated_jobs})
    assert any("its replicated job eval selects nodes by {'team': 'a'}" in each for each in told(found))
