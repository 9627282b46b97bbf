"""The order of what happened, the chips under admission, and the placements."""

from __future__ import annotations

import pytest

from tests.watch.records import Story
from tpu.watch.entries import Entry
from tpu.watch.timeline import entries_of, peak, rendered


def told(story: Story) -> list[str]:
    """The timeline's lines without their header, with single spaces."""
    return [" ".join(line.split()) for line in rendered(entries_of(story.record()))][1:]


@pytest.fixture
def story() -> Story:
    """Nothing has happened yet."""
    return Story()


def test_nothing_is_told_of_nothing(story: Story) -> None:
    assert list(rendered(entries_of(story.record()))) == ["nothing happened yet"]
    assert peak(()) == 0


def test_the_tutorials_story_is_told_in_columns(story: Story) -> None:
    for job, chips in (("3slice", 24), ("2slice", 16), ("1slice", 8)):
        story.queued(0, job, chips)
    story.admitted(0, "3slice")
    story.placed(0.81, "3slice-slice-1-0-fr48l", "np2-1")
    story.placed(0.86, "3slice-slice-0-0-2xg9c", "np3-1")
    story.placed(0.95, "3slice-slice-0-1-95ctj", "np3-2")
    story.waits(0, "2slice", "16 more needed")
    story.placed(1.53, "3slice-slice-1-1-4xrj5", "np2-2")
    story.finished(8, "3slice")
    story.admitted(9, "1slice")
    story.admitted(9, "2slice")
    assert "\n".join(rendered(entries_of(story.record()))) == (
        "   time  chips  job     what happened\n"
        "    +0s      0  3slice  queued in team-queue: requests 24 chips\n"
        "    +0s      0  2slice  queued in team-queue: requests 16 chips\n"
        "    +0s      0  1slice  queued in team-queue: requests 8 chips\n"
        "    +0s     24  3slice  Quota reserved\n"
        "    +0s     24  3slice  slice 0 placed on np3: np3-1, np3-2\n"
        "    +0s     24  2slice  waits: 16 more needed\n"
        "    +1s     24  3slice  slice 1 placed on np2: np2-1, np2-2\n"
        "    +8s      0  3slice  finished: Succeeded, jobset completed\n"
        "    +9s      8  1slice  Quota reserved\n"
        "    +9s     24  2slice  Quota reserved"
    )
    assert peak(entries_of(story.record())) == 24


def test_priority_and_absence_of_chips_are_told(story: Story) -> None:
    story.queued(0, "high", 8, priority=("urgent", 1000))
    story.queued(0, "plain", 0)
    assert told(story) == [
        "+0s 0 high queued in team-queue: requests 8 chips, priority urgent (1000)",
        "+0s 0 plain queued in team-queue: requests no chips",
    ]


def test_within_a_second_quota_is_given_back_before_another_takes_it(story: Story) -> None:
    story.queued(0, "a", 24)
    story.admitted(0, "a")
    story.queued(5, "b", 24)
    story.admitted(9, "b")
    story.finished(9, "a")
    assert told(story)[-2:] == ["+9s 0 a finished: Succeeded, jobset completed", "+9s 24 b Quota reserved"]
    assert peak(entries_of(story.record())) == 24


def test_what_was_taken_in_the_same_second_is_given_back_after_it(story: Story) -> None:
    story.queued(0, "quick", 8)
    story.admitted(0, "quick")
    story.finished(0, "quick")
    story.queued(3, "low", 16)
    story.admitted(3, "low")
    story.queued(3, "high", 24)
    story.preempted(3, "low", "high")
    story.admitted(3, "high")
    assert told(story) == [
        "+0s 0 quick queued in team-queue: requests 8 chips",
        "+0s 8 quick Quota reserved",
        "+0s 0 quick finished: Succeeded, jobset completed",
        "+3s 0 low queued in team-queue: requests 16 chips",
        "+3s 0 high queued in team-queue: requests 24 chips",
        "+3s 16 low Quota reserved",
        "+3s 0 low EvictedDueToPreempted: Preempted to accommodate high",
        "+3s 0 low Preempted: Preempted to accommodate high",
        "+3s 24 high Quota reserved",
    ]


def test_preemption_gives_chips_back_once_and_the_victim_takes_them_again(story: Story) -> None:
    story.queued(0, "low", 24)
    story.admitted(0, "low")
    story.queued(4, "high", 24)
    story.preempted(4, "low", "high")
    story.admitted(5, "high")
    story.waits(5, "low", "24 more needed")
    story.finished(9, "high")
    story.admitted(10, "low")
    story.finished(20, "low", "Failed", "jobset failed")
    in_use = [line.split()[1] for line in told(story)]
    assert in_use == ["0", "24", "24", "0", "0", "24", "24", "0", "24", "0"]
    assert told(story)[-1] == "+20s 0 low finished: Failed, jobset failed"
    assert peak(entries_of(story.record())) == 24


@pytest.mark.parametrize("is_series", [False, True], ids=["as before Kueue 0.18", "as from Kueue 0.18 on"])
def test_an_admission_that_was_only_counted_again_is_told_twice(story: Story, is_series: bool) -> None:  # noqa: FBT001  a form
    story.queued(0, "low", 8)
    story.admitted(1, "low", last=9)
    if is_series:
        story.in_newer_form()
    story.preempted(5, "low", "high")
    story.workloads["low"]["status"]["admission"] = {"clusterQueue": "cluster-queue"}
    story.finished(20, "low")
    assert [line.split()[:2] for line in told(story)] == [
        ["+0s", "0"],
        ["+1s", "8"],
        ["+5s", "0"],
        ["+5s", "0"],
        ["+9s", "8"],
        ["+20s", "0"],
    ]


def test_a_workload_that_ends_without_quota_gives_none_back(story: Story) -> None:
    story.queued(0, "a", 24)
    story.finished(3, "a", "OwnerNotFound", "the owner is gone")
    assert told(story)[-1] == "+3s 0 a finished: OwnerNotFound, the owner is gone"


def test_other_events_of_a_workload_are_told_with_their_reason(story: Story) -> None:
    story.queued(0, "a", 8)
    story.event(1, "Workload", "a", "WorkloadRequeued", "put back")
    story.event(2, "Workload", "stranger", "Pending", "of a Workload that is gone")
    story.event(2, "Job", "a", "Suspended", "not about a Workload")
    assert told(story)[1:] == ["+1s 0 a WorkloadRequeued: put back"]


def test_a_slice_is_told_again_after_a_restart(story: Story) -> None:
    story.queued(0, "a", 8)
    for second, pool, suffix in ((1, "np1", "aaaaa"), (30, "np2", "bbbbb")):
        for host in (0, 1):
            story.placed(second + host, f"a-slice-0-{host}-{suffix}", f"{pool}-{host + 1}")
    assert told(story)[1:] == [
        "+2s 0 a slice 0 placed on np1: np1-1, np1-2",
        "+31s 0 a slice 0 placed on np2: np2-1, np2-2",
    ]


def test_a_start_that_was_broken_off_is_not_mixed_with_the_next(story: Story) -> None:
    story.queued(0, "a", 8)
    story.placed(1, "a-slice-0-0-aaaaa", "np1-1")
    story.placed(9, "a-slice-0-0-bbbbb", "np2-1")
    story.placed(10, "a-slice-0-1-bbbbb", "np2-2")
    assert told(story)[1:] == ["+1s 0 a slice 0 placed on np1: np1-1", "+10s 0 a slice 0 placed on np2: np2-1, np2-2"]


def test_pods_belong_to_the_job_with_the_longest_matching_name(story: Story) -> None:
    story.queued(0, "run", 8)
    story.queued(0, "run-2", 8)
    story.placed(1, "run-2-tpu-workers-0-0-aaaaa", "np1-1")
    story.placed(1, "run-2-tpu-workers-1-0-aaaaa", "np2-1")
    story.placed(1, "run-driver-0-0-aaaaa", "np3-1")
    story.placed(1, "run-tpu-0-0-aaaaa", "np3-2")
    story.placed(1, "redis-7d56f69d49-9vfbq", "np3-2")
    assert told(story)[2:] == [
        "+1s 0 run-2 tpu-workers 0 placed on np1: np1-1",
        "+1s 0 run-2 tpu-workers 1 placed on np2: np2-1",
        "+1s 0 run driver 0 placed on np3: np3-1",
        "+1s 0 run tpu 0 placed on np3: np3-2",
    ]


def test_a_slice_over_two_pools_or_on_lost_nodes_is_told_as_it_is(story: Story) -> None:
    story.queued(0, "a", 8)
    story.placed(1, "a-slice-0-0-aaaaa", "np1-1")
    story.placed(1, "a-slice-0-1-aaaaa", "np2-2")
    story.placed(2, "a-slice-1-0-aaaaa", "gone-1")
    assert told(story)[1:] == [
        "+1s 0 a slice 0 placed on np1, np2: np1-1, np2-2",
        "+2s 0 a slice 1 placed on a node that is gone: gone-1",
    ]


def test_the_peak_is_the_most_at_one_moment(story: Story) -> None:
    story.queued(0, "a", 8)
    story.queued(0, "b", 16)
    story.admitted(1, "a")
    story.finished(2, "a")
    story.admitted(2, "b")
    found = entries_of(story.record())
    assert peak(found) == 16
    assert sum(entry.chips for entry in found) == 16
    assert all(isinstance(entry, Entry) for entry in found)
