"""Wrong values of workloads of all kinds, and of what queues them, each with its place."""

from __future__ import annotations

from typing import Any, Final

from tests.stacks import Stack, a_platform

_P: Final = a_platform()
_MANIFEST: Final[dict[str, Any]] = {"name": "run", "kind": "manifest", "file": "run.yaml"}


def _run(**keys: object) -> Stack:
    return _P.set("workloads", 0, **keys)


def _manifest(**keys: object) -> Stack:
    return _P.set(workloads=[{**_MANIFEST, **keys}])


def _beside(**keys: object) -> Stack:
    return _run(replicated_jobs=[{"name": "eval", "image": "a:1", **keys}])


WRONG_RUNS: dict[str, tuple[Stack, str]] = {
    "a manifest without a file": (_manifest().drop("workloads", 0, "file"), "workloads[0]"),
    "an image of a manifest, which is in its file": (_manifest(image="a:1"), "workloads[0].image"),
    "a number as a value of a manifest": (_manifest(values={"slices": 2}), "workloads[0].values.slices"),
    "a kind that a file has": (_manifest(kind="ray"), "workloads[0].kind"),
    "no Job beside the slices": (_beside(replicas=0), "workloads[0].replicated_jobs[0].replicas"),
    "no pod of a Job beside the slices": (_beside(pods=0), "workloads[0].replicated_jobs[0].pods"),
    "a Job beside the slices with a flavor": (_beside(flavor="v5e-2x4"), "workloads[0].replicated_jobs[0].flavor"),
    "a wait for a word": (
        _beside(depends_on=[{"name": "slice", "status": "Running"}]),
        "workloads[0].replicated_jobs[0].depends_on[0].status",
    ),
    "a wait for nothing": (_beside(depends_on=[]), "workloads[0].replicated_jobs[0].depends_on"),
    "a success of none": (_run(success_policy={"operator": "None"}), "workloads[0].success_policy.operator"),
    "a success of one Job that is named twice": (
        _run(success_policy={"operator": "All", "replicated_jobs": ["slice", "slice"]}),
        "workloads[0].success_policy.replicated_jobs",
    ),
    "no time to write a checkpoint": (
        _run(maintenance={"checkpoint_seconds": 0}),
        "workloads[0].maintenance.checkpoint_seconds",
    ),
    "a time to end before now": (_run(grace_seconds=-1), "workloads[0].grace_seconds"),
    "a time to end with a unit": (_run(grace_seconds="60s"), "workloads[0].grace_seconds"),
    "more restarts than 32 bits": (_run(max_restarts=2**31), "workloads[0].max_restarts"),
    "a user of more than 32 bits": (
        _P.set(workloads=[{"name": "j", "kind": "batch-job", "image": "a:1", "pods": 1, "user": 2**31}]),
        "workloads[0].user",
    ),
    "a word for the host's network": (_run(host_network="no"), "workloads[0].host_network"),
    "an account with capitals": (_run(service_account="Trainer"), "workloads[0].service_account"),
    "one name for a list of pull secrets": (_run(image_pull_secrets="registry"), "workloads[0].image_pull_secrets"),
    "a label with blanks": (_run(labels={"team": "machine learning"}), "workloads[0].labels.team"),
    "an annotation's key with blanks": (_run(annotations={"my ticket": "7"}), "workloads[0].annotations.my ticket"),
    "a number for an annotation": (_run(annotations={"ticket": 7}), "workloads[0].annotations.ticket"),
    "a resource that there is not": (_run(resources={"gpu": "1"}), "workloads[0].resources.gpu"),
    "an amount in words": (_run(resources={"memory": "16 GB"}), "workloads[0].resources.memory"),
    "a variable's name with a hyphen": (_run(env={"HF-TOKEN": "x"}), "workloads[0].env.HF-TOKEN"),
    "a variable from two places": (
        _run(env={"A": {"secret": "hf", "config_map": "a", "key": "b"}}),
        "workloads[0].env.A.config_map",
    ),
    "a sidecar without an image": (_run(sidecars=[{"name": "logs"}]), "workloads[0].sidecars[0]"),
    "a role as one text": (
        _P.set(service_accounts=[{"name": "a", "roles": "roles/bigquery.user"}]),
        "service_accounts[0].roles",
    ),
    "a key of a Secret with a slash": (_P.set(secrets=[{"name": "a", "data": {"a/b": "x"}}]), "secrets[0].data.a/b"),
    "flex-start nodes of no life": (
        _P.set("node_pools", 0, flex_start={"max_run_seconds": 0}),
        "node_pools[0].flex_start.max_run_seconds",
    ),
    "flex-start as a word": (_P.set("node_pools", 0, flex_start=True), "node_pools[0].flex_start"),
    "a limit of requeuing below none": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 60, "requeue": {"limit": -1}}}}),
        "controllers.kueue.pods_ready.requeue.limit",
    ),
    "a wait longer than 32 bits": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 2**31}}}),
        "controllers.kueue.pods_ready.timeout_seconds",
    ),
    "a message that is blank": (
        _run(failure_policy={"rules": [{"action": "FailJobSet", "on_messages": [""]}]}),
        "workloads[0].failure_policy.rules[0].on_messages[0]",
    ),
    "an exit code named twice": (
        _run(failure_policy={"rules": [{"action": "FailJobSet", "on_exit_codes": [3, 3]}]}),
        "workloads[0].failure_policy.rules[0].on_exit_codes",
    ),
    "Ray as an add-on in words": (_P.set("cluster", addons={"ray_operator": "on"}), "cluster.addons.ray_operator"),
    "a role that is given twice": (
        _P.set(service_accounts=[{"name": "a", "roles": ["roles/bigquery.user", "roles/bigquery.user"]}]),
        "service_accounts[0].roles",
    ),
    "a wait for pods without a timeout": (
        _P.set(controllers={"kueue": {"pods_ready": {"block_admission": True}}}),
        "controllers.kueue.pods_ready",
    ),
    "a wait for pods of no time": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 0}}}),
        "controllers.kueue.pods_ready.timeout_seconds",
    ),
    "a place in the queue that Kueue does not have": (
        _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 900, "requeue": {"timestamp": "Admission"}}}}),
        "controllers.kueue.pods_ready.requeue.timestamp",
    ),
    "a move of workloads that Kueue does not have": (
        _P.set("queues", 0, concurrent_admission={"mode": "Never"}),
        "queues[0].concurrent_admission.mode",
    ),
}
