"""The stream of a preview that changes as many slices and workloads as a test asks for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_POOL: Final = "gcp:container/nodePool:NodePool"
_JOBSET: Final = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"
_BROKEN: Final = 100
"""One of so many breaks a policy."""


def change(count: int) -> list[str]:
    """The stream of a preview that changes `count` resources: slices, some of them replaced, and workloads on them."""
    return [json.dumps(event) for number in range(count) for event in _events(number)] + [
        json.dumps({"summaryEvent": {"result": "failed"}})
    ]


def _events(number: int) -> Iterator[dict[str, Any]]:
    op = ("create", "update", "replace", "delete")[number // 2 % 4]
    is_pool = bool(number % 2)
    type_, made = (_POOL, _pool) if is_pool else (_JOBSET, _run)
    old, new = made(number, 2), made(number, 4)
    urn = f"urn:pulumi:large::bench::{type_}::{'slice' if is_pool else 'run'}-{number}"
    forced = {"placementPolicy.tpuTopology" if is_pool else "spec": {"diffKind": "update-replace"}}
    metadata = {
        "op": op,
        "urn": urn,
        "type": type_,
        "old": None if op == "create" else {"inputs": old, "custom": True},
        "new": None if op == "delete" else {"inputs": new, "custom": True},
        "detailedDiff": forced if op == "replace" else None,
    }
    yield {"resourcePreEvent": {"metadata": metadata}}
    if number % _BROKEN == 0:
        said = {"policyName": f"policy-{number % 7}", "message": f"It holds.\n{urn} breaks it. Mend it.\n"}
        yield {"policyEvent": {**said, "resourceUrn": urn, "enforcementLevel": "mandatory", "severity": "high"}}


def _pool(number: int, hosts: int) -> dict[str, Any]:
    return {
        "name": f"slice-{number}",
        "cluster": "large",
        "location": "us-west4",
        "nodeLocations": ["us-west4-a"],
        "nodeCount": hosts,
        "nodeConfig": {"machineType": "ct5lp-hightpu-4t", "diskType": "pd-balanced"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4" if hosts == 2 else "4x4"},
    }


def _run(number: int, hosts: int) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": "registry.example/train:1.0",
        "resources": {"limits": {"google.com/tpu": "4"}},
    }
    pods = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    job = {"spec": {"parallelism": hosts, "completions": hosts, "template": pods}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": f"run-{number}", "namespace": "default"},
        "spec": {"replicatedJobs": [{"name": "slice", "replicas": 1, "template": job}]},
    }
