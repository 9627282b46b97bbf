"""All keys that there are: broken stacks by their rules, and sound ones that state what no other stack does."""

from __future__ import annotations

from typing import Any, Final

from tests.model.catalogue.disk import with_disk
from tests.model.catalogue.lustre import with_lustre
from tests.model.catalogue.manifest import example
from tests.stacks import Stack, a_platform, asking, in_existing_cluster, on_autopilot

_SIDECAR: Final[dict[str, Any]] = {"name": "logger", "image": "registry.example/logger:1.0"}
PODS: Final[dict[str, Any]] = {
    "env": {
        "STEPS": "10",
        "TOKEN": {"secret": "hf", "key": "token"},
        "LEVEL": {"config_map": "settings", "key": "level"},
        "NODE": {"field": "spec.nodeName"},
    },
    "mounts": [
        {"ephemeral": "1Gi", "path": "/scratch", "name": "fast", "in_memory": True},
        {"ephemeral": "2Gi", "path": "/disk", "sub_path": "a", "read_only": True},
        {"secret": "hf", "path": "/hf", "sub_path": "token", "read_only": True},
        {"config_map": "settings", "path": "/settings", "sub_path": "level", "read_only": True},
        {"bucket": "data", "path": "/data", "metadata_ttl_seconds": 600},
        {"secret_manager": "wandb", "path": "/wandb", "version": "2"},
    ],
    "service_account": "trainer",
    "sidecars": [
        {**_SIDECAR, "env": {"LEVEL": "info"}, "script": "tail -f /scratch/log"},
        {**_SIDECAR, "name": "proxy", "command": ["proxy"], "args": ["--port=8000"]},
    ],
    "grace_seconds": 60,
    "image_pull_secrets": ["registry"],
    "labels": {"team": "vision"},
    "annotations": {"example.com/ticket": "ML-7"},
}
"""All keys that the pods of every kind of workload have, without resources."""
_IMAGE: Final = "registry.example/job:1.0"


def with_what_pods_name(stack: Stack, namespace: str = "default") -> Stack:
    """With the account, the Secret and the bucket that PODS names."""
    buckets = [*stack.platform.get("buckets", []), {"name": "data", "location": "us-west4"}]
    account = {"name": "trainer", "namespace": namespace, "roles": ["roles/bigquery.dataViewer"]}
    secret = {"name": "hf", "namespace": namespace, "data": {"token": "made up"}}
    pull = {"name": "registry", "namespace": namespace, "data": {".dockerconfigjson": "{}"}}
    return stack.set(buckets=buckets, service_accounts=[account], secrets=[secret, pull])


def _jobset(**keys: object) -> Stack:
    """The small platform with a JobSet whose pods have all of PODS."""
    stack = a_platform().drop("workloads", 0, "script").set("workloads", 0, command=["train"], host_network=False)
    return with_what_pods_name(stack.set("workloads", 0, **PODS).set("workloads", 0, **keys))


def _job(**keys: object) -> Stack:
    """The small platform with a Job of another namespace in no queue, whose pods have all of PODS."""
    job = {"name": "job", "namespace": "research", "queue": "any", "image": _IMAGE, **PODS, **keys}
    queue = {"name": "any", "flavors": [{"name": "any", "resources": {"cpu": "4"}}]}
    stack = (
        a_platform().add("flavors", name="any").add("queues", 0, "local_queues", name="research", namespace="research")
    )
    stack = stack.add("queues", **queue, local_queues=[{"name": "any", "namespace": "research"}])
    return with_what_pods_name(stack.set(workloads=[job]), "research")


_BESIDE: Final[dict[str, Any]] = {"name": "eval", "image": _IMAGE, "replicas": 2, "pods": 2, **PODS}
BROKEN: dict[str, dict[str, Stack]] = {
    "mount-paths-differ": {
        "two volumes in one folder": _jobset(mounts=[*PODS["mounts"], {"secret": "hf", "path": "/data"}]),
    },
}
SOUND: dict[str, Stack] = {
    "every key of the pods of a JobSet": _jobset(),
    "every key of the pods of a Job on a slice": _job(
        kind="tpu-job", queue="research", priority="normal", flavor="v5e-2x4", pool="v5e1", script="sleep 60",
        maintenance={"checkpoint_seconds": 30},
    ),
    "every key of the pods of a batch job": _job(
        kind="batch-job", pods=2, script="sleep 60", resources={"cpu": "1"}, restart_policy="Never", backoff_limit=2,
        pod_failure_policy=[{"action": "FailJob", "on_exit_codes": [3]}],
    ),
    "resources of a Job on a slice": _job(
        kind="tpu-job", queue="research", priority="normal", flavor="v5e-2x4", pool="v5e1", script="sleep 60",
        resources={"cpu": "2"}, backoff_limit=1, privileged=True, host_network=False,
    )
    .set("queues", 1, "flavors", 0, resources={"cpu": "4"})
    .add("queues", 0, "flavors", name="any", resources={"cpu": "4"}),
    "a command of a batch job": _job(kind="batch-job", pods=2, command=["load"]),
    "every key of the pods of a job beside slices": with_what_pods_name(
        a_platform().set("workloads", 0, replicated_jobs=[{**_BESIDE, "command": ["eval"], "args": ["--all"]}])
    ),
    "every key of a manifest": example("ray").set("workloads", 0, namespace="default"),
    "a protected instance, whose claim is read in part": with_lustre(protect=True).set(
        "workloads", 0, mounts=[{"claim": "scratch", "path": "/scratch", "sub_path": "a", "read_only": True}]
    ),
    "a protected disk": with_disk(protect=True),
    "a share that the API lets go, and a Redis of another namespace": a_platform()
    .set(shared_storage=[{
        "name": "share", "tier": "ZONAL", "location": "us-west4-a", "share": "data", "capacity_gib": 1024,
        "claims": [{"name": "data", "namespace": "research"}], "deletion_protection": False,
    }])
    .add(
        "workloads", name="leader", kind="redis", namespace="research", image="registry.example/redis:7.2",
        resources={"cpu": "500m", "memory": "1Gi"}, mounts=[{"claim": "data", "path": "/data"}],
    ),
    "a request for nodes with all settings": asking(a_platform()).set("admission_checks", 0, provisioning={
        "class_name": "check-capacity.autoscaling.x-k8s.io", "managed_resources": ["google.com/tpu"],
        "parameters": {"maxRunDurationSeconds": "3600"}, "retries": 2,
    }),
    "a queue that says when it tries the next flavor": a_platform().set(
        "queues", 0, fungibility={"when_can_borrow": "MayStopSearch", "when_can_preempt": "MayStopSearch"}
    ),
    "weights of cohorts": a_platform()
    .set(
        cohorts=[{"name": "lab", "parent": "all", "fair_share_weight": 2}, {"name": "all"}],
        controllers={"kueue": {"fair_sharing": True}},
    )
    .set("queues", 0, cohort="lab"),
    "add-ons": a_platform().set("cluster", addons={"ray_operator": True, "gcs_fuse": True}),
    "controllers that are installed": a_platform().set(
        controllers={"kueue": {"install": True}, "jobset": {"install": True}}
    ),
    "a network of smaller packets": a_platform().set("network", mtu=1460),
    "an Autopilot cluster with all settings": on_autopilot().set(
        "cluster", control_plane_cidr="172.16.0.0/28", private_endpoint=True,
        authorized_networks=[{"name": "office", "cidr": "10.20.0.0/16"}], addons={"ray_operator": True},
        maintenance={"exclusions": [{
            "name": "launch", "start": "2026-12-01T00:00:00Z", "end": "2026-12-03T00:00:00Z", "scope": "NO_UPGRADES",
        }]},
    ),
    "a cluster whose slices are all declared": in_existing_cluster().set("cluster", other_slices=False),
    "spot nodes": a_platform().add(
        "node_pools", name="spot", machine_type="e2-standard-4", nodes=1, zones=["us-west4-a"], spot=True
    ),
    "quota of preemptible GPUs": a_platform().set(
        quota=[{"region": "us-west4", "gpu": "nvidia-l4", "class": "preemptible", "count": 4}]
    ),
    "slices with labels and an upgrade of few": a_platform().set(
        "tpu_slices", 0, labels={"team": "vision"}, upgrade={"max_surge": 0, "max_unavailable": 1}
    ),
}  # fmt: skip
