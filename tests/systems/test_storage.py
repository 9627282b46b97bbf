"""The storage stack: pods on Lustre, Hyperdisk ML and Hyperdisk Balanced, and a machine that a ComputeClass brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi.documents import is_true, section
from components.kubeapi.jobs import NODES
from components.kubeapi.owners import JOBS, JOBSETS
from components.model.facts import gke
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
)

if TYPE_CHECKING:
    from tests.harness import Simulator

STACK: Final = "storage"
_CLAIMS: Final = "/api/v1/namespaces/research/persistentvolumeclaims"


@pytest.fixture(scope="module")
def life(simulator: Simulator) -> Life:
    """The stack, brought up and followed until both workloads have ended; nodes stay."""
    simulator.run("exec", "--speed", "60", "--", "true")
    simulator.run("times", "--idle", "86400")
    return bring_up(simulator, STACK)


def test_the_first_preview_shows_every_object_with_its_values(life: Life) -> None:
    assert_preview_was_complete(life)
    machines = [
        (each["machineFamily"], each.get("spot", False)) for each in life.planned("ordinary")["spec"]["priorities"]
    ]
    assert machines == [("n4", True), ("n4", False)]


def test_every_claim_is_bound_to_the_volume_of_its_driver(life: Life, simulator: Simulator) -> None:
    del life
    api = simulator.api()
    volumes = {
        each["metadata"]["name"]: each["spec"]["csi"]["driver"] for each in api.items("/api/v1/persistentvolumes")
    }
    bound = {each["metadata"]["name"]: each for each in api.items(_CLAIMS)}
    assert {each["status"]["phase"] for each in bound.values()} == {"Bound"}
    assert {name: volumes[each["spec"]["volumeName"]]["driver"] for name, each in bound.items()} == {
        "data": "lustre.csi.storage.gke.io",
        "model": "pd.csi.storage.gke.io",
        "report": "pd.csi.storage.gke.io",
    }


def test_both_workloads_complete_with_their_volumes(life: Life, simulator: Simulator) -> None:
    del life
    (jobset,) = simulator.api().items(JOBSETS)
    assert is_true(jobset, "Completed")
    report = next(each for each in simulator.api().items(JOBS) if each["metadata"]["name"] == "report")
    assert is_true(report, "Complete")


def test_the_class_brings_a_spot_machine_of_its_family(life: Life, simulator: Simulator) -> None:
    del life
    labels = [section(node, "metadata", "labels") for node in simulator.api().items(NODES)]
    (own,) = (each for each in labels if each.get(gke.LABEL_COMPUTE_CLASS) == "ordinary")
    assert own[gke.LABEL_SPOT] == "true"
    assert own[gke.LABEL_MACHINE_FAMILY] == "n4"


def test_a_second_preview_and_a_refresh_find_nothing(life: Life) -> None:
    assert_nothing_to_change(life)


def test_no_secret_stands_in_clear_in_the_state_or_a_log(life: Life) -> None:
    assert_no_secret_in_clear(life)


def test_destroy_and_down_leave_no_process_port_or_file(life: Life) -> None:
    assert_destroy_leaves_nothing(life)
