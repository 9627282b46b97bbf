"""A stack whose cluster somebody deletes behind its back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.cloud.api import Kind
from tests.control_plane.edited import without_work
from tests.control_plane.life import assert_nothing_left

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

_STACK: Final = "multislice"


def test_a_stack_whose_cluster_somebody_else_deleted_is_destroyed(simulator: Simulator, tmp_path: Path) -> None:
    stack = without_work(simulator, _STACK, tmp_path / "project")
    used = stack.simulator
    (cluster,) = used.client.call("cloud.list", kind=str(Kind.CLUSTER))
    operation = used.client.call("cloud.delete", name=cluster["apiName"])
    assert used.client.call("cloud.wait", operation=operation["name"], seconds=120)["error"] is None
    used.pulumi("destroy", "--yes", "--skip-preview", "--stack", _STACK)
    assert_nothing_left(used)
    assert stack.recorded() == {}
