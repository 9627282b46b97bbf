"""Pools that nobody declared: Autopilot, and node auto-provisioning on a Standard cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator.cloud.api import Body, Kind
from tests.eventually import eventually
from tests.simulator.conftest import CLUSTER
from tests.simulator.scaling.builders import GPU, Waiting

if TYPE_CHECKING:
    from tests.simulator.scaling.conftest import Scene

_AUTOPILOT: Final[Body] = {"autopilot": {"enabled": True}}
_LIMITS: Final = (("cpu", 40), ("memory", 200), ("nvidia-tesla-t4", 2))


def provisioning(*limits: tuple[str, int]) -> Body:
    """A Standard cluster with node auto-provisioning and those limits."""
    listed = [{"resourceType": name, "maximum": most} for name, most in limits]
    return {
        "initialNodeCount": 1,
        "locations": ["us-west4-a"],
        "autoscaling": {"enableNodeAutoprovisioning": True, "resourceLimits": listed},
    }


def the_pool(scene: Scene, nodes: int) -> Body:
    """The one provisioned pool once it has so many nodes."""

    def found() -> list[Body]:
        pools = scene.cloud.list(Kind.NODE_POOL, f"{CLUSTER}/")
        return [pool for pool in pools if pool["name"].startswith("nap-") and len(scene.nodes(pool["name"])) == nodes]

    (pool,) = eventually(found)
    return pool


def labels_of(scene: Scene, pool: Body) -> dict[str, str]:
    """The labels of the pool's first node."""
    return scene.pool_nodes(pool["name"])[0]["metadata"]["labels"]


@pytest.mark.parametrize(
    ("pod", "machine", "nodes", "config"),
    [
        (Waiting("p", {"cpu": "500m", "memory": "2Gi"}), "e2-standard-2", 1, {}),
        (Waiting("p", {"cpu": "6", "memory": "2Gi"}), "e2-standard-8", 1, {}),
        (Waiting("p", {"cpu": "2", "memory": "100Gi"}), "e2-highmem-16", 1, {}),
        (Waiting("p", {"ephemeral-storage": "100Gi"}), "e2-standard-2", 1, {"diskSizeGb": 250}),
        (Waiting("p", {"cpu": "1"}).selecting(gke_spot="true"), "e2-standard-2", 1, {"spot": True}),
        (Waiting("p", {"cpu": "500m"}).on_gpu("nvidia-tesla-t4"), "n1-standard-1", 1, {}),
        (Waiting("p", {"cpu": "6"}).on_gpu("nvidia-l4"), "g2-standard-8", 1, {}),
        (Waiting("p").on_gpu("nvidia-l4", 2), "g2-standard-24", 1, {}),
        (Waiting("p").on_slice("tpu-v6e-slice", "2x2"), "ct6e-standard-4t", 1, {}),
        (Waiting("p").on_slice("tpu-v6e-slice", "2x4"), "ct6e-standard-4t", 2, {}),
        (Waiting("p").on_slice("tpu-v6e-slice", "2x4", chips=8), "ct6e-standard-8t", 1, {}),
        (
            Waiting("p").on_slice("tpu-v6e-slice", "4x4").selecting(gke_flex_start="true"),
            "ct6e-standard-4t",
            4,
            {"flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}},
        ),
    ],
)
def test_autopilot_makes_what_a_pod_selects(
    scene: Scene, pod: Waiting, machine: str, nodes: int, config: dict[str, Any]
) -> None:
    scene.begin(_AUTOPILOT)
    assert scene.pools() == []
    scene.submit(pod)
    pool = the_pool(scene, nodes)
    assert pool["config"]["machineType"] == machine
    assert pool["config"].items() >= config.items()
    labels = labels_of(scene, pool)
    assert pod.selector.items() <= labels.items()


def test_jobs_that_want_a_pool_each_get_one_and_it_goes_when_it_is_empty(scene: Scene) -> None:
    scene.begin(_AUTOPILOT)
    for index in range(3):
        scene.submit(Waiting(f"leader{index}").on_slice("tpu-v5-lite-podslice", "2x4").exclusive(f"job-{index}"))
    eventually(lambda: [len(scene.nodes(pool)) for pool in scene.pools()], lambda sizes: sizes == [2, 2, 2])
    for index in range(3):
        scene.memory.delete(f"/api/v1/namespaces/team/pods/leader{index}")
    scene.looked_at()
    scene.clock.advance(601)
    eventually(scene.pools, lambda pools: pools == [])


def test_another_zone_is_tried_when_one_is_out_of_stock(scene: Scene) -> None:
    scaling = scene.begin(_AUTOPILOT)
    zones = sorted(_zones_of_v5e())
    scaling.change_stock([f"ct5lp-hightpu-4t@{zones[0]}"], [])
    scene.submit(Waiting("p").on_slice("tpu-v5-lite-podslice", "2x4"))
    assert f"zones {zones[0]} " in scene.await_event("p", "FailedScaleUp")
    if len(zones) == 1:
        assert "backoff" in scene.await_event("p", "NotTriggerScaleUp")
    else:
        assert labels_of(scene, the_pool(scene, 2))["topology.kubernetes.io/zone"] == zones[1]


def _zones_of_v5e() -> set[str]:
    from components.model.facts.tpu import generation_of  # noqa: PLC0415  for this helper only

    return {zone for zone in generation_of("ct5lp-hightpu-4t").zones if zone.startswith("us-west4-")}


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (
            Waiting("p").on_slice("tpu-v6e-slice", "3x3"),
            "1 no machine type with 4 chips makes tpu-v6e-slice slices of topology 3x3",
        ),
        (Waiting("p").on_gpu("nvidia-voodoo"), "1 nvidia-voodoo is not a GPU known here"),
        (
            Waiting("p", {"cpu": "1"}).selecting(compute_class="fast"),
            "1 there is no ComputeClass fast",
        ),
        (Waiting("p", {GPU: "1"}), "1 pod asks for an accelerator and selects none"),
        (
            Waiting("p").on_slice("tpu7x", "2x2x2"),
            "1 tpu7x slices need a workload policy, which is not provisioned here",
        ),
        (
            Waiting("p", {"cpu": "1"}).selecting(gke_nodepool="mine"),
            "18 node(s) didn't match Pod's node affinity/selector",
        ),
        (
            Waiting("p", {"cpu": "1"}, spec={"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule"}]}),
            "the simulated autoscaler does not model topology spread constraints",
        ),
    ],
)
def test_what_cannot_be_made_is_told(scene: Scene, pod: Waiting, reason: str) -> None:
    scene.begin(_AUTOPILOT)
    scene.submit(pod)
    assert scene.await_event("p", "NotTriggerScaleUp") == f"pod didn't trigger scale-up: {reason}"
    assert scene.pools() == []


def test_a_standard_cluster_provisions_within_its_limits(scene: Scene) -> None:
    scene.begin(provisioning(*_LIMITS))
    scene.submit(*(Waiting(f"p{index}").on_gpu("nvidia-tesla-t4") for index in range(3)))
    pool = the_pool(scene, 2)
    assert pool["autoscaling"]["autoprovisioned"] is True
    reason = scene.await_event("p2", "NotTriggerScaleUp")
    assert "max cluster nvidia-tesla-t4 limit reached" in reason


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (
            Waiting("p").on_slice("tpu-v6e-slice", "2x2"),
            "node auto-provisioning has no resource limit for tpu-v6e-slice",
        ),
        (Waiting("p", {"cpu": "30"}), "max cluster cpu limit reached"),
    ],
)
def test_what_is_above_the_limits_is_told(scene: Scene, pod: Waiting, reason: str) -> None:
    scene.begin(provisioning(("cpu", 20), ("memory", 200)))
    scene.submit(pod)
    assert reason in scene.await_event("p", "NotTriggerScaleUp")


def test_an_ordinary_cluster_provisions_nothing_and_says_nothing(scene: Scene) -> None:
    scene.begin()
    scene.pool("cpu", {"config": {"machineType": "e2-standard-4"}, "initialNodeCount": 1})
    scene.submit(Waiting("p", {"cpu": "8"}))
    eventually(lambda: scene.scaling is not None and scene.scaling.status(CLUSTER)["pending"])
    assert scene.memory.items("/api/v1/namespaces/team/events") == []
    assert scene.pools() == ["cpu", "default-pool"]
