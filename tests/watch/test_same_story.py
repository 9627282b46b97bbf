"""Two timelines are compared by what decides how their story goes on."""

from __future__ import annotations

from tests.timelines import Step, differences, steps_of

_PRINTED = """2 jobs: 2 finished

   time  chips  job         what happened
    +0s      0  team/train  queued in team: requests 8 chips, priority normal (500)
    +0s      8  team/train  Quota reserved in ClusterQueue team, wait time since queued was 0s
    +1s      8  team/train  waits for capacity (2 pods): 0/5 nodes are available
   +10s      8  team/train  nodes are ordered (1 pod): pod triggered scale-up: [{x 0->2 (max: 2)}]
   +10s      8  team/train  slice 0 placed on a node that is gone: n1
  +300s      8  pool flex   2 nodes came: n1, n2
  +310s      8  team/train  slice 0 placed on flex: n1, n2
  +320s      8  low         EvictedDueToPreempted: Preempted to accommodate a workload
  +320s      0  team/train  PreemptedWorkload: Preempted workload default/low
  +330s      0  low         EvictedDueToPreempted: Preempted to accommodate a workload
  +340s      0  plain       3 pods placed on cpu: n5
  +370s      0  team/train  finished: Succeeded, jobset completed successfully
at most 8 chips were admitted at one moment

NAME   READY
"""
_STORY = [
    Step(0, "a", "queued"),
    Step(10, "a", "admitted"),
    Step(70, "a", "finished"),
    Step(0, "b", "queued"),
    Step(80, "b", "admitted"),
    Step(3680, "b", "finished"),
]


def test_what_was_printed_is_read_step_by_step() -> None:
    assert steps_of(_PRINTED) == [
        Step(0, "team/train", "queued"),
        Step(0, "team/train", "admitted"),
        Step(10, "team/train", "nodes ordered"),
        Step(310, "team/train", "slice 0 placed"),
        Step(320, "low", "EvictedDueToPreempted"),
        Step(330, "low", "EvictedDueToPreempted 2"),
        Step(340, "plain", "3 pods placed"),
        Step(370, "team/train", "finished"),
    ]


def test_a_timeline_without_chips_is_read_too() -> None:
    printed = "   time  job    what happened\n    +0s  job-1  created: requests 4 chips\n"
    assert steps_of(printed) == [Step(0, "job-1", "queued")]
    assert steps_of("no jobs") == []


def test_the_same_story_differs_by_no_more_than_its_resolution() -> None:
    later = [Step(step.time + (20 if step.job == "b" else 0), step.job, step.what) for step in _STORY]
    assert differences(_STORY, _STORY, 0) == []
    assert differences(_STORY, later, 20) == []
    slower = [*_STORY[:2], Step(101, "a", "finished"), *_STORY[3:]]
    assert differences(_STORY, slower, 30) == ["durations differ: a, from admitted to finished: 60 s and 91 s"]


def test_a_step_that_one_lacks_is_named() -> None:
    assert differences(_STORY, _STORY[:-1], 30) == ["only one has b: finished"]
    assert differences(_STORY[1:], _STORY, 30) == ["only one has a: queued"]


def test_another_order_is_named() -> None:
    swapped = [*_STORY[:3], Step(0, "b", "queued"), Step(40, "b", "admitted"), Step(3640, "b", "finished")]
    assert differences(_STORY, swapped, 50) == []
    assert differences(_STORY, swapped, 5) == [
        "durations differ: b, from queued to admitted: 80 s and 40 s",
        "order differs: a: finished and b: admitted",
        "order differs: b: admitted and a: finished",
    ]
