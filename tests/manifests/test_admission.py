"""Admissions that do not hold: what Kueue is configured with, and what flavors then select."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from components.manifests.charts import kueue_values
from components.manifests.kueue import cluster_queue
from tests.stacks import Stack, a_platform

_SHAPE = {"machine_type": "ct6e-standard-4t", "topology": "2x4"}
_RESERVED = {"capacity": "reservation", "reservation": "v6e"}
_MODES: dict[str, dict[str, str]] = {
    "reserved": _RESERVED,
    "flex": {"capacity": "flex-start"},
    "spot": {"capacity": "spot"},
}
_SELECTED = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"}


def _configuration(stack: Stack) -> dict[str, Any]:
    controllers = stack.plan().controllers
    assert controllers.kueue is not None
    values = kueue_values(controllers.kueue, controllers)
    return yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])


def _waiting(**kueue: object) -> Stack:
    return a_platform().set(controllers={"kueue": kueue})


@pytest.mark.parametrize("release", ["0.16.2", "0.19.2"])
def test_a_stated_wait_is_written_whole_and_the_gate_against_it_is_not(release: str) -> None:
    written = _configuration(_waiting(version=release, pods_ready={"timeout_seconds": 1800}))

    assert written["waitForPodsReady"] == {
        "timeout": "1800s",
        "recoveryTimeout": "1800s",
        "blockAdmission": False,
        "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600},
    }
    assert "featureGates" not in written


def test_every_part_of_a_wait_is_written() -> None:
    requeue = {"base_seconds": 10, "max_seconds": 20, "limit": 3, "timestamp": "Creation"}
    stated = {"timeout_seconds": 900, "recovery_timeout_seconds": 0, "block_admission": True, "requeue": requeue}

    assert _configuration(_waiting(pods_ready=stated))["waitForPodsReady"] == {
        "timeout": "900s",
        "recoveryTimeout": "0s",
        "blockAdmission": True,
        "requeuingStrategy": {
            "timestamp": "Creation",
            "backoffBaseSeconds": 10,
            "backoffMaxSeconds": 20,
            "backoffLimitCount": 3,
        },
    }


def test_all_flavors_at_once_need_a_gate_and_a_policy_of_the_queue() -> None:
    policy = {"mode": "TryPreferredFlavors", "last_acceptable_flavor": "v5e-2x4"}
    stack = a_platform().set("queues", 0, concurrent_admission=policy)

    assert _configuration(stack)["featureGates"] == {"DisableWaitForPodsReady": True, "ConcurrentAdmission": True}
    migration = {"mode": "TryPreferredFlavors", "constraints": {"lastAcceptableFlavorName": "v5e-2x4"}}
    spec = cluster_queue(stack.plan().queues[0])["spec"]
    assert spec.get("concurrentAdmissionPolicy") == {"migration": migration}


def test_a_queue_that_keeps_the_first_admission_has_no_constraint() -> None:
    stack = a_platform().set("queues", 0, concurrent_admission={"mode": "RetainFirstAdmission"})

    spec = cluster_queue(stack.plan().queues[0])["spec"]
    assert spec.get("concurrentAdmissionPolicy") == {"migration": {"mode": "RetainFirstAdmission"}}


def _labels(stack: Stack) -> dict[str, dict[str, str]]:
    flavors = [{"name": name, **_SHAPE, **mode} for name, mode in _MODES.items()]
    plan = stack.set(flavors=flavors).plan()
    return {flavor.name: {**flavor.labels} for flavor in plan.flavors}


def test_flavors_between_which_workloads_move_select_by_the_same_keys_but_for_flex_start() -> None:
    provisioning = "cloud.google.com/gke-provisioning"

    assert _labels(_waiting(pods_ready={"timeout_seconds": 900})) == {
        "reserved": {**_SELECTED, provisioning: "standard"},
        "flex": {**_SELECTED, provisioning: "flex-start", "cloud.google.com/gke-flex-start": "true"},
        "spot": {**_SELECTED, provisioning: "spot"},
    }


def test_flavors_that_workloads_keep_select_by_the_label_of_their_capacity_type() -> None:
    assert _labels(a_platform()) == {
        "reserved": {**_SELECTED, "cloud.google.com/reservation-name": "v6e"},
        "flex": {**_SELECTED, "cloud.google.com/gke-flex-start": "true"},
        "spot": {**_SELECTED, "cloud.google.com/gke-spot": "true"},
    }
