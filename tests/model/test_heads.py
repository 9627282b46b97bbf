"""The plan of Pathways and Ray: quota for heads, who writes the scratch bucket, what the cluster needs."""

from __future__ import annotations

import pytest

from tests.model.catalogue.head import pathways, ray
from tests.stacks import Stack, a_platform


def _quotas(stack: Stack) -> list[dict[str, str]]:
    """The quotas of ordinary resources of each queue's flavors."""
    return [
        {name: str(amount) for name, amount in share.quotas.items()}
        for queue in stack.plan().queues
        for share in queue.resources
    ]


def test_the_quota_of_heads_is_what_all_of_the_queue_request() -> None:
    assert _quotas(pathways()) == [{"cpu": "28", "memory": "132G"}]
    assert _quotas(ray()) == [{"cpu": "4500m", "memory": "16584Mi"}]
    both = pathways().add("workloads", **ray(head={"resources": {"cpu": "2"}}).platform["workloads"][0])
    assert _quotas(both) == [{"cpu": "30500m", "memory": "132209715200"}]


def test_sidecars_of_a_head_count() -> None:
    sidecar = {"name": "logs", "image": "registry.example/logs:1.0", "resources": {"cpu": "1"}}
    assert _quotas(pathways(sidecars=[sidecar])) == [{"cpu": "29", "memory": "132G"}]


def test_a_quota_that_is_stated_stays() -> None:
    stated = {"cpu": "64", "memory": "256Gi"}
    assert _quotas(pathways().set("queues", 0, "flavors", 1, resources=stated)) == [stated]


def test_only_heads_of_the_queue_itself_count() -> None:
    stack = pathways().add("queues", name="other", flavors=[{"name": "cpu"}], local_queues=[{"name": "other"}])
    first, second = stack.plan().queues
    assert len(first.resources) == 1
    assert (second.resources, [share.name for share in second.flavors]) == ((), ["cpu"])


@pytest.mark.parametrize("key", ["borrow", "lend"])
def test_a_share_with_keys_of_chips_is_not_made_a_quota_of_heads(key: str) -> None:
    stack = pathways().set("queues", 0, "flavors", 1, **{key: 8})
    assert [finding.rule for finding in stack.findings()] == ["quota-fits-flavor", "limits-need-a-cohort"]


def test_the_pods_that_write_the_scratch_bucket_may() -> None:
    (bucket,) = pathways().plan().buckets
    assert [writer.name for writer in bucket.writers] == ["nodes"]
    autopilot = pathways().drop("node_pools").drop("tpu_slices").set("cluster", mode="autopilot").plan()
    (bucket,) = autopilot.buckets
    assert [writer.name for writer in bucket.writers] == ["default"]


def test_a_ray_workload_brings_the_operator_and_kueues_integration() -> None:
    plain, with_ray = a_platform().plan(), ray().plan()
    assert (plain.cluster.has_ray_operator, with_ray.cluster.has_ray_operator) == (False, True)
    added = [name for name in with_ray.controllers.frameworks if name not in plain.controllers.frameworks]
    assert added == ["ray.io/rayjob", "ray.io/raycluster"]


@pytest.mark.parametrize("stack", [pathways(), ray()], ids=["pathways", "ray"])
@pytest.mark.parametrize("key", ["failure_policy", "maintenance", "pod_failure_policy"])
def test_rules_for_failures_are_refused_with_what_there_is_instead(stack: Stack, key: str) -> None:
    nothing: dict[str, str] = {}
    report = stack.set("workloads", 0, **{key: nothing}).reading().report
    assert f"workloads[0].{key}: unknown key of kind {stack.platform['workloads'][0]['kind']}" in report
    assert "Every failure counts: max_restarts is how often it starts again" in report


def test_the_operator_can_be_had_for_workloads_of_others() -> None:
    plan = a_platform().set("cluster", addons={"ray_operator": True}).plan()
    assert plan.cluster.has_ray_operator
    assert "ray.io/rayjob" in plan.controllers.frameworks


def test_an_older_version_than_the_operators_first_is_refused() -> None:
    stack = ray().set("cluster", minimum_version="1.29.5-gke.1000000")
    assert [(finding.rule, finding.says) for finding in stack.findings()] == [
        ("version-floor", "1.29.5-gke.1000000 is older than the first version with the Ray operator.")
    ]
