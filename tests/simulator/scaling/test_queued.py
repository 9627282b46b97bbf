"""Queued pools grow for ProvisioningRequests alone: queue, stock-outs, bookings, ends; over the real cloud's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.cloud.api import Body, Kind, Operation
from simulator.cloud.service import merged
from simulator.scaling.asking import Asking
from simulator.scaling.times import Times
from tests.eventually import eventually
from tests.simulator.conftest import CLUSTER, ZONE
from tests.simulator.scaling.builders import QUEUED_SLICE, Waiting
from tests.simulator.scaling.test_provision import provisioning

if TYPE_CHECKING:
    from components.kubeapi import Document
    from simulator.scaling.scaling import Scaling
    from simulator.scaling.supply import Group
    from tests.simulator.scaling.conftest import Scene

_LONG_AGO = "2026-11-21T10:00:00Z"
_HOSTS = merged(QUEUED_SLICE, {"placementPolicy": None, "autoscaling": {"maxNodeCount": 4}})


def a_worker(name: str = "w", topology: str = "2x4") -> Waiting:
    """A pod that takes a whole host of a v6e slice on queued nodes."""
    return Waiting(name).on_slice("tpu-v6e-slice", topology).queued()


def with_flex(scene: Scene, **times: float) -> Scaling:
    """The autoscaler, with times in seconds, of a cluster with the queued pool `flex` of one slice at zero."""
    scaling = scene.begin()
    if times:
        scaling.set_times(Times(scan=0, **times))
    scene.pool("flex", QUEUED_SLICE)
    return scaling


def test_a_request_brings_a_slice_whole_after_its_queue(scene: Scene) -> None:
    with_flex(scene, queue=120)
    unread = {"topology": "2x4"}  # GKE does not read it either
    scene.ask("train-1", a_worker(), 2, parameters={"maxRunDurationSeconds": "3600", **unread})
    assert scene.await_condition("train-1", "Accepted", reason="SuccessfullyQueued") == (
        "Provisioning Request was successfully queued."
    )
    details = scene.details("train-1")
    assert details.pop("NodeGroupName").startswith("gke-tpu-")
    assert details.pop("ResizeRequestName").startswith("gke-team-train-1-")
    assert details == {
        "NodePoolName": "flex",
        "AcceleratorType": "tpu-v6e-slice",
        "SelectedZone": ZONE,
        "NodePoolAutoProvisioned": "false",
        "PodTemplateName": "ppt-train-1",
        "ProvisioningMode": "resize_request",
    }
    scene.looked_at()
    scene.clock.advance(119)
    scene.looked_at()
    assert scene.nodes("flex") == []
    scene.clock.advance(1)
    scene.await_nodes("flex", 2)
    scene.await_condition("train-1", "Provisioned")
    name = scene.details("train-1")["ResizeRequestName"]
    for node in scene.pool_nodes("flex"):
        assert node["metadata"]["labels"]["autoscaling.gke.io/provisioning-request"] == name
        assert {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"} in node["spec"]["taints"]


def test_ordinary_pods_make_no_queued_node_come(scene: Scene) -> None:
    with_flex(scene)
    scene.submit(a_worker("plain"))
    assert scene.await_event("plain", "NotTriggerScaleUp").endswith("1 node pool takes ProvisioningRequests only")
    assert scene.nodes("flex") == []


def test_pods_of_a_request_make_no_other_node_come(scene: Scene) -> None:
    scene.begin()
    scene.pool("plain", merged(QUEUED_SLICE, {"queuedProvisioning": None}))
    scene.submit(a_worker("mine").consuming("train-1"))
    assert scene.await_event("mine", "NotTriggerScaleUp") == (
        "pod didn't trigger scale-up: it's consuming ProvisioningRequest team/train-1"
    )
    assert scene.nodes("plain") == []


def test_out_of_stock_stays_in_the_queue_until_stock_is_back(scene: Scene) -> None:
    scaling = with_flex(scene)
    scaling.change_stock(["ct6e-standard-4t"], [])
    scene.ask("train-1", a_worker(), 2)
    message = "Waiting for resources. Currently there are not enough resources available to fulfill the request."
    assert scene.await_condition("train-1", "Provisioned", "False", "ResourcePoolExhausted") == message
    assert {"request": "team/train-1", "reason": message} in scaling.status(CLUSTER)["pending"]
    scene.date("train-1", _LONG_AGO)
    for _ in range(3):
        scene.clock.advance(1000)
        scene.looked_at()
    assert scene.conditions("train-1")["Accepted"] == ("True", "SuccessfullyQueued")
    assert "Failed" not in scene.conditions("train-1")
    assert scene.dates("train-1") == {"Accepted": _LONG_AGO, "Provisioned": _LONG_AGO}, "what is said again is old"
    scaling.change_stock([], ["ct6e-standard-4t"])
    scene.await_nodes("flex", 2)
    scene.await_condition("train-1", "Provisioned")
    dates = scene.dates("train-1")
    assert (dates["Accepted"], dates["Provisioned"] > _LONG_AGO) == (_LONG_AGO, True)


def test_a_change_of_stock_does_not_shorten_the_queue(scene: Scene) -> None:
    scaling = with_flex(scene, queue=120)
    scene.ask("train-1", a_worker(), 2)
    scene.await_condition("train-1", "Accepted", reason="SuccessfullyQueued")
    scaling.change_stock(["nvidia-tesla-t4"], [])
    scene.looked_at()
    assert scene.nodes("flex") == []
    scene.clock.advance(121)
    scene.await_nodes("flex", 2)


def test_booked_nodes_wait_for_their_pods_and_go_with_them(scene: Scene) -> None:
    with_flex(scene, queue=0, idle=60, booking=600)
    scene.ask("train-1", a_worker(), 2)
    first, second = scene.await_nodes("flex", 2)
    scene.await_condition("train-1", "Provisioned")
    scene.clock.advance(590)
    scene.looked_at()
    assert scene.nodes("flex") == [first, second], "they are booked"
    for pod, node in (("w0", first), ("w1", second)):
        scene.submit(a_worker(pod).consuming("train-1"))
        scene.bind(pod, node)
    scene.looked_at()
    scene.clock.advance(11)
    scene.await_condition("train-1", "BookingExpired")
    scene.end("w0", "w1")
    scene.looked_at()
    scene.clock.advance(61)
    scene.await_nodes("flex", 0)


def test_a_booking_expires_when_no_pods_come(scene: Scene) -> None:
    with_flex(scene, queue=0, idle=60, booking=600)
    scene.ask("train-1", a_worker(), 1, parameters={"maxRunDurationSeconds": "7200"})
    scene.await_condition("train-1", "Provisioned")
    scene.clock.advance(601)
    assert scene.await_condition("train-1", "BookingExpired").startswith(
        "Capacity booking for the Provisioning Request"
    )
    scene.looked_at()
    assert len(scene.nodes("flex")) == 2, "a slice comes whole, also for one pod; it is empty from now on"
    scene.clock.advance(61)
    scene.await_nodes("flex", 0)
    assert "CapacityRevoked" not in scene.conditions("train-1")
    scene.clock.advance(7200)
    scene.await_condition("train-1", "CapacityRevoked")


def test_nodes_live_as_long_as_their_request_says(scene: Scene) -> None:
    with_flex(scene)
    scene.ask("train-1", a_worker(), 2, parameters={"maxRunDurationSeconds": "3600"})
    for pod, node in zip(("w0", "w1"), scene.await_nodes("flex", 2), strict=True):
        scene.submit(a_worker(pod).consuming("train-1"))
        scene.bind(pod, node)
    scene.await_condition("train-1", "Provisioned")
    scene.clock.advance(601)
    scene.await_condition("train-1", "BookingExpired")
    scene.clock.advance(3000)
    scene.await_nodes("flex", 0)
    scene.await_condition("train-1", "CapacityRevoked")


def test_a_request_that_is_withdrawn_gives_its_place_and_its_booking_back(scene: Scene) -> None:
    with_flex(scene, queue=120, idle=60)
    scene.ask("first", a_worker(), 2)
    scene.await_condition("first", "Accepted", reason="SuccessfullyQueued")
    scene.ask("second", a_worker(), 2)
    scene.await_condition("second", "Accepted", "False", "NotAccepted")
    scene.withdraw("first")
    scene.await_condition("second", "Accepted", reason="SuccessfullyQueued")
    scene.clock.advance(121)
    scene.await_nodes("flex", 2)
    scene.await_condition("second", "Provisioned")
    scene.withdraw("second")
    scene.looked_at()
    scene.clock.advance(61)
    scene.await_nodes("flex", 0)


def test_a_request_without_room_is_kept_a_while_and_then_fails(scene: Scene) -> None:
    scaling = scene.begin()
    scaling.set_times(Times(scan=0, queue=0, refuse=120))
    scene.pool("hosts", _HOSTS)
    scene.ask("large", a_worker(topology="2x2"), 5)
    scene.await_condition("large", "Accepted", "False", "NotAccepted")
    message = "Max nodepool size reached, affected nodepools: hosts"
    eventually(lambda: {"request": "team/large", "reason": message} in scaling.status(CLUSTER)["pending"])
    scene.clock.advance(121)
    assert scene.await_condition("large", "Failed", reason="NodepoolSizeReached") == message
    assert scene.nodes("hosts") == []


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        (
            {"provisioningClassName": "check-capacity.autoscaling.x-k8s.io"},
            "NotModelled",
            (
                "The simulated autoscaler knows the provisioning class queued-provisioning.gke.io, and not "
                "check-capacity.autoscaling.x-k8s.io."
            ),
        ),
        (
            {"parameters": {"capacitySearchStrategy": "OBTAINABILITY"}},
            "NotModelled",
            "The simulated autoscaler does not know capacitySearchStrategy OBTAINABILITY.",
        ),
        (
            {"parameters": {"maxRunDurationSeconds": "1h"}},
            "InvalidArgumentMaxRunDurationParseError",
            "Additional parameter maxRunDurationSeconds could not be parsed.",
        ),
        (
            {"parameters": {"maxRunDurationSeconds": "60"}},
            "InvalidArgumentMaxRunDuration",
            "maxRunDurationSeconds is 60, and not from 600 to 604800.",
        ),
    ],
)
def test_what_is_not_understood_fails_at_once(scene: Scene, spec: Document, reason: str, message: str) -> None:
    with_flex(scene)
    scene.ask("train-1", a_worker(), 2, **spec)
    assert scene.await_condition("train-1", "Failed", reason=reason) == message
    assert scene.nodes("flex") == []


@pytest.mark.parametrize(
    ("pools", "pods", "reason", "message"),
    [
        (
            {"flex": QUEUED_SLICE},
            (a_worker(), 3),
            "ProvisioningRequestSingleZoneInfeasible",
            "Provisioning Request cannot be scheduled in a single zone of a single nodepool, affected nodepools: flex",
        ),
        (
            {"flex": QUEUED_SLICE, "hosts": _HOSTS},
            (Waiting("w").on_slice("tpu-v6e-slice", "2x4"), 2),
            "ProvisioningRequestNotSchedulableInNodepool",
            (
                "Provisioning Request's pods cannot be scheduled in the nodepool. Predicate checking errors: flex "
                "(node(s) had untolerated taint {cloud.google.com/gke-queued: true}), hosts (node(s) didn't match "
                "Pod's node affinity/selector)"
            ),
        ),
        ({}, (a_worker(), 2), "NoQueuedNodepool", "No node pool of the cluster has queued provisioning."),
    ],
    ids=["two slices", "other pods", "no queued pool"],
)
def test_what_stands_in_the_way_is_told(
    scene: Scene, pools: dict[str, Body], pods: tuple[Waiting, int], reason: str, message: str
) -> None:
    scene.begin().set_times(Times(scan=0, queue=0, refuse=0))
    for name, body in pools.items():
        scene.pool(name, body)
    scene.ask("train-1", *pods)
    assert scene.await_condition("train-1", "Failed", reason=reason) == message


def test_limits_of_the_cluster_stand_in_the_way(scene: Scene) -> None:
    scene.begin(provisioning(("tpu-v6e-slice", 4))).set_times(Times(scan=0, queue=0, refuse=0))
    scene.pool("flex", QUEUED_SLICE)
    scene.ask("train-1", a_worker(), 2)
    assert scene.await_condition("train-1", "Failed", reason="OutOfResources") == (
        "Max cluster limit reached, nodepools out of resources: flex (max cluster tpu-v6e-slice limit reached)"
    )


def test_a_pool_that_is_still_being_made_stands_in_the_way(scene: Scene) -> None:
    scene.begin().set_times(Times(scan=0, queue=0, refuse=0))
    scene.cloud.set_pace({Kind.NODE_POOL: 60.0})
    scene.cloud.create(Kind.NODE_POOL, f"{CLUSTER}/nodePools/flex", QUEUED_SLICE)
    scene.ask("train-1", a_worker(), 2)
    assert scene.await_condition("train-1", "Failed", reason="NodepoolNotReady") == (
        "Nodepool not ready for scale-up, affected nodepools: flex"
    )


def test_each_request_takes_the_smallest_pool_that_is_free(scene: Scene) -> None:
    scene.begin()
    large = merged(QUEUED_SLICE, {"placementPolicy": {"tpuTopology": "4x4"}, "autoscaling": {"maxNodeCount": 4}})
    for name, body in {"large": large, "slice1": QUEUED_SLICE, "slice2": QUEUED_SLICE}.items():
        scene.pool(name, body)
    worker = a_worker()
    del worker.selector["cloud.google.com/gke-tpu-topology"]
    for name in ("one", "two", "three"):
        scene.ask(name, worker, 2)
        scene.await_condition(name, "Provisioned")
    one, two, three = (scene.details(name)["NodePoolName"] for name in ("one", "two", "three"))
    assert ({one, two}, three) == ({"slice1", "slice2"}, "large")


def test_requests_share_a_pool_of_single_hosts(scene: Scene) -> None:
    scene.begin()
    scene.pool("hosts", _HOSTS)
    scene.ask("one", a_worker(topology="2x2"), 1)
    scene.ask("three", a_worker(topology="2x2"), 3)
    scene.await_nodes("hosts", 4)
    scene.await_condition("one", "Provisioned")
    scene.await_condition("three", "Provisioned")
    labels = [
        node["metadata"]["labels"]["autoscaling.gke.io/provisioning-request"] for node in scene.pool_nodes("hosts")
    ]
    assert sorted(map(labels.count, set(labels))) == [1, 3]


def test_requests_that_are_due_at_once_get_their_nodes_although_the_first_come_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Asking.update

    def at_once(asking: Asking, group: Group, **wish: Any) -> Operation | None:  # noqa: ANN401  as the real one
        operation = update(asking, group, **wish)
        return None if operation is None else scene.cloud.wait(operation["name"], 60.0)

    monkeypatch.setattr(Asking, "update", at_once)
    scene.begin().set_times(Times(scan=0, queue=1000))
    scene.pool("hosts", _HOSTS)
    scene.ask("one", a_worker(topology="2x2"), 1)
    scene.ask("three", a_worker(topology="2x2"), 3)
    scene.await_condition("one", "Accepted", reason="SuccessfullyQueued")
    scene.await_condition("three", "Accepted", reason="SuccessfullyQueued")
    scene.clock.advance(1001)
    scene.await_nodes("hosts", 4)
    scene.await_condition("three", "Provisioned")


def test_a_pool_that_goes_takes_its_requests_with_it(scene: Scene) -> None:
    scene.begin().set_times(Times(scan=0, queue=1000))
    pool = scene.pool("flex", QUEUED_SLICE)
    scene.ask("train-1", a_worker(), 2)
    scene.await_condition("train-1", "Accepted", reason="SuccessfullyQueued")
    scene.delete(pool)
    scene.await_condition("train-1", "Failed", reason="MissingResizeRequest")


def test_a_new_autoscaler_goes_on_with_requests(scene: Scene) -> None:
    with_flex(scene, queue=1000)
    scene.ask("train-1", a_worker(), 2)
    scene.await_condition("train-1", "Accepted", reason="SuccessfullyQueued")
    assert scene.scaling is not None
    scene.scaling.ends(CLUSTER)
    scene.begin()
    scene.await_nodes("flex", 2)
    scene.await_condition("train-1", "Provisioned")
    scene.scaling.ends(CLUSTER)
    scene.clock.advance(601)
    scene.begin()
    scene.await_condition("train-1", "BookingExpired")


def test_after_a_restart_a_request_keeps_its_place_before_later_ones(scene: Scene) -> None:
    with_flex(scene, queue=1000)
    scene.ask("first", a_worker(), 2)
    scene.await_condition("first", "Accepted", reason="SuccessfullyQueued")
    assert scene.scaling is not None
    scene.scaling.ends(CLUSTER)
    scene.ask("second", a_worker(), 2)
    scene.begin()
    scene.await_condition("first", "Provisioned")
    assert scene.conditions("second")["Accepted"] == ("False", "NotAccepted")


def test_a_request_waits_for_its_template(scene: Scene) -> None:
    scaling = with_flex(scene)
    scene.ask("train-1", a_worker(), 2, podSets=[{"podTemplateRef": {"name": "later"}, "count": 2}])
    reason = "its PodTemplate is not there"
    eventually(lambda: {"request": "team/train-1", "reason": reason} in scaling.status(CLUSTER)["pending"])
    template = scene.memory.get("/api/v1/namespaces/team/podtemplates/ppt-train-1")
    scene.memory.put(
        "/api/v1/namespaces/team/podtemplates/later",
        {**template, "metadata": {"name": "later", "namespace": "team"}},
    )
    scene.clock.advance(11)
    scene.await_nodes("flex", 2)
