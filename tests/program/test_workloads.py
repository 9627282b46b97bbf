"""The whole program on workloads of every kind: what it registers for each, and what comes before what."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.refusal import ALREADY_TOLD
from tests.golden import assert_golden
from tests.model.catalogue.manifest import example, with_manifest
from tests.program.harness import Registered, Run, as_golden, run_committed, run_edited, run_program, run_stack
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform, given_file, stack_file

_GOLDEN = Path(__file__).parent / "golden"
_SHARE = {
    "name": "share",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 1024,
    "claims": [{"name": "data", "namespace": "team-a"}],
}
_REDIS: dict[str, Any] = {
    "name": "leader",
    "kind": "redis",
    "namespace": "team-a",
    "image": "registry.example/redis:7.2",
    "mounts": [{"claim": "data", "path": "/mnt/data"}],
}
_JOB: dict[str, Any] = {"name": "job", "kind": "batch-job", "namespace": "team-a", "pods": 3, "redis": "leader"}
_OUTPUTS: dict[str, Any] = {
    "namespace": "default",
    "queue": "research",
    "priority": "normal",
    "checkpoint_seconds": None,
    "replicated_jobs": [],
}
_IMAGE = {"image": "registry.example/job:1.0"}


def _without_controllers() -> Stack:
    return (
        a_platform()
        .set(controllers={"jobset": {"install": False}, "kueue": {"install": False}}, queues=[], workloads=[])
        .set(shared_storage=[_SHARE])
    )


def _inside(stack: str) -> list[Registered]:
    """What a committed stack registers in its cluster."""
    return [each for each in run_committed(stack).resources if each.type.startswith("kubernetes:")]


@pytest.mark.parametrize("stack", ["batch-teams", "hotswap-both"])
def test_a_committed_stack_registers_this_in_its_cluster(multislice: Run, stack: str) -> None:
    """What a file is `like` is in that file, or in the file of the stack `multislice`."""
    assert_golden(_GOLDEN / f"{stack}-objects.yaml", as_golden(_inside(stack), multislice.resources))


def test_hotswap_registers_the_same_without_kueue() -> None:
    both = [each for each in _inside("hotswap-both") if each.name != "kueue" and "kueue.x-k8s.io" not in each.type]
    for each in both:
        each.inputs.get("metadata", {}).pop("labels", None)
    assert {each.reference: each.inputs for each in _inside("hotswap")} == {
        each.reference: each.inputs for each in both
    }


def test_the_workloads_of_multislice_ask_on_autopilot_for_no_access_to_their_hosts() -> None:
    standard, autopilot = (given_file(stack_file(name)).platform for name in ("multislice", "multislice-autopilot"))
    workloads = [json.loads(str(platform))["workloads"] for platform in (standard, autopilot)]
    access = {"privileged": True, "host_network": True}
    assert [{**access, **work} for work in workloads[0]] == [{**work, **access} for work in workloads[1]]
    assert not any(access.keys() & work for work in workloads[1])
    jobsets = run_committed("multislice-autopilot").of("JobSet")
    pods = [each.inputs["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"] for each in jobsets]
    assert len(pods) == 4
    assert not any("hostNetwork" in pod or "securityContext" in pod["containers"][0] for pod in pods)


def test_without_controllers_there_is_nothing_that_only_they_know() -> None:
    run = run_stack(_without_controllers())
    kinds = {each.type for each in run.resources if each.type.startswith("kubernetes:")}
    assert run.of("Release") == []
    assert run.of("Firewall") == []
    assert {kind for kind in kinds if "kueue" in kind or "jobset" in kind} == set()
    assert [each.name for each in run.of("PriorityClass")] == ["low", "normal"]


def test_the_password_of_a_redis_is_drawn_and_secret() -> None:
    run = run_stack(_without_controllers().set(workloads=[_REDIS, {**_JOB, **_IMAGE}]))
    secret = run.one("Secret", "team-a/leader-password")
    assert secret.inputs["data"] == {"password": "ZHJhd24="}
    assert secret.options["additionalSecretOutputs"] == ["data"]
    assert "drawn" not in json.dumps([each.inputs for each in run.resources])


def test_a_redis_comes_after_its_password_and_before_the_jobs() -> None:
    run = run_stack(_without_controllers().set(workloads=[_REDIS, {**_JOB, **_IMAGE}]))
    server, service = run.one("StatefulSet", "team-a/leader"), run.one("Service", "team-a/redis")
    assert server.options["dependencies"] == [run.one("Secret", "team-a/leader-password").reference]
    assert service.options["dependencies"] == [server.reference]
    assert service.reference in run.one("Job", "team-a/job").options["dependencies"]


def test_in_any_order_workloads_come_after_the_first_and_after_what_others_need() -> None:
    jobs = [{**_JOB, **_IMAGE, "name": name} for name in ("a", "b", "prepare", "c", "d")]
    jobs[2]["awaited"] = True
    listed = _without_controllers().set(workloads=[_REDIS, *jobs])

    def after(stack: Stack) -> dict[str, list[str]]:
        """What each Job comes after, of Jobs and the Service of the Redis."""
        run = run_stack(stack)
        names = {each.reference: each.name.removeprefix("team-a/") for each in [*run.of("Job"), *run.of("Service")]}
        found = {names[each.reference]: each.options["dependencies"] for each in run.of("Job")}
        return {job: [names[each] for each in before if each in names] for job, before in found.items()}

    one, others = ["redis"], ["prepare"]
    assert after(listed) == {"a": one, "b": ["a"], "prepare": ["b"], "c": others, "d": ["c"]}
    assert after(listed.set(workload_order="any")) == {"a": one, "b": one, "prepare": one, "c": others, "d": others}


def test_hosts_have_names_before_they_run() -> None:
    job = {"name": "train", "kind": "tpu-job", "flavor": "v5e-2x4", "pool": "v5e1", "service": "hosts"}
    run = run_stack(_without_controllers().set(workloads=[{**job, **_IMAGE}]))
    names = run.one("Service", "default/hosts")
    assert names.inputs["spec"] == {"clusterIP": "None", "selector": {"job-name": "train"}}
    assert run.one("Job", "default/train").options["dependencies"] == [names.reference]


def test_a_run_is_replaced_and_a_server_is_changed() -> None:
    run = run_stack(_without_controllers().set(workloads=[_REDIS, {**_JOB, **_IMAGE}]))
    job, server = run.one("Job", "team-a/job").options, run.one("StatefulSet", "team-a/leader").options
    assert job["deleteBeforeReplace"] is True
    assert job["replaceOnChanges"] == ["metadata.annotations", "metadata.labels", "spec"]
    assert "replaceOnChanges" not in server


def test_a_queue_that_was_not_drained_is_not_removed() -> None:
    stack = a_platform().after(queues=[{"name": "applied", "stop": None}])
    run = run_program(
        "test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)}, before=stack.before
    )
    assert (run.exit_code, run.resources) == (ALREADY_TOLD, [])
    ((_, text),) = run.log
    assert "applied would be removed, and it has not been drained." in text


def test_a_queue_tells_the_next_update_whether_it_is_drained() -> None:
    run = run_stack(a_platform().set("queues", 0, stop="drain"))
    assert [(queue["name"], queue["stop"]) for queue in run.outputs["queues"]] == [("research", "drain")]
    run_stack(a_platform().set(queues=[], workloads=[], flavors=[]).after(**run.outputs))


def test_objects_of_a_manifest_are_created_and_listed() -> None:
    run = run_stack(example("ray"))
    assert run.one("Cluster", "ml").inputs["addonsConfig"]["rayOperatorConfigs"] == [{"enabled": True}]
    job = run.one("RayJob", "default/run")
    assert job.type == "kubernetes:ray.io/v1:RayJob"
    assert job.options["replaceOnChanges"] == ["metadata.annotations", "metadata.labels", "spec"]
    assert run.outputs["workloads"] == [{**_OUTPUTS, "name": "run", "kind": "RayJob", "slices": 0, "chips": 16}]


def test_the_next_workload_waits_for_all_objects_of_a_manifest() -> None:
    maps = [f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{}}}}\n" for name in ("a", "b")]
    stack = with_manifest("---\n".join(maps), queue=None)
    run = run_stack(stack.add("workloads", **a_platform().platform["workloads"][0]))
    assert "replaceOnChanges" not in run.one("ConfigMap", "default/a").options
    after = run.one("JobSet", "default/train").options["dependencies"]
    assert {each.rpartition("::")[2] for each in after} >= {"default/a", "default/b"}


def test_a_manifest_that_breaks_a_rule_over_objects_ends_the_program_before_any_resource() -> None:
    stack = example("ray")
    wrong = stack.files["manifests/run.yaml"].replace("${flavor.topology}", "4x4")
    refused = run_edited(replace(stack, files={"manifests/run.yaml": wrong}))
    assert (refused.resources, refused.exit_code) == ([], ALREADY_TOLD)
    ((_, text),) = refused.log
    assert "workloads[0].file: manifests/run.yaml:35: spec.rayClusterSpec.workerGroupSpecs[0]" in text
