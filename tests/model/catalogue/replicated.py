"""Jobs beside the slices of a JobSet: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_HEAD = {"name": "head", "image": "registry.example/head:1.0", "script": "sleep 60", "resources": {"cpu": "2"}}
_AFTER = {**_HEAD, "name": "evaluate", "depends_on": [{"name": "slice", "status": "Complete"}]}


def _beside(*jobs: object, **keys: object) -> Stack:
    """The small platform whose JobSet has these jobs beside its slices, and a quota of 4 CPUs for them."""
    return (
        a_platform()
        .add("flavors", name="any")
        .add("queues", 0, "flavors", name="any", resources={"cpu": "4"})
        .set("workloads", 0, replicated_jobs=list(jobs), **keys)
    )


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "two replicated jobs of one name": (
        _beside(_HEAD, {**_HEAD, "resources": {}}),
        ["replicated-job-names-differ: workloads[0].replicated_jobs[1].name"],
    ),
    "a replicated job with the name of the slices": (
        _beside({**_HEAD, "name": "slice"}),
        ["replicated-job-names-differ: workloads[0].replicated_jobs[0].name"],
    ),
    "a replicated job that waits for an unknown one": (
        _beside({**_HEAD, "depends_on": [{"name": "slcie", "status": "Ready"}]}),
        ["dependencies-lead-to-a-start: workloads[0].replicated_jobs[0].depends_on[0].name"],
    ),
    "a replicated job that waits for itself": (
        _beside({**_HEAD, "depends_on": [{"name": "head", "status": "Ready"}]}),
        ["dependencies-lead-to-a-start: workloads[0].replicated_jobs[0].depends_on[0].name"],
    ),
    "replicated jobs that wait for each other": (
        _beside(_AFTER, depends_on=[{"name": "evaluate", "status": "Ready"}]),
        [
            "dependencies-lead-to-a-start: workloads[0].depends_on[0].name",
            "dependencies-lead-to-a-start: workloads[0].replicated_jobs[0].depends_on[0].name",
        ],
    ),
    "a replicated job that waits for another twice": (
        _beside(
            {**_AFTER, "depends_on": [{"name": "slice", "status": "Ready"}, {"name": "slice", "status": "Complete"}]}
        ),
        ["dependencies-are-few: workloads[0].replicated_jobs[0].depends_on[1].name"],
    ),
    "slices that wait for too many": (
        _beside(
            *({**_HEAD, "name": f"head{index}", "resources": {}} for index in range(6)),
            depends_on=[{"name": f"head{index}", "status": "Ready"} for index in range(6)],
        ),
        ["dependencies-are-few: workloads[0].depends_on[5].name"],
    ),
    "a replicated job whose pods' names are too long": (
        _beside({**_HEAD, "name": 50 * "a"}),
        ["workload-pod-names: workloads[0].replicated_jobs[0].name"],
    ),
    "a replicated job that requests a resource without quota": (
        _beside({**_HEAD, "resources": {"memory": "1Gi"}}),
        ["requests-are-covered: workloads[0].replicated_jobs[0].resources.memory"],
    ),
    "replicated jobs that request more than the quota": (
        _beside({**_HEAD, "replicas": 2, "pods": 2}),
        ["requests-can-ever-fit: workloads[0].replicated_jobs[0].resources.cpu"],
    ),
    "a replicated job with an unknown claim": (
        _beside({**_HEAD, "mounts": [{"claim": "data", "path": "/data"}]}),
        ["claim-exists: workloads[0].replicated_jobs[0].mounts[0].claim"],
    ),
}
SOUND: dict[str, Stack] = {
    "a head before the slices and an evaluation after them": _beside(
        _AFTER,
        _HEAD,
        depends_on=[{"name": "head", "status": "Ready"}],
        success_policy={"operator": "All", "replicated_jobs": ["evaluate"]},
        failure_policy={
            "max_restarts": 1,
            "rules": [{"action": "FailJobSet", "on_exit_codes": [3], "replicated_jobs": ["head"]}],
        },
    ),
    "a replicated job without requests": _beside({**_HEAD, "resources": {}, "backoff_limit": 3}),
}
