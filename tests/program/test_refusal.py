"""A stack file with an error: one message, nothing registered, no traceback."""

from __future__ import annotations

import json

import pytest

from components.refusal import ALREADY_TOLD
from tests.program.harness import MISSING, run_program
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform, in_existing_cluster

_BROKEN = {
    "an unknown key": a_platform().set(clutser={}),
    "a topology that v5e does not have": a_platform().set("tpu_slices", 0, topology="3x4"),
    "a quota in quotes": a_platform().set("queues", 0, "flavors", 0, chips="16"),
    "an empty platform": Stack({}),
    "a text": Stack("multislice"),  # pyright: ignore[reportArgumentType]  a user may write this
}


@pytest.mark.parametrize("stack", _BROKEN.values(), ids=_BROKEN)
def test_an_error_is_told_once_and_nothing_is_registered(stack: Stack) -> None:
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert run.exit_code == ALREADY_TOLD
    assert run.resources == []
    ((level, text),) = run.log
    assert level == "error"
    assert text.endswith("1 error; nothing was changed.")


def test_an_existing_cluster_that_is_not_there_is_told_once_and_without_a_traceback() -> None:
    stack = in_existing_cluster().set("cluster", existing={"name": MISSING, "location": "us-west4"})
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert (run.exit_code, run.resources) == (ALREADY_TOLD, [])
    ((level, text),) = run.log
    assert level == "error"
    assert text == (
        f"tpu-platform:platform: cluster.existing.name: tpu-sandbox has no cluster {MISSING} in us-west4.\n"
        "  Did you mean multislice-cluster? `gcloud container clusters list --project tpu-sandbox` lists them with "
        "their locations.\n"
        "  [existing-cluster-exists] gcp.container.getCluster\n\n"
        "1 error; nothing was changed."
    )


def test_no_configuration_at_all_is_an_error() -> None:
    run = run_program("test", {})
    assert (run.exit_code, run.resources, len(run.log)) == (ALREADY_TOLD, [], 1)


def test_a_warning_does_not_stop() -> None:
    stack = a_platform().set("tpu_slices", 0, zone="us-west4-b")
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)})
    assert run.exit_code is None
    assert [level for level, _ in run.log] == ["warning"]
    assert run.log[0][1].endswith("\n\n1 warning.")
    assert run.of("JobSet")
