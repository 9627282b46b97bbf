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


WRONG_RUNS: dict[str, Stack] = {
    "a manifest without a file": _manifest().drop("workloads", 0, "file"),
    "an image of a manifest, which is in its file": _manifest(image="a:1"),
    "a number as a value of a manifest": _manifest(values={"slices": 2}),
    "a kind that a file has": _manifest(kind="ray"),
    "no Job beside the slices": _beside(replicas=0),
    "no pod of a Job beside the slices": _beside(pods=0),
    "a Job beside the slices with a flavor": _beside(flavor="v5e-2x4"),
    "a wait for a word": _beside(depends_on=[{"name": "slice", "status": "Running"}]),
    "a wait for nothing": _beside(depends_on=[]),
    "a success of none": _run(success_policy={"operator": "None"}),
    "a success of one Job that is named twice": _run(
        success_policy={"operator": "All", "replicated_jobs": ["slice", "slice"]}
    ),
    "no time to write a checkpoint": _run(maintenance={"checkpoint_seconds": 0}),
    "a time to end before now": _run(grace_seconds=-1),
    "a time to end with a unit": _run(grace_seconds="60s"),
    "more restarts than 32 bits": _run(max_restarts=2**31),
    "a user of more than 32 bits": _P.set(
        workloads=[{"name": "j", "kind": "batch-job", "image": "a:1", "pods": 1, "user": 2**31}]
    ),
    "a word for the host's network": _run(host_network="no"),
    "an account with capitals": _run(service_account="Trainer"),
    "one name for a list of pull secrets": _run(image_pull_secrets="registry"),
    "a label with blanks": _run(labels={"team": "machine learning"}),
    "an annotation's key with blanks": _run(annotations={"my ticket": "7"}),
    "a number for an annotation": _run(annotations={"ticket": 7}),
    "a resource that there is not": _run(resources={"gpu": "1"}),
    "an amount in words": _run(resources={"memory": "16 GB"}),
    "a variable's name with a hyphen": _run(env={"HF-TOKEN": "x"}),
    "a variable from two places": _run(env={"A": {"secret": "hf", "config_map": "a", "key": "b"}}),
    "a sidecar without an image": _run(sidecars=[{"name": "logs"}]),
    "a role as one text": _P.set(service_accounts=[{"name": "a", "roles": "roles/bigquery.user"}]),
    "a key of a Secret with a slash": _P.set(secrets=[{"name": "a", "data": {"a/b": "x"}}]),
    "flex-start nodes of no life": _P.set("node_pools", 0, flex_start={"max_run_seconds": 0}),
    "flex-start as a word": _P.set("node_pools", 0, flex_start=True),
    "a limit of requeuing below none": _P.set(
        controllers={"kueue": {"pods_ready": {"timeout_seconds": 60, "requeue": {"limit": -1}}}}
    ),
    "a wait longer than 32 bits": _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 2**31}}}),
    "a message that is blank": _run(failure_policy={"rules": [{"action": "FailJobSet", "on_messages": [""]}]}),
    "an exit code named twice": _run(failure_policy={"rules": [{"action": "FailJobSet", "on_exit_codes": [3, 3]}]}),
    "Ray as an add-on in words": _P.set("cluster", addons={"ray_operator": "on"}),
    "a role that is given twice": _P.set(
        service_accounts=[{"name": "a", "roles": ["roles/bigquery.user", "roles/bigquery.user"]}]
    ),
    "a wait for pods without a timeout": _P.set(controllers={"kueue": {"pods_ready": {"block_admission": True}}}),
    "a wait for pods of no time": _P.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 0}}}),
    "a place in the queue that Kueue does not have": _P.set(
        controllers={"kueue": {"pods_ready": {"timeout_seconds": 900, "requeue": {"timestamp": "Admission"}}}}
    ),
    "a move of workloads that Kueue does not have": _P.set("queues", 0, concurrent_admission={"mode": "Never"}),
}
