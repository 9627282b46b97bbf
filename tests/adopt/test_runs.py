"""Runs that are there, as the stack file states them; and that the program would write all that is stated just so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from adopt.documents import rendered
from adopt.failures import of_jobset as adopted_failures
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
    errors,
    kueue,
    network,
    of,
    platform,
    pool,
    queueing,
    told,
)
from tests.stacks import a_platform, committed, committed_plan

if TYPE_CHECKING:
    from adopt.stack_file import Written
    from components.model.plan import Plan
    from tests.adopt.listed import Item


def _jobset(**changes: Any) -> Item:  # noqa: ANN401  fields of a pod
    """A run of one v5e slice as the program writes it, with other fields of its pods."""
    container = {
        "name": "jax-tpu",
        "image": "registry.example/train:1.0",
        "command": ["bash", "-c", "sleep 60\n"],
        "ports": [{"containerPort": 8471, "protocol": "TCP"}, {"containerPort": 8080, "protocol": "TCP"}],
        "resources": {"limits": {"google.com/tpu": "4"}, "requests": {"google.com/tpu": "4"}},
        "securityContext": {"privileged": True},
    }
    selector = queueing()[0]["spec"]["nodeLabels"]
    pod: Item = {"containers": [container], "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    pod |= {"restartPolicy": "Never", "nodeSelector": selector, "priorityClassName": "normal", **changes}
    job = {"parallelism": 2, "completions": 2, "backoffLimit": 0, "template": {"spec": pod}}
    labels = {"kueue.x-k8s.io/queue-name": "research", "kueue.x-k8s.io/priority-class": "normal"}
    item = of("JobSet", "jobset.x-k8s.io/v1alpha2", "train", namespace="research", labels=labels)
    item["metadata"]["annotations"] = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"}
    replicated = [{"name": "slice", "replicas": 2, "template": {"spec": job}}]
    return {**item, "spec": {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": replicated}}


def _with(*items: Item) -> Written:
    return adopted(cluster(), pool("system"), *SLICES, *network(), *controllers(), *queueing(), *items)


def test_a_run_is_stated_as_it_is() -> None:
    found = _with(_jobset())

    assert errors(found) == []
    assert told(found) == [PROTECTED, QUOTA]
    assert platform(found)["workloads"] == [
        {
            "name": "train",
            "namespace": "research",
            "kind": "jobset",
            "queue": "research",
            "priority": "normal",
            "flavor": "v5e",
            "slices": 2,
            "image": "registry.example/train:1.0",
            "script": "sleep 60\n",
            "max_restarts": 3,
            "privileged": True,
        }
    ]


@pytest.mark.parametrize(
    ("slices", "is_on_host", "stated"),
    [(2, True, {}), (2, False, {"host_network": False}), (1, True, {"host_network": True}), (1, False, {})],
)
def test_the_network_of_pods_is_stated_where_it_is_not_the_default(
    slices: int, is_on_host: object, stated: dict[str, bool]
) -> None:
    there = _jobset() if is_on_host else _jobset(hostNetwork=False, dnsPolicy="ClusterFirst")
    there["spec"]["replicatedJobs"][0]["replicas"] = slices
    (run,) = platform(_with(there))["workloads"]
    assert {key: run[key] for key in ("host_network",) if key in run} == stated


def test_a_run_that_never_restarts_says_so() -> None:
    there = _jobset(hostNetwork=False)
    del there["spec"]["failurePolicy"]
    assert adopted_failures(there, {}) == ({"max_restarts": 0}, False)


def test_a_run_that_the_stack_would_start_anew_is_left_out() -> None:
    other = _jobset()
    other["spec"]["replicatedJobs"][0]["name"] = "workers"
    found = _with(other)

    assert "workloads" not in platform(found)
    assert "JobSet research/train: spec.replicatedJobs[0].name is 'workers', but the stack has 'slice'." in told(found)


def test_a_run_of_several_flavors_is_read_in_its_workload() -> None:
    admitted = _jobset()
    template = admitted["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["metadata"] = {"annotations": {"kueue.x-k8s.io/workload": "jobset-train"}}
    submitted: Item = {"template": {"spec": {}}}
    work = kueue("Workload", "jobset-train", namespace="research", spec={"podSets": [submitted]})
    work["metadata"]["ownerReferences"] = [{"kind": "JobSet", "name": "train", "uid": "uid-train", "controller": True}]

    assert platform(_with(admitted, work))["workloads"][0]["flavors"] == ["v5e"]
    alone = _with(admitted)
    assert platform(alone)["workloads"][0]["flavor"] == "v5e"
    assert any("its Workload is not listed" in each for each in told(alone))


def test_jobs_of_controllers_are_nobodys_runs() -> None:
    made = of("Job", "batch/v1", "train-slice-0", namespace="research", spec={"template": {"spec": {}}})
    made["metadata"]["ownerReferences"] = [{"controller": True, "uid": "uid-train"}]

    assert told(_with(made)) == [PROTECTED, QUOTA]


def test_what_servers_and_controllers_wrote_is_not_spoken_of() -> None:
    live = _jobset(dnsPolicy="ClusterFirstWithHostNet", terminationGracePeriodSeconds=30, tolerations=[{"key": "x"}])
    live["spec"]["suspend"] = False
    _job(live)["template"]["metadata"] = {"labels": {"kueue.x-k8s.io/podset": "slice"}}
    assert told(_with(live)) == [PROTECTED, QUOTA]
    _job(live)["template"]["metadata"]["labels"]["team"] = "vision"
    says = "template.metadata.labels.team is 'vision', but the stack's document does not state it."
    assert told(_with(live))[1].endswith(says)


def test_a_list_of_another_length_is_another_run() -> None:
    live = _jobset()
    _job(live)["template"]["spec"]["containers"][0]["ports"].append({"containerPort": 9000})
    assert told(_with(live))[1].endswith("containers[0].ports has 3 entries, but the stack has 2.")
    assert "workloads" not in platform(_with(live))


# --- runs for which a stack file has no words


def _job(item: Item) -> Item:
    """The specification of the Jobs of a JobSet."""
    return item["spec"]["replicatedJobs"][0]["template"]["spec"]


def _changed(**changes: object) -> Item:
    """The run with other fields of its container; None takes one away."""
    item = _jobset()
    container = _job(item)["template"]["spec"]["containers"][0]
    container |= changes
    for key in [key for key, value in changes.items() if value is None]:
        del container[key]
    return item


def _of_two() -> Item:
    item = _jobset()
    item["spec"]["replicatedJobs"] *= 2
    return item


def _of_three_hosts() -> Item:
    item = _jobset(nodeSelector={})
    _job(item)["parallelism"] = 3
    return item


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (_of_two(), "2 of its 2 replicated jobs request chips, but a stack file states one."),
        (_jobset(containers=[{}, {}]), "its pods have 2 containers, but a stack file states one."),
        (
            _changed(command=None),
            "it starts the image's own program, but a stack file states a script or a command.",
        ),
        (_changed(args=["x"]), "its container states args, but a stack file states only a command."),
        (
            _jobset(nodeSelector={"team": "a"}),
            "it selects nodes by {'team': 'a'}, and no listed flavor matches.",
        ),
        (_of_three_hosts(), "it selects no nodes, and no listed flavor matches."),
    ],
)
def test_a_run_that_no_stack_file_can_state_is_left_out(item: Item, says: str) -> None:
    found = _with(item)
    assert "workloads" not in platform(found)
    assert told(found) == [PROTECTED, f"JobSet research/train: {says}", QUOTA]


def test_a_job_whose_variables_come_from_elsewhere_is_left_out() -> None:
    variable = {"name": "CPUS", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}
    spec = {"template": {"spec": {"containers": [{"image": "a", "env": [variable]}]}}}
    found = _with(of("Job", "batch/v1", "load", namespace="research", spec=spec))
    assert told(found)[1] == (
        "Job research/load: its variable CPUS comes from resourceFieldRef, which a stack file does not state."
    )
    assert "workloads" not in platform(found)


# --- what the program itself has written


_LEFT_OUT: Final = {
    "batch-ml": {("Job", "prepare-share"), ("Job", "transfer-datasets"), ("Job", "queue-jobs")},
    "training": {
        ("JobSet", "pretrain"),
        ("ResourceFlavor", "v6e-flex"),
        ("CheckpointConfiguration", "training-checkpoints"),
        ("SecretProviderClass", "secret-manager-wandb-api-key"),
    },
}
"""Runs that run as root or are awaited, which no listing says; a flavor with queued nodes and the run that states how
long they live, as their node pool is not listed here; objects that name the cluster or its project, others here."""
_OF_SHARES: Final = ("PersistentVolume", "PersistentVolumeClaim")
"""What is stated beside a Filestore instance only."""


def _written(plan: Plan) -> dict[tuple[str, str], Item]:
    """What the program writes into a cluster, by kind and name."""
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

    stated = make_plan(Platform.model_validate_json(json.dumps(platform(found))), PROJECT)
    left_out = _LEFT_OUT.get(stack, set[tuple[str, str]]())
    again, before = (
        {key: each for key, each in items.items() if key not in left_out} for items in (_written(stated), there)
    )
    assert again == before


_PODS: Final[dict[str, Any]] = {
    "env": {"STEPS": "10", "TOKEN": {"secret": "hf", "key": "token"}, "NODE": {"field": "spec.nodeName"}},
    "mounts": [
        {"ephemeral": "10Gi", "path": "/scratch"},
        {"ephemeral": "1Gi", "name": "shm", "in_memory": True, "path": "/m"},
        {"secret": "hf", "path": "/hf", "read_only": True},
        {"config_map": "settings", "path": "/etc/settings", "sub_path": "a"},
    ],
    "resources": {"cpu": "4"},
    "service_account": "trainer",
    "sidecars": [
        {"name": "logs", "image": "registry.example/logs:1", "script": "tail", "resources": {"cpu": "1"}},
        {"name": "proxy", "image": "registry.example/proxy:1", "args": ["-v"]},
    ],
    "grace_seconds": 60,
    "image_pull_secrets": ["registry"],
    "labels": {"team": "vision"},
    "annotations": {"example.com/ticket": "ML-7"},
}


def test_what_pods_have_is_stated_so_that_it_is_written_again() -> None:
    stack = a_platform().set("workloads", 0, host_network=False, **_PODS)
    plan = stack.set(service_accounts=[{"name": "trainer"}]).plan()
    there = _written(plan)
    found = adopted(cluster(), pool("system"), *network(), *controllers(), *there.values())

    (run,) = platform(found)["workloads"]
    assert {key: run[key] for key in _PODS} == _PODS
    assert run["host_network"] is False
    assert platform(found)["service_accounts"] == [{"name": "trainer", "namespace": "default", "existing": True}]
    stated = make_plan(Platform.model_validate_json(json.dumps(platform(found))), PROJECT)
    assert _written(stated) == there
