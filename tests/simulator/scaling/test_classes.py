"""ComputeClasses: the autoscaler brings the first machines that are in stock, in the order of the class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.eventually import eventually
from tests.simulator.scaling.builders import GPU, TPU, Waiting
from tests.simulator.scaling.test_provision import labels_of, provisioning, the_pool

if TYPE_CHECKING:
    from simulator.cloud.api import Body
    from simulator.scaling.scaling import Scaling
    from tests.simulator.scaling.conftest import Scene

_LABEL: Final = "cloud.google.com/compute-class"
_V6E: Final = {"type": "tpu-v6e-slice", "count": 4, "topology": "2x4"}
_T4: Final = {"type": "nvidia-tesla-t4", "count": 1}
_ALONE: Final[Body] = {"initialNodeCount": 1, "locations": ["us-west4-a"]}
_OWN: Final[Body] = {"labels": {_LABEL: "any"}, "taints": [{"key": _LABEL, "value": "any", "effect": "NO_SCHEDULE"}]}
_CHAIN: Final[list[dict[str, Any]]] = [
    {"nodepools": ["mine"]},
    {"tpu": _V6E, "spot": True},
    {"tpu": _V6E, "flexStart": {"enabled": True}, "maxRunDurationSeconds": 3600},
]


def a_class(scene: Scene, *priorities: dict[str, Any], **spec: object) -> None:
    """The class `any`, which lets GKE make pools."""
    stated = {"priorities": list(priorities), "nodePoolAutoCreation": {"enabled": True}, **spec}
    document = {"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass", "metadata": {"name": "any"}}
    scene.memory.put("/apis/cloud.google.com/v1/computeclasses/any", {**document, "spec": stated})


def begin_with(scene: Scene, *priorities: dict[str, Any], **spec: object) -> Scaling:
    """The autoscaler of a cluster in one zone that has the class."""
    scaling = scene.begin(_ALONE)
    a_class(scene, *priorities, **spec)
    return scaling


def a_pod(name: str = "p", resource: str = "", amount: str = "4", **spec: object) -> Waiting:
    """A pod of the class; tolerating, as GKE lets it, the taints of the class and of accelerators."""
    tolerations = [{"key": key, "operator": "Exists"} for key in (_LABEL, TPU, GPU)]
    requests = {resource: amount} if resource else {"cpu": "1"}
    return Waiting(name, requests, {"tolerations": tolerations, **spec}).selecting(compute_class="any")


def own_pool(scene: Scene, **config: object) -> None:
    """The declared pool `mine` of one multi-host slice, which belongs to the class."""
    scene.pool(
        "mine",
        {
            "config": {"machineType": "ct6e-standard-4t", **_OWN, **config},
            "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
            "initialNodeCount": 0,
            "locations": ["us-west4-a"],
            "autoscaling": {"enabled": True, "minNodeCount": 0, "maxNodeCount": 2, "locationPolicy": "ANY"},
        },
    )


def test_the_first_priority_comes_while_it_is_in_stock(scene: Scene) -> None:
    scene.begin(_ALONE)
    own_pool(scene)
    a_class(scene, *_CHAIN)
    scene.submit(a_pod("p", TPU))
    scene.await_nodes("mine", 2)
    assert "pod triggered scale-up" in scene.await_event("p", "TriggeredScaleUp")


def test_the_chain_is_walked_by_stock(scene: Scene) -> None:
    scaling = scene.begin(_ALONE)
    own_pool(scene)
    a_class(scene, *_CHAIN)
    scaling.change_stock(["tpu-v6e-slice:on-demand", "tpu-v6e-slice:spot"], [])
    scene.submit(a_pod("p", TPU))
    pool = the_pool(scene, 2)
    assert "GCE out of resources" in scene.await_event("p", "FailedScaleUp")
    assert pool["config"]["flexStart"]
    assert pool["config"]["maxRunDuration"] == "3600s"
    assert labels_of(scene, pool)[_LABEL] == "any"
    assert _OWN["taints"][0] in pool["config"]["taints"]
    assert scene.nodes("mine") == []


def test_a_pod_waits_when_no_priority_can_bring_nodes(scene: Scene) -> None:
    scaling = begin_with(
        scene,
        {"machineType": "n4-standard-4", "spot": True},
        {"machineType": "n4-standard-4"},
        whenUnsatisfiable="DoNotScaleUp",
    )
    scaling.change_stock(["n4-standard-4"], [])
    scene.submit(a_pod())
    assert "in backoff after failed scale-up" in scene.await_event("p", "NotTriggerScaleUp")


def test_a_pod_gets_other_nodes_when_the_class_says_so(scene: Scene) -> None:
    scaling = begin_with(scene, {"machineType": "n4-standard-4"}, whenUnsatisfiable="ScaleUpAnyway")
    scaling.change_stock(["n4-standard-4"], [])
    scene.submit(a_pod())
    pool = eventually(lambda: [the_pool(scene, 1)])[0]
    assert pool["config"]["machineType"].startswith("e2-")
    assert labels_of(scene, pool)[_LABEL] == "any"


@pytest.mark.parametrize(
    ("priority", "pod", "machine", "config"),
    [
        ({"machineType": "n2-standard-8"}, a_pod(), "n2-standard-8", {}),
        ({"machineFamily": "n2", "spot": True}, a_pod(), "n2-highcpu-2", {"spot": True}),
        ({}, a_pod(), "e2-highcpu-2", {}),
        ({"gpu": _T4, "machineType": "n1-standard-4"}, a_pod("p", GPU, "1"), "n1-standard-4", {}),
        ({"gpu": {**_T4, "count": 2}, "machineFamily": "n1"}, a_pod("p", GPU, "1"), "n1-standard-1", {}),
        (
            {
                "tpu": {**_V6E, "topology": "2x2"},
                "reservations": {"affinity": "Specific", "specific": [{"name": "mine", "project": "shared"}]},
                "location": {"zones": ["us-west4-b"]},
            },
            a_pod("p", TPU),
            "ct6e-standard-4t",
            {
                "reservationAffinity": {
                    "consumeReservationType": "SPECIFIC_RESERVATION",
                    "key": "compute.googleapis.com/reservation-name",
                    "values": ["projects/shared/reservations/mine"],
                }
            },
        ),
    ],
)
def test_a_priority_says_the_machines(
    scene: Scene, priority: dict[str, Any], pod: Waiting, machine: str, config: dict[str, Any]
) -> None:
    begin_with(scene, priority)
    scene.submit(pod)
    pool = the_pool(scene, 1)
    assert pool["config"]["machineType"] == machine
    assert pool["config"].items() >= config.items()
    zones = priority.get("location", {}).get("zones", ["us-west4-a"])
    assert pool["locations"] == zones


def test_a_second_pod_takes_the_pool_that_the_class_has(scene: Scene) -> None:
    begin_with(scene, {"machineType": "n2-standard-2"})
    scene.submit(a_pod("first", "cpu", "1500m"))
    the_pool(scene, 1)
    scene.submit(a_pod("second", "cpu", "1500m"))
    the_pool(scene, 2)


def test_no_pool_is_made_for_a_class_that_may_not(scene: Scene) -> None:
    begin_with(scene, {"machineFamily": "n2"}, nodePoolAutoCreation={"enabled": False})
    scene.submit(a_pod())
    scene.await_event("p", "NotTriggerScaleUp")
    assert scene.pools() == ["default-pool"]


def test_a_class_keeps_to_the_limits_of_auto_provisioning(scene: Scene) -> None:
    scene.begin(provisioning(("cpu", 40), ("memory", 200)))
    a_class(scene, {"gpu": _T4, "machineFamily": "n1"})
    scene.submit(a_pod("p", GPU, "1"))
    reason = scene.await_event("p", "NotTriggerScaleUp")
    assert "node auto-provisioning has no resource limit for nvidia-tesla-t4" in reason


@pytest.mark.parametrize(
    ("priority", "pod", "reason"),
    [
        (
            {"tpu": {"type": "tpu-v6e-slice", "count": 4}},
            a_pod("p", TPU),
            "no machine type with 4 chips makes tpu-v6e-slice slices of topology None",
        ),
        ({"tpu": {}, "machineFamily": "n2"}, a_pod("p", TPU), "Insufficient google.com/tpu"),
        ({"gpu": {"count": 1}}, a_pod("p", GPU, "1"), "None is not a GPU known here"),
        ({"nodepools": []}, a_pod(), ""),
        ({"podFamily": "general-purpose"}, a_pod(), "podFamily of ComputeClass any is not modelled"),
    ],
)
def test_half_a_priority_brings_nothing(scene: Scene, priority: dict[str, Any], pod: Waiting, reason: str) -> None:
    begin_with(scene, priority)
    scene.submit(pod)
    assert reason in scene.await_event("p", "NotTriggerScaleUp")
