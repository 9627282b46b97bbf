"""Sizes follow the pods that wait: growing, stock-outs, shrinking, repair; over the real cloud's rules."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, Kind
from simulator.cloud.service import merged
from simulator.scaling.supply import Group, GroupReader, groups
from simulator.scaling.times import Times, UnknownNameError
from tests.eventually import eventually
from tests.simulator.conftest import CLUSTER, ZONE
from tests.simulator.scaling.builders import FLEX_SLICE, SLICE, TPU, Waiting

if TYPE_CHECKING:
    from simulator.cloud.cloud import Survey
    from tests.simulator.scaling.conftest import Scene

_FIXED: Body = {key: value for key, value in SLICE.items() if key != "autoscaling"} | {"initialNodeCount": 2}
"""A pool of one slice that stays."""


def workers(count: int, name: str = "w", topology: str = "2x4") -> list[Waiting]:
    """Workers of a v6e slice."""
    return [Waiting(f"{name}{index}").on_slice("tpu-v6e-slice", topology) for index in range(count)]


def cpu_pool(**autoscaling: object) -> Body:
    """A pool of e2-standard-4 in two zones."""
    return {
        "config": {"machineType": "e2-standard-4"},
        "locations": ["us-west4-a", "us-west4-b"],
        "autoscaling": {"enabled": True, **autoscaling},
    }


def test_a_slice_comes_whole_after_its_queue_and_goes_whole_when_idle(scene: Scene) -> None:
    scaling = scene.begin()
    scaling.set_times(Times(scan=0, queue=120, idle=600))
    pool = scene.pool("flex", FLEX_SLICE)
    scene.submit(*workers(2))
    link = "https://www.googleapis.com/compute/v1/projects/acme/zones/us-west4-a/instanceGroups/"
    message = scene.await_event("w1", "TriggeredScaleUp")
    assert message.startswith(f"pod triggered scale-up: [{{{link}gke-tpu-")
    assert message.endswith(" 0->2 (max: 2)}]")
    assert scene.nodes("flex") == []
    assert scaling.status(CLUSTER)["pools"][-1]["target"] == 2
    scene.clock.advance(120)
    first, second = scene.await_nodes("flex", 2)

    scene.bind("w0", first)
    scene.bind("w1", second)
    scene.clock.advance(3600)
    scene.end("w0")
    scene.clock.advance(700)
    scene.looked_at()
    assert scene.nodes("flex") == [first, second], "one host is still in use"
    scene.end("w1")
    scene.looked_at()
    scene.clock.advance(599)
    scene.looked_at()
    assert scene.nodes("flex") == [first, second]
    scene.clock.advance(2)
    scene.await_nodes("flex", 0)
    assert scene.cloud.get(pool)["status"] == "RUNNING"


def test_it_is_at_work_until_it_waits_for_a_moment_or_a_change(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scaling = scene.begin()
    eventually(lambda: not scaling.is_at_work(), what="nothing is to be done")
    scaling.set_times(Times(scan=60))
    scene.submit(*workers(1))
    eventually(lambda: scaling.status(CLUSTER)["pending"], what="the pod is seen")
    eventually(lambda: not scaling.is_at_work(), what="it waits until the pod has waited long enough")
    survey, gate = scene.cloud.survey, threading.Event()

    def survey_later(cluster: str) -> Survey:
        assert gate.wait(10)
        return survey(cluster)

    monkeypatch.setattr(scene.cloud, "survey", survey_later)
    scaling.set_times(Times(scan=0))
    assert scaling.is_at_work()
    gate.set()
    eventually(lambda: not scaling.is_at_work(), what="it has looked")


def test_a_gang_does_not_grow_for_a_third_worker(scene: Scene) -> None:
    scene.begin()
    scene.pool("slice", SLICE)
    scene.submit(*workers(3))
    scene.await_nodes("slice", 2)
    assert scene.await_event("w2", "NotTriggerScaleUp") == (
        "pod didn't trigger scale-up: 1 max node group size reached"
    )


def test_leaders_of_two_jobs_get_a_slice_each(scene: Scene) -> None:
    scene.begin()
    for name in ("one", "two"):
        scene.pool(name, SLICE)
    leaders = workers(2)
    scene.submit(leaders[0].exclusive("job-0"), leaders[1].exclusive("job-1"))
    scene.await_nodes("one", 2)
    scene.await_nodes("two", 2)


def test_out_of_stock_is_told_and_tried_again(scene: Scene) -> None:
    scaling = scene.begin()
    pool = scene.pool("slice", SLICE)
    assert scaling.change_stock(["ct6e-standard-4t@us-west4-a"], []) == ["ct6e-standard-4t@us-west4-a"]
    scene.submit(*workers(2))
    assert scene.await_event("w0", "FailedScaleUp") == (
        "Node scale up in zones us-west4-a associated with this pod failed: GCE out of resources. "
        "Pod is at risk of not being scheduled."
    )
    assert scene.await_event("w0", "NotTriggerScaleUp").endswith(": 1 in backoff after failed scale-up")
    pending = scaling.status(CLUSTER)["pending"]
    assert pending[0] == {
        "pod": "team/w0",
        "reason": "GCE out of resources in us-west4-a; 1 in backoff after failed scale-up",
    }
    group = next(each for each in scene.cloud.list(Kind.INSTANCE_GROUP) if each["pool"] == pool)
    eventually(lambda: scene.cloud.get(group["apiName"])["targetSize"] == 0)
    assert scaling.change_stock([], ["ct6e-standard-4t"]) == []
    scene.looked_at()
    assert scene.nodes("slice") == [], "it is left alone for a while"
    scene.clock.advance(101)
    scene.await_nodes("slice", 2)


def test_a_pool_that_is_made_without_stock_is_in_error_and_comes_later(scene: Scene) -> None:
    scaling = scene.begin()
    scaling.change_stock(["ct6e-standard-4t"], [])
    operation = scene.create(Kind.NODE_POOL, f"{CLUSTER}/nodePools/slice", _FIXED)
    assert operation["error"] is not None
    assert operation["error"]["message"].startswith("ZONE_RESOURCE_POOL_EXHAUSTED: The zone 'projects/acme/zones/us-")
    pool = scene.cloud.get(f"{CLUSTER}/nodePools/slice")
    assert (pool["status"], pool["conditions"][0]["code"]) == ("ERROR", "GCE_STOCKOUT")
    scaling.change_stock([], ["ct6e-standard-4t"])
    scene.clock.advance(2000)
    scene.await_nodes("slice", 2)


@pytest.mark.parametrize(
    ("limits", "pods", "by_zone"),
    [
        ({"maxNodeCount": 5}, 4, (2, 2)),
        ({"maxNodeCount": 1}, 4, (1, 1)),
        ({"totalMaxNodeCount": 3}, 4, (2, 1)),
        ({"maxNodeCount": 5, "locationPolicy": "ANY"}, 3, (3, 0)),
    ],
)
def test_single_nodes_come_as_needed_within_limits(
    scene: Scene, limits: dict[str, object], pods: int, by_zone: tuple[int, int]
) -> None:
    scene.begin()
    scene.pool("cpu", cpu_pool(**limits))
    scene.submit(*(Waiting(f"p{index}", {"cpu": "3"}) for index in range(pods)))
    scene.await_nodes("cpu", sum(by_zone))
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in scene.pool_nodes("cpu")]
    assert sorted((zones.count("us-west4-a"), zones.count("us-west4-b")), reverse=True) == list(by_zone)


def test_small_pods_share_a_node_and_the_smallest_machine_is_taken(scene: Scene) -> None:
    scene.begin()
    scene.pool("large", merged(cpu_pool(maxNodeCount=9), {"config": {"machineType": "e2-standard-16"}}))
    scene.pool("small", cpu_pool(maxNodeCount=9))
    scene.submit(*(Waiting(f"p{index}", {"cpu": "1"}) for index in range(3)))
    scene.await_event("p0", "TriggeredScaleUp")
    scene.looked_at()
    scene.await_nodes("small", 1)
    assert scene.nodes("large") == []


def test_pods_of_low_priority_wait_for_others_to_go(scene: Scene) -> None:
    scaling = scene.begin()
    scene.pool("cpu", cpu_pool(maxNodeCount=9))
    scene.submit(Waiting("low", {"cpu": "3"}, spec={"priority": -11}), Waiting("odd", {TPU: "1"}))
    scene.await_event("odd", "NotTriggerScaleUp")
    assert [each["pod"] for each in scaling.status(CLUSTER)["pending"]] == ["team/odd"]
    assert scene.nodes("cpu") == []


def test_an_empty_node_goes_but_never_below_the_minimum(scene: Scene) -> None:
    scene.begin()
    body = merged(cpu_pool(minNodeCount=1, maxNodeCount=3), {"initialNodeCount": 3, "locations": ["us-west4-a"]})
    scene.pool("cpu", body)
    first, second, third = scene.await_nodes("cpu", 3)
    scene.submit(Waiting("p", {"cpu": "1"}))
    scene.bind("p", second)
    scene.looked_at()
    scene.clock.advance(601)
    assert scene.await_nodes("cpu", 1) == [second]
    assert {first, third}.isdisjoint(scene.nodes("cpu"))
    scene.end("p")
    scene.looked_at()
    scene.clock.advance(6000)
    scene.looked_at()
    assert scene.nodes("cpu") == [second]


def test_a_lost_host_takes_its_slice_and_auto_repair_makes_it_anew(scene: Scene) -> None:
    scaling = scene.begin()
    scene.pool("slice", _FIXED)
    before = scene.await_nodes("slice", 2)
    assert scaling.lose(before[0]) == before
    status = scaling.status(CLUSTER)["pools"][-1]
    assert (status["nodes"], status["lost"], status["target"]) == (0, 2, 2)
    scene.clock.advance(601)
    after = eventually(lambda: scene.nodes("slice"), lambda names: len(names) == 2 and names != before)
    assert set(after).isdisjoint(before)
    with pytest.raises(UnknownNameError, match="no node pool with nodes, and no node, is named gone"):
        scaling.lose("gone")


def test_without_auto_repair_a_lost_slice_stays_until_the_autoscaler_removes_it(scene: Scene) -> None:
    scaling = scene.begin()
    scene.pool("flex", FLEX_SLICE)
    scene.submit(*workers(2))
    names = scene.await_nodes("flex", 2)
    for pod, node in zip(("w0", "w1"), names, strict=True):
        scene.bind(pod, node)
    scaling.lose("flex")
    scene.clock.advance(1000)
    scene.looked_at()
    assert scene.nodes("flex") == names
    for pod in ("w0", "w1"):
        scene.memory.delete(f"/api/v1/namespaces/team/pods/{pod}", {"gracePeriodSeconds": 0})
    scene.submit(*workers(2, "again"))
    assert scene.await_event("again0", "NotTriggerScaleUp").endswith("max node group size reached")
    scene.looked_at()
    scene.clock.advance(1201)
    eventually(lambda: scene.nodes("flex"), lambda now: len(now) == 2 and set(now).isdisjoint(names))


def test_flex_start_ends_after_its_run_duration(scene: Scene) -> None:
    scene.begin()
    scene.pool("flex", merged(FLEX_SLICE, {"config": {"maxRunDuration": "3600s"}}))
    scene.submit(*workers(2))
    for pod, node in zip(("w0", "w1"), scene.await_nodes("flex", 2), strict=True):
        scene.bind(pod, node)
    scene.clock.advance(3601)
    scene.await_nodes("flex", 0)
    assert scene.memory.items("/api/v1/namespaces/team/pods") == []


def test_a_new_autoscaler_gives_up_what_nobody_brings(scene: Scene) -> None:
    scene.make_cluster()
    pool = scene.pool("slice", SLICE)
    scene.stock.change(out=["ct6e-standard-4t"])
    group = next(each["apiName"] for each in scene.cloud.list(Kind.INSTANCE_GROUP) if each["pool"] == pool)
    scene.update(group, {"targetSize": 2})
    assert scene.cloud.get(group)["targetSize"] == 2
    scene.begin()
    eventually(lambda: scene.cloud.get(group)["targetSize"] == 0)


def test_times_are_checked() -> None:
    assert Times().changed({"idle": 5}).idle == 5
    for wanted, text in (
        ({"rest": 1.0}, "no time named rest"),
        ({"idle": -1.0}, "idle: -1.0 is not a number of seconds"),
    ):
        with pytest.raises(UnknownNameError, match=text):
            Times().changed(wanted)


def test_only_groups_that_changed_are_read_again(scene: Scene) -> None:
    scene.make_cluster()
    pools = [scene.pool(name, cpu_pool(maxNodeCount=2) | {"locations": [ZONE]}) for name in ("one", "two")]
    reader = GroupReader()

    def read() -> dict[str, Group]:
        return {group.pool: group for group in reader.read(scene.cloud.survey(CLUSTER))}

    before = read()
    scene.update(before[pools[0]].name, {"targetSize": 1})
    after = read()
    assert [after[pool] is before[pool] for pool in pools] == [False, True]
    assert [after[pool].size for pool in pools] == [1, 0]
    assert reader.read(scene.cloud.survey(CLUSTER)) == groups(scene.cloud.survey(CLUSTER))
