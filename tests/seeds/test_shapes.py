"""Figures that a tutorial names beside those of its own example."""

from __future__ import annotations

import json

from tests.program.harness import run_program
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, a_platform


def test_a_4x4_slice_has_four_hosts_and_so_up_to_four_nodes() -> None:
    zone = "us-east5-b"
    slices = {"name": "v6e", "machine_type": "ct6e-standard-4t", "topology": "4x4", "zone": zone}
    stack = (
        a_platform()
        .set(tpu_slices=[{**slices, "capacity": "flex-start"}], flavors=[], queues=[], workloads=[])
        .set("cluster", location="us-east5")
        .set("node_pools", 0, zones=[zone])
    )
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert run.exit_code is None, run.log
    pool = run.one("NodePool", "v6e").inputs
    assert pool["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}
    assert pool["initialNodeCount"] == 0
