"""Jobs beside the slices of a JobSet: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "two replicated jobs of one name": (
        _beside(_HEAD, {**_HEAD, "resources": {}}),
        [
            Told(
                rule="replicated-job-names-differ",
                place="workloads[0].replicated_jobs[1].name",
                says="another replicated job is named head.",
                remedy="Choose another name.",
            ),
        ],
    ),
    "a replicated job with the name of the slices": (
        _beside({**_HEAD, "name": "slice"}),
        [
            Told(
                rule="replicated-job-names-differ",
                place="workloads[0].replicated_jobs[0].name",
                says="the slices are named slice.",
                remedy="Choose another name.",
            ),
        ],
    ),
    "a replicated job that waits for an unknown one": (
        _beside({**_HEAD, "depends_on": [{"name": "slcie", "status": "Ready"}]}),
        [
            Told(
                rule="dependencies-lead-to-a-start",
                place="workloads[0].replicated_jobs[0].depends_on[0].name",
                says="no replicated job is named slcie.",
                remedy="Did you mean slice? Replicated jobs: slice.",
            ),
        ],
    ),
    "a replicated job that waits for itself": (
        _beside({**_HEAD, "depends_on": [{"name": "head", "status": "Ready"}]}),
        [
            Told(
                rule="dependencies-lead-to-a-start",
                place="workloads[0].replicated_jobs[0].depends_on[0].name",
                says="head waits for itself.",
                remedy="Remove one of the dependencies.",
            ),
        ],
    ),
    "replicated jobs that wait for each other": (
        _beside(_AFTER, depends_on=[{"name": "evaluate", "status": "Ready"}]),
        [
            Told(
                rule="dependencies-lead-to-a-start",
                place="workloads[0].depends_on[0].name",
                says="evaluate waits for slice, and slice for evaluate, so neither starts.",
                remedy="Remove one of the dependencies.",
            ),
            Told(
                rule="dependencies-lead-to-a-start",
                place="workloads[0].replicated_jobs[0].depends_on[0].name",
                says="slice waits for evaluate, and evaluate for slice, so neither starts.",
                remedy="Remove one of the dependencies.",
            ),
        ],
    ),
    "a replicated job that waits for another twice": (
        _beside(
            {**_AFTER, "depends_on": [{"name": "slice", "status": "Ready"}, {"name": "slice", "status": "Complete"}]}
        ),
        [
            Told(
                rule="dependencies-are-few",
                place="workloads[0].replicated_jobs[0].depends_on[1].name",
                says="it waits for slice already.",
                remedy="Remove it.",
            ),
        ],
    ),
    "slices that wait for too many": (
        _beside(
            *({**_HEAD, "name": f"head{index}", "resources": {}} for index in range(6)),
            depends_on=[{"name": f"head{index}", "status": "Ready"} for index in range(6)],
        ),
        [
            Told(
                rule="dependencies-are-few",
                place="workloads[0].depends_on[5].name",
                says="it waits for 6 replicated jobs; JobSet takes 5.",
                remedy="Remove it.",
            ),
        ],
    ),
    "a replicated job whose pods' names are too long": (
        _beside({**_HEAD, "name": 50 * "a"}),
        [
            Told(
                rule="workload-pod-names",
                place="workloads[0].replicated_jobs[0].name",
                says=f"its longest pod name, train-{50 * 'a'}-0-0-abcde, has 66 characters; it may have 63 at most.",
                remedy="Shorten the name by 3.",
            ),
        ],
    ),
    "a replicated job that requests a resource without quota": (
        _beside({**_HEAD, "resources": {"memory": "1Gi"}}),
        [
            Told(
                rule="requests-are-covered",
                place="workloads[0].replicated_jobs[0].resources.memory",
                says="research has no quota of memory; the job would wait for ever.",
                remedy="Add it to resources of a flavor of research, or do not ask for it. Covered: cpu.",
            ),
        ],
    ),
    "replicated jobs that request more than the quota": (
        _beside({**_HEAD, "replicas": 2, "pods": 2}),
        [
            Told(
                rule="requests-can-ever-fit",
                place="workloads[0].replicated_jobs[0].resources.cpu",
                says="4 pods with 2 of cpu take 8, but research has 4; the job would wait for ever.",
                remedy="Ask for 2 pods or fewer, or raise the quota to 8.",
            ),
        ],
    ),
    "a replicated job with an unknown claim": (
        _beside({**_HEAD, "mounts": [{"claim": "data", "path": "/data"}]}),
        [
            Told(
                rule="claim-exists",
                place="workloads[0].replicated_jobs[0].mounts[0].claim",
                says="no storage has a claim data in default.",
                remedy="Claims of default: none.",
            ),
        ],
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
