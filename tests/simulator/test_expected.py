"""The cluster that a stack file asks for: held to the plan of the same file, and to files that do not say it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.model.plan.cloud import CreatedNetworkPlan
from simulator.cloud.machines import ClusterSpec
from simulator.expected import expected_cluster
from tests.stacks import committed, committed_plan, stack_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a stack file is written."""
    return tmp_path / "Pulumi.test.yaml"


@pytest.mark.parametrize("stack", committed())
def test_it_is_the_cluster_of_the_plan(file: Path, stack: str) -> None:
    file.write_text(stack_file(stack))
    plan = committed_plan(stack)
    cluster, network = plan.cluster, plan.network
    if not isinstance(network, CreatedNetworkPlan):
        assert expected_cluster(file) is None, "the cloud chooses the ranges"
        return
    assert expected_cluster(file) == ClusterSpec(
        name=f"projects/{plan.project}/locations/{cluster.location}/clusters/{cluster.name}",
        is_autopilot=cluster.mode == "autopilot",
        pod_range=network.pods_cidr,
        service_range=network.services_cidr,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gcp:project: tpu-sandbox", "gcp:region: us-west4"),
        ("name: multislice-cluster", "existing: {name: ours, location: us-west4}"),
        ("services_cidr: 10.8.0.0/20", ""),
        ("services_cidr: 10.8.0.0/20", "services_cidr: [10.8.0.0/20]"),
        ("services_cidr: 10.8.0.0/20", "services_cidr: 10.8.0.0/33"),
        ("pods_cidr: 10.4.0.0/16", "pods_cidr: 10.4.0.1/32"),
        ("tpu-platform:platform:", "other:platform:"),
        ("pods_cidr: 10.4.0.0/16", "pods_cidr: fd00::/64"),
        ("config:", "config: {"),
    ],
)
def test_there_is_none_where_the_file_does_not_say_it_all(file: Path, old: str, new: str) -> None:
    text = stack_file("multislice")
    assert old in text
    file.write_text(text.replace(old, new))
    assert expected_cluster(file) is None


def test_there_is_none_in_a_file_that_cannot_be_read(file: Path) -> None:
    assert expected_cluster(file) is None
    file.write_bytes(b"\xff")
    assert expected_cluster(file) is None
