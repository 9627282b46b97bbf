"""Jobs beside the slices of a JobSet: broken stacks by the rules that find them, and sound ones."""

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


BROKEN: dict[str, dict[str, Stack]] = {
    "replicated-job-names-differ": {
        "two replicated jobs of one name": _beside(_HEAD, {**_HEAD, "resources": {}}),
        "a replicated job with the name of the slices": _beside({**_HEAD, "name": "slice"}),
    },
    "dependencies-lead-to-a-start": {
        "a replicated job that waits for an unknown one": _beside(
            {**_HEAD, "depends_on": [{"name": "slcie", "status": "Ready"}]}
        ),
        "a replicated job that waits for itself": _beside(
            {**_HEAD, "depends_on": [{"name": "head", "status": "Ready"}]}
        ),
        "replicated jobs that wait for each other": _beside(
            _AFTER, depends_on=[{"name": "evaluate", "status": "Ready"}]
        ),
    },
    "dependencies-are-few": {
        "a replicated job that waits for another twice": _beside(
            {**_AFTER, "depends_on": [{"name": "slice", "status": "Ready"}, {"name": "slice", "status": "Complete"}]}
        ),
        "slices that wait for too many": _beside(
            *({**_HEAD, "name": f"head{index}", "resources": {}} for index in range(6)),
            depends_on=[{"name": f"head{index}", "status": "Ready"} for index in range(6)],
        ),
    },
    "workload-pod-names": {
        "a replicated job whose pods' names are too long": _beside({**_HEAD, "name": 50 * "a"}),
    },
    "requests-are-covered": {
        "a replicated job that requests a resource without quota": _beside({**_HEAD, "resources": {"memory": "1Gi"}}),
    },
    "requests-can-ever-fit": {
        "replicated jobs that request more than the quota": _beside({**_HEAD, "replicas": 2, "pods": 2}),
    },
    "claim-exists": {
        "a replicated job with an unknown claim": _beside({**_HEAD, "mounts": [{"claim": "data", "path": "/data"}]}),
    },
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
