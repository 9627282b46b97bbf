"""Shares and buckets as the program registers them."""

from __future__ import annotations

import json

from tests.program.harness import ADDRESS, Run, run_program
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform

_NODES = "serviceAccount:ml-nodes@tpu-sandbox.iam.gserviceaccount.com"
_SHARE = {
    "name": "data",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 2560,
    "claims": [{"name": "data"}, {"name": "data", "namespace": "research"}],
}


def _run(stack: Stack) -> Run:
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert run.exit_code is None, run.log
    return run


def test_claims_of_two_namespaces_have_a_volume_each_on_one_share() -> None:
    run = _run(a_platform().set(shared_storage=[_SHARE]))
    instance = run.one("Instance", "data")
    assert instance.inputs["fileShares"] == {"name": "data", "capacityGb": 2560}
    assert instance.inputs["networks"] == [{"network": "ml", "modes": ["MODE_IPV4"]}]
    assert instance.inputs["deletionProtectionEnabled"] is True
    volumes = {each.name: each.inputs["spec"] for each in run.of("PersistentVolume")}
    assert {name: spec["nfs"] for name, spec in volumes.items()} == {
        "data-default-data": {"server": ADDRESS, "path": "/data"},
        "data-research-data": {"server": ADDRESS, "path": "/data"},
    }
    claims = {each.name: each for each in run.of("PersistentVolumeClaim")}
    assert {name: claim.inputs["spec"]["volumeName"] for name, claim in claims.items()} == {
        "default/data": "data-default-data",
        "research/data": "data-research-data",
    }
    needed = claims["research/data"].options["dependencies"]
    assert {"kubernetes:core/v1:Namespace::research", instance.reference} <= set(needed)
    assert run.outputs["shared_storage"] == [
        {
            "name": "data",
            "tier": "ZONAL",
            "location": "us-west4-a",
            "address": ADDRESS,
            "path": "/data",
            "capacity_gib": 2560,
            "claims": [{"namespace": "default", "name": "data"}, {"namespace": "research", "name": "data"}],
        }
    ]


def test_a_namespace_of_a_queue_and_a_claim_is_made_once() -> None:
    stack = a_platform().set(shared_storage=[_SHARE]).add("queues", 0, "local_queues", name="r", namespace="research")
    assert [each.name for each in _run(stack).of("Namespace")] == ["research"]


def test_a_tier_without_protection_is_not_asked_for_it() -> None:
    share = {**_SHARE, "tier": "BASIC_HDD", "protect": True}
    instance = _run(a_platform().set(shared_storage=[share])).one("Instance", "data")
    assert "deletionProtectionEnabled" not in instance.inputs
    assert instance.options["protect"] is True


def test_nodes_may_write_buckets_made_here_and_there_before() -> None:
    run = _run(a_platform().set(buckets=[{"name": "new", "location": "us-west4"}, {"name": "old"}]))
    (bucket,) = run.of("Bucket")
    assert (bucket.name, bucket.inputs["location"], bucket.inputs["uniformBucketLevelAccess"]) == (
        "new",
        "us-west4",
        True,
    )
    grants = [(each.inputs["bucket"], each.inputs["role"], each.inputs["member"]) for each in run.of("BucketIAMMember")]
    assert grants == [("new", "roles/storage.objectUser", _NODES), ("old", "roles/storage.objectUser", _NODES)]
