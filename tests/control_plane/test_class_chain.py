"""A stack with a ComputeClass: brought up, and up again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.control_plane.edited import EditedStack

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

_KEPT = ("services", "labels", "network", "cluster", "node_pools", "quota", "tpu_slices")


def test_a_second_up_and_a_refresh_change_nothing(simulator: Simulator, tmp_path: Path) -> None:
    stack = EditedStack(simulator, "multislice", tmp_path / "project")
    whole: dict[str, Any] = stack.read()
    platform = {name: section for name, section in whole.items() if name in _KEPT}
    shape = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
    pools = [{**whole["tpu_slices"][0], "autoscaled": True}]
    stack.write(
        {
            **platform,
            "tpu_slices": pools,
            "controllers": {"kueue": {"install": False}, "jobset": {"install": False}},
            "compute_classes": [
                {"name": "any-v5e", "priorities": [{"node_pools": [pools[0]["name"]]}, {**shape, "capacity": "spot"}]}
            ],
        }
    )
    stack.up()
    assert stack.steps() == {}
    stack.simulator.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes", "--stack", "multislice")
    assert stack.steps() == {}
