"""A platform that another kubernetes plugin brings up, changes and removes: a double of the official one.

The plugin pulls the charts of Kueue and JobSet from the simulator's registry, by the references that the stack names.
The gcp side stays with the stand-in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import yaml

from simulator.providers.plugins import PLUGINS_VARIABLE, launcher
from tests.control_plane.life import (
    assert_destroy_leaves_nothing,
    assert_nothing_to_change,
    assert_preview_was_complete,
    start_up,
)
from tests.harness import Simulator, project_with
from tests.official.double import write_double
from tests.official.plugins import Official
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform

if TYPE_CHECKING:
    from pathlib import Path

STACK: Final = "small"
_QUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/research"


def _text(stack: Stack) -> str:
    return yaml.safe_dump({"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: stack.platform}})


def test_another_kubernetes_plugin_brings_a_platform_up_changes_and_removes_it(
    simulator: Simulator, tmp_path: Path
) -> None:
    stack = a_platform().set(workloads=[]).set("cluster", deletion_protection=False)
    project = project_with(tmp_path / "project", {STACK: _text(stack)})
    folder = Official(write_double(tmp_path / "double")).only("kubernetes", tmp_path / "kubernetes")
    used = replace(simulator, project=project, variables={PLUGINS_VARIABLE: str(folder)})

    life = start_up(used, STACK)
    assert str(tmp_path / "double") in launcher(used.home, "kubernetes").read_text()
    assert "simulator.providers gcp" in launcher(used.home, "gcp").read_text()
    assert_preview_was_complete(life)
    assert_nothing_to_change(life)
    api = used.api()
    served = {each["metadata"]["name"] for each in api.items("/apis/apiregistration.k8s.io/v1/apiservices")}
    assert "v1beta2.kueue.x-k8s.io" in served
    assert not [name for name in served if "visibility" in name]

    changed = stack.set("queues", 0, "flavors", 0, chips=8)
    (project / f"Pulumi.{STACK}.yaml").write_text(_text(changed))
    assert used.preview_steps(STACK) == {"research": "update"}
    used.up(STACK)
    (flavor,) = api.get(_QUEUE)["spec"]["resourceGroups"][0]["flavors"]
    assert flavor["resources"] == [{"name": "google.com/tpu", "nominalQuota": "8"}]
    assert_destroy_leaves_nothing(life)
