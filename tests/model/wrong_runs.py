"""Wrong values of workloads of all kinds, and of what queues them, each with its whole error."""

from __future__ import annotations

from typing import Any, Final

from tests.stacks import Stack, a_platform

_P: Final = a_platform()
_PATHWAYS: Final[dict[str, Any]] = {
    "name": "pw",
    "kind": "pathways",
    "image": "a:1",
    "flavor": "v5e-2x4",
    "slices": 1,
    "script": "x",
    "version": "1",
    "scratch_bucket": "ml-scratch",
}
_RAY: Final[dict[str, Any]] = {
    "name": "rl",
    "kind": "ray",
    "image": "a:1",
    "flavor": "v5e-2x4",
    "slices": 1,
    "script": "x",
}


def _run(**keys: object) -> Stack:
    return _P.set("workloads", 0, **keys)


def _pathways(**keys: object) -> Stack:
    return _P.set(workloads=[{**_PATHWAYS, **keys}])


def _ray(**keys: object) -> Stack:
    return _P.set(workloads=[{**_RAY, **keys}])


def _beside(**keys: object) -> Stack:
    return _run(replicated_jobs=[{"name": "eval", "image": "a:1", **keys}])


WRONG_RUNS: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    "a release of Pathways that is no tag": (
        _pathways(version="20260128:jax"),
        (
            "workloads[0].version",
            '"20260128:jax" is not the tag of an image.',
            "Up to 128 letters, digits, hyphens, underscores and dots, not beginning with a hyphen or a dot.",
        ),
    ),
    "Pathways without a place for its files": (
        _pathways().drop("workloads", 0, "scratch_bucket"),
        (
            "workloads[0]",
            "the key scratch_bucket is missing.",
            (
                "Required keys: name, image, kind, slices, version, scratch_bucket; optional keys: namespace,"
                " queue, priority, env, mounts, resources, service_account, sidecars, grace_seconds, "
                "image_pull_secrets, labels, annotations, flavor, flavors, script, command, head, "
                "max_restarts, host_network."
            ),
        ),
    ),
    "a key of the head that is the workload's": (
        _pathways(head={"resources": {"cpu": "4"}}),
        ("workloads[0].head.resources", "unknown key.", "Optional keys: pool, server, proxy."),
    ),
    "Pathways of two flavors that are one": (
        _pathways(flavors=["v5e-2x4", "v5e-2x4"]).drop("workloads", 0, "flavor"),
        ("workloads[0].flavors", "v5e-2x4 appears twice.", "Write it once."),
    ),
    "a release of Ray that is none": (
        _ray(ray_version="2.52"),
        ("workloads[0].ray_version", '"2.52" is not a release.', "Three numbers, such as 0.19.2."),
    ),
    "a Ray workload without a program": (
        _ray().drop("workloads", 0, "script"),
        ("workloads[0]", "it has none of script and command.", "Add one of them."),
    ),
    "a Ray workload that survives maintenance by a key": (
        _ray(maintenance={"checkpoint_seconds": 60}),
        (
            "workloads[0].maintenance",
            "unknown key of kind ray; kinds jobset and tpu-job have it.",
            (
                "Every failure counts: max_restarts is how often it starts again, grace_seconds the time for a "
                "checkpoint. Required keys: name, image, kind, slices; optional keys: namespace, queue, priority, "
                "env, mounts, resources, service_account, sidecars, grace_seconds, image_pull_secrets, labels, "
                "annotations, flavor, flavors, script, command, ray_version, head, max_restarts."
            ),
        ),
    ),
    "no Job beside the slices": (
        _beside(replicas=0),
        ("workloads[0].replicated_jobs[0].replicas", "0 is out of range.", "Write 1 or more."),
    ),
    "no pod of a Job beside the slices": (
        _beside(pods=0),
        ("workloads[0].replicated_jobs[0].pods", "0 is out of range.", "Write 1 or more."),
    ),
    "a Job beside the slices with a flavor": (
        _beside(flavor="v5e-2x4"),
        (
            "workloads[0].replicated_jobs[0].flavor",
            "unknown key.",
            (
                "Required keys: name, image; optional keys: env, mounts, resources, service_account, "
                "sidecars, grace_seconds, image_pull_secrets, labels, annotations, replicas, pods, script, "
                "command, args, depends_on, backoff_limit."
            ),
        ),
    ),
    "a wait for a word": (
        _beside(depends_on=[{"name": "slice", "status": "Running"}]),
        (
            "workloads[0].replicated_jobs[0].depends_on[0].status",
            "Running is not supported here.",
            "Supported: Ready and Complete.",
        ),
    ),
    "a wait for nothing": (
        _beside(depends_on=[]),
        (
            "workloads[0].replicated_jobs[0].depends_on",
            "the list is empty; at least one item belongs here.",
            "Required keys: name, status.",
        ),
    ),
    "a success of none": (
        _run(success_policy={"operator": "None"}),
        ("workloads[0].success_policy.operator", "None is not supported here.", "Supported: All and Any."),
    ),
    "a success of one Job that is named twice": (
        _run(success_policy={"operator": "All", "replicated_jobs": ["slice", "slice"]}),
        ("workloads[0].success_policy.replicated_jobs", "slice appears twice.", "Write it once."),
    ),
    "no time to write a checkpoint": (
        _run(maintenance={"checkpoint_seconds": 0}),
        ("workloads[0].maintenance.checkpoint_seconds", "0 is out of range.", "Write 1 or more."),
    ),
    "a time to end before now": (
        _run(grace_seconds=-1),
        ("workloads[0].grace_seconds", "-1 is out of range.", "Write 0 or more."),
    ),
    "a time to end with a unit": (
        _run(grace_seconds="60s"),
        ("workloads[0].grace_seconds", '"60s" is text; a whole number belongs here.', "Write a whole number."),
    ),
    "more restarts than 32 bits": (
        _run(max_restarts=2**31),
        ("workloads[0].max_restarts", "2147483648 is out of range.", "Write a number below 2147483648."),
    ),
    "a user of more than 32 bits": (
        _P.set(workloads=[{"name": "j", "kind": "batch-job", "image": "a:1", "pods": 1, "user": 2**31}]),
        ("workloads[0].user", "2147483648 is out of range.", "Write a number below 2147483648."),
    ),
    "a word for the host's network": (
        _run(host_network="no"),
        ("workloads[0].host_network", '"no" is text; true or false belongs here.', "Write true or false."),
    ),
    "an account with capitals": (
        _run(service_account="Trainer"),
        (
            "workloads[0].service_account",
            '"Trainer" is not a name that Kubernetes takes.',
            "Lower-case letters, digits, hyphens and dots, beginning and ending with a letter or digit.",
        ),
    ),
    "one name for a list of pull secrets": (
        _run(image_pull_secrets="registry"),
        (
            "workloads[0].image_pull_secrets",
            '"registry" is text; a list belongs here.',
            "Begin each item with a hyphen, or write [] for none.",
        ),
    ),
    "a label with blanks": (
        _run(labels={"team": "machine learning"}),
        (
            "workloads[0].labels.team",
            '"machine learning" is not a value that Kubernetes takes in a label.',
            ("Up to 63 letters, digits, hyphens, underscores and dots, beginning and ending with a letter or digit."),
        ),
    ),
    "an annotation's key with blanks": (
        _run(annotations={"my ticket": "7"}),
        (
            "workloads[0].annotations.my ticket",
            '"my ticket" is not a key that Kubernetes takes for an annotation.',
            "Such as team, or example.com/team.",
        ),
    ),
    "a number for an annotation": (
        _run(annotations={"ticket": 7}),
        ("workloads[0].annotations.ticket", "7 is a number; text belongs here.", 'Write it in quotes: "7".'),
    ),
    "a resource that there is not": (
        _run(resources={"gpu": "1"}),
        (
            "workloads[0].resources.gpu",
            '"gpu" is not a resource.',
            "cpu, memory, ephemeral-storage, or a device such as nvidia.com/gpu.",
        ),
    ),
    "an amount in words": (
        _run(resources={"memory": "16 GB"}),
        (
            "workloads[0].resources.memory",
            '"16 GB" is not an amount.',
            "Such as 24, 500m or 10Gi, in quotes if it is a number.",
        ),
    ),
    "a variable's name with a hyphen": (
        _run(env={"HF-TOKEN": "x"}),
        (
            "workloads[0].env.HF-TOKEN",
            '"HF-TOKEN" is not the name of an environment variable.',
            "Letters, digits and underscores, not beginning with a digit.",
        ),
    ),
    "a variable from two places": (
        _run(env={"A": {"secret": "hf", "config_map": "a", "key": "b"}}),
        ("workloads[0].env.A.config_map", "unknown key.", "Required keys: secret, key."),
    ),
    "a sidecar without an image": (
        _run(sidecars=[{"name": "logs"}]),
        (
            "workloads[0].sidecars[0]",
            "the key image is missing.",
            "Required keys: name, image; optional keys: env, mounts, resources, script, command, args.",
        ),
    ),
    "a role as one text": (
        _P.set(service_accounts=[{"name": "a", "roles": "roles/bigquery.user"}]),
        (
            "service_accounts[0].roles",
            '"roles/bigquery.user" is text; a list belongs here.',
            "Begin each item with a hyphen, or write [] for none.",
        ),
    ),
    "a key of a Secret with a slash": (
        _P.set(secrets=[{"name": "a", "data": {"a/b": "x"}}]),
        (
            "secrets[0].data.a/b",
            '"a/b" is not a key of a Secret or a ConfigMap.',
            "Up to 253 letters, digits, hyphens, underscores and dots, not beginning with two dots.",
        ),
    ),
    "flex-start nodes of no life": (
        _P.set("node_pools", 0, flex_start={"max_run_seconds": 0}),
        ("node_pools[0].flex_start.max_run_seconds", "0 is out of range.", "Write 1 or more."),
    ),
    "flex-start as a word": (
        _P.set("node_pools", 0, flex_start=True),
        (
            "node_pools[0].flex_start",
            "true is a boolean; a mapping belongs here.",
            "Optional keys: queued, max_run_seconds.",
        ),
    ),
    "a limit of requeuing below none": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 60, "requeue": {"limit": -1}}}}),
        ("controllers.kueue.pods_ready.requeue.limit", "-1 is out of range.", "Write 0 or more."),
    ),
    "a wait longer than 32 bits": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 2**31}}}),
        (
            "controllers.kueue.pods_ready.timeout_seconds",
            "2147483648 is out of range.",
            "Write a number below 2147483648.",
        ),
    ),
    "a message that is blank": (
        _run(failure_policy={"rules": [{"action": "FailJobSet", "on_messages": [""]}]}),
        (
            "workloads[0].failure_policy.rules[0].on_messages[0]",
            '"" is blank.',
            "Give it a value, or leave an optional key out.",
        ),
    ),
    "an exit code named twice": (
        _run(failure_policy={"rules": [{"action": "FailJobSet", "on_exit_codes": [3, 3]}]}),
        ("workloads[0].failure_policy.rules[0].on_exit_codes", "3 appears twice.", "Write it once."),
    ),
    "Ray as an add-on in words": (
        _P.set("cluster", addons={"ray_operator": "on"}),
        ("cluster.addons.ray_operator", '"on" is text; true or false belongs here.', "Write true or false."),
    ),
    "a role that is given twice": (
        _P.set(service_accounts=[{"name": "a", "roles": ["roles/bigquery.user", "roles/bigquery.user"]}]),
        ("service_accounts[0].roles", "roles/bigquery.user appears twice.", "Write it once."),
    ),
    "a wait for pods without a timeout": (
        _P.set(controllers={"kueue": {"pods_ready": {"block_admission": True}}}),
        (
            "controllers.kueue.pods_ready",
            "the key timeout_seconds is missing.",
            "Required keys: timeout_seconds; optional keys: recovery_timeout_seconds, block_admission, requeue.",
        ),
    ),
    "a wait for pods of no time": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 0}}}),
        ("controllers.kueue.pods_ready.timeout_seconds", "0 is out of range.", "Write 1 or more."),
    ),
    "a place in the queue that Kueue does not have": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 900, "requeue": {"timestamp": "Admission"}}}}),
        (
            "controllers.kueue.pods_ready.requeue.timestamp",
            "Admission is not supported here.",
            "Supported: Eviction and Creation.",
        ),
    ),
    "a move of workloads that Kueue does not have": (
        _P.set("queues", 0, concurrent_admission={"mode": "Never"}),
        (
            "queues[0].concurrent_admission.mode",
            "Never is not supported here.",
            "Supported: TryPreferredFlavors and RetainFirstAdmission.",
        ),
    ),
}
