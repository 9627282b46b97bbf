"""A workload with every kind of storage and everything that pods may have, beside the workloads of another test.

It requests more chips than are free, at the lowest priority: it waits, so the other test goes as without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from simulator.client import RemoteCloud
from simulator.cloud.api import Kind
from simulator.cloud.secrets import OF_SCENARIO
from tests.stacks import GCP_PROJECT

if TYPE_CHECKING:
    from tests.harness import Simulator

NAME: Final = "stored"
_ZONE: Final = "us-west4-a"
_IMAGE: Final = "registry.example/train:1.0"
_HF: Final = "hf-token"
_SECONDS: Final = 60.0
_BUCKETS: Final = ("stored-data", "stored-checkpoints")
_RUN: Final[dict[str, Any]] = {
    "name": NAME,
    "kind": "jobset",
    "queue": "multislice-queue",
    "priority": "low",
    "flavor": "vlp-24",
    "slices": 3,
    "image": _IMAGE,
    "script": "echo trained",
    "host_network": False,
    "service_account": "trainer",
    "env": {
        "STEPS": "10",
        "TOKEN": {"secret": "wandb", "key": "token"},
        "NODE": {"field": "spec.nodeName"},
    },
    "mounts": [
        {"bucket": "stored-data", "path": "/data", "profile": "training", "read_only": True},
        {"bucket": "stored-checkpoints", "path": "/out", "profile": "checkpointing", "only_dir": "run"},
        {"claim": "lustre", "path": "/lustre"},
        {"claim": "model", "path": "/model", "read_only": True},
        {"checkpoints": True, "path": "/checkpoints"},
        {"ephemeral": "5Gi", "path": "/scratch"},
        {"secret": "wandb", "path": "/wandb", "read_only": True},
        {"secret_manager": _HF, "path": "/hf"},
    ],
    "sidecars": [
        {
            "name": "logs",
            "image": "registry.example/logs:1.0",
            "script": "tail -f /scratch/log",
            "mounts": [{"ephemeral": "5Gi", "path": "/scratch"}],
        }
    ],
    "labels": {"team": "vision"},
    "annotations": {"example.com/ticket": "ML-7"},
    "image_pull_secrets": ["registry"],
    "maintenance": {"checkpoint_seconds": 120},
    "failure_policy": {
        "max_restarts": 3,
        "rules": [
            {"name": "bug", "action": "FailJobSet", "on_exit_codes": [42]},
            {"action": "FailJobSet", "on_reasons": ["DeadlineExceeded"]},
        ],
    },
    "success_policy": {"operator": "All", "replicated_jobs": ["slice"]},
    "replicated_jobs": [
        {
            "name": "eval",
            "image": _IMAGE,
            "script": "echo good",
            "depends_on": [{"name": "slice", "status": "Ready"}],
            "mounts": [{"secret_manager": _HF, "path": "/hf"}],
            "service_account": "trainer",
        }
    ],
}
_SECTIONS: Final[dict[str, Any]] = {
    "lustre": [
        {
            "name": "lustre",
            "location": _ZONE,
            "filesystem": "stored",
            "throughput": 1000,
            "capacity_gib": 9000,
            "claims": [{"name": "lustre"}],
        }
    ],
    "disks": [
        {
            "name": "model",
            "kind": "ml",
            "zone": _ZONE,
            "size_gib": 100,
            "access": "ReadOnlyMany",
            "throughput": 2400,
            "claims": [{"name": "model"}],
        },
        {"name": "work", "kind": "balanced", "zone": _ZONE, "size_gib": 50, "claims": [{"name": "work"}]},
    ],
    "service_accounts": [{"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}],
    "secrets": [
        {"name": "wandb", "data": {"token": {"secure": "v1:AAAA:BBBB"}}},
        {"name": "registry", "data": {".dockerconfigjson": {"secure": "v1:CCCC:DDDD"}}},
    ],
}


def with_storage(platform: dict[str, Any]) -> dict[str, Any]:
    """The platform of `multislice` with the workload and all that it mounts."""
    buckets = [{"name": name, "location": "us-west4", "force_destroy": True} for name in _BUCKETS]
    checkpoints = {"bucket": _BUCKETS[1], "local_gib": 20}
    return {
        **platform,
        **_SECTIONS,
        "cluster": {**platform["cluster"], "checkpoints": checkpoints},
        "buckets": [*platform.get("buckets", []), *buckets],
        "workloads": [*platform["workloads"], _RUN],
    }


def make_secret(simulator: Simulator) -> None:
    """Make the secret of Secret Manager, as a scenario does in the place of the people who own it: no stack has it."""
    cloud = RemoteCloud(simulator.client)
    made = cloud.create(Kind.CONFIDENTIAL, f"projects/{GCP_PROJECT}/secrets/{_HF}", {"labels": OF_SCENARIO})
    ended = cloud.wait(made["name"], _SECONDS)
    assert (ended["status"], ended["error"]) == ("DONE", None)
