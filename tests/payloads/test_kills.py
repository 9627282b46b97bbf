"""Workers and Redis killed, paused and stopped at any moment: no dataset is lost, none trained twice, nothing torn."""

from __future__ import annotations

import random
import signal
import threading
from typing import TYPE_CHECKING, Final

import pytest

from tests.eventually import eventually
from tests.payloads.nursery import POINTS

if TYPE_CHECKING:
    from tests.payloads.crew import Crew

_SETS: Final = 6
_MOMENTS: Final = 10


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_killed_at_any_point_of_its_step_leaves_it_to_the_next(crew: Crew, point: str) -> None:
    names = crew.datasets(2)
    assert crew.work(fault=(point, "SIGKILL")).wait() == -signal.SIGKILL
    crew.finish()
    crew.assert_trained_once(names)


def test_a_worker_killed_after_publishing_and_before_saying_so_leaves_nothing_to_train(crew: Crew) -> None:
    names = crew.datasets(1)
    assert crew.work(fault=("linked", "SIGKILL")).wait() == -signal.SIGKILL
    published = (crew.share / "output" / "chain" / "000001.json").read_bytes()
    assert crew.redis.queue().state().processing == tuple(names)
    crew.finish()
    assert crew.workers[-1].says("is in the chain already: not trained again")
    assert (crew.share / "output" / "chain" / "000001.json").read_bytes() == published
    crew.assert_trained_once(names)


def _killed_at_random(crew: Crew, chance: random.Random, victims: str) -> None:
    """Two workers, and at ten moments the death of a worker, of Redis, or of both."""
    workers = [crew.work(), crew.work()]
    pause = threading.Event()
    for _ in range(_MOMENTS):
        pause.wait(chance.uniform(0.0, 0.4))
        if victims != "redis":
            index = chance.randrange(2)
            workers[index].signal(signal.SIGKILL)
            workers[index].wait()
            workers[index] = crew.work()
        if victims != "worker":
            crew.redis.kill()
            pause.wait(chance.uniform(0.0, 0.2))
            crew.redis.start()
    for worker in workers:
        assert worker.wait() == 0, worker.log.read_text()


@pytest.mark.parametrize(("victims", "seed"), [("worker", 1), ("redis", 2), ("both", 3)])
def test_ten_deaths_at_random_moments_lose_no_dataset(crew: Crew, victims: str, seed: int) -> None:
    names = crew.datasets(_SETS, rows=2000)
    _killed_at_random(crew, random.Random(seed), victims)  # noqa: S311  the same moments in every run
    crew.assert_trained_once(names)


def test_four_workers_finish_the_queue_without_duplicates(crew: Crew) -> None:
    names = crew.datasets(8)
    workers = [crew.work(lease=30.0) for _ in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    crew.assert_trained_once(names)
    said = "".join(worker.log.read_text() for worker in workers)
    assert said.count("Checkpoint ") == len(names), "what was trained was published: nobody trained in vain"
    assert said.count("Processing dataset: ") == len(names)


@pytest.mark.parametrize("point", ["locked", "learned", "trained", "written", "sure"])
def test_a_paused_worker_that_lost_its_lease_publishes_nothing(crew: Crew, point: str) -> None:
    """`sure` is the hardest: it links its checkpoint when it goes on."""
    names = crew.datasets(2)
    paused = crew.work(fault=(point, "SIGSTOP"))
    eventually(paused.is_paused, what="the pause")
    crew.finish()
    trained = crew.links()
    paused.signal(signal.SIGCONT)
    assert paused.wait() == 0, paused.log.read_text()
    assert not paused.says("Checkpoint ")
    assert paused.says(" left: ") or paused.says("not trained again")
    assert crew.links() == trained
    crew.assert_trained_once(names)


def test_a_worker_whose_rival_came_and_went_trains_on_and_publishes_nothing(crew: Crew) -> None:
    names = crew.datasets(1)
    paused = crew.work(fault=("learned", "SIGSTOP"))
    eventually(paused.is_paused, what="the pause")
    crew.finish()
    assert crew.redis.say("EXISTS", f"datasets:lease:{names[0]}", "datasets:chain-lock") == 0
    paused.signal(signal.SIGCONT)
    assert paused.wait() == 0, paused.log.read_text()
    assert paused.says(f"Dataset {names[0]} left: position 1 of the chain is taken")
    crew.assert_trained_once(names)


def test_a_worker_that_is_paused_after_publishing_does_not_undo_what_others_wrote(crew: Crew) -> None:
    names = crew.datasets(3)
    paused = crew.work(fault=("linked", "SIGSTOP"))
    eventually(paused.is_paused, what="the pause")
    crew.finish()
    paused.signal(signal.SIGCONT)
    assert paused.wait() == 0, paused.log.read_text()
    crew.assert_trained_once(names)


@pytest.mark.parametrize("point", ["read", "learned", "linked"])
def test_sigterm_ends_the_step_cleanly_and_soon(crew: Crew, point: str) -> None:
    names = crew.datasets(2)
    worker = crew.work(lease=600.0, fault=(point, "SIGTERM"))
    assert worker.wait(seconds=10) == 143
    state = crew.redis.queue().state()
    is_published = point == "linked"
    assert state.processing == ()
    assert list(state.waiting) == names[is_published:]
    assert crew.redis.say("HGET", "datasets:attempts", names[0]) == (None if is_published else "0"), "it was no failure"
    crew.finish(lease=600.0)
    crew.assert_trained_once(names)


def test_a_worker_waits_for_its_turn_and_for_datasets_of_others(crew: Crew) -> None:
    names = crew.datasets(1)
    paused = crew.work(lease=600.0, fault=("learned", "SIGSTOP"))
    eventually(paused.is_paused, what="the pause")
    other = crew.work(lease=600.0)
    eventually(lambda: other.says("other workers have 1 datasets: waiting"), what="the other's word")
    assert other.poll() is None
    paused.signal(signal.SIGCONT)
    assert [paused.wait(), other.wait()] == [0, 0]
    crew.assert_trained_once(names)


def test_redis_that_comes_back_empty_is_filled_again_from_the_chain(crew: Crew) -> None:
    names = crew.datasets(3)
    crew.finish()
    crew.redis.say("FLUSHALL")
    assert crew.start("queue", "--share", str(crew.share)).wait() == 0
    assert crew.redis.queue().state().waiting == ()
    crew.redis.say("RPUSH", "datasets", *names)
    crew.finish()
    crew.assert_trained_once(names)
