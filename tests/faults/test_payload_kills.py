"""A hundred SIGKILLs of workers and of Redis over a queue of at least forty datasets.

The kills go along with the work, so that each meets work that is under way: the next ones come when the datasets are
trained that are their share, and more datasets are queued where the work is ahead of the kills.
"""

from __future__ import annotations

import random
import signal
import threading
from typing import TYPE_CHECKING, Final

from tests.eventually import eventually
from tests.payloads.conftest import crew, nursery, redis

if TYPE_CHECKING:
    from tests.payloads.crew import Crew

__all__ = ["crew", "nursery", "redis"]
_KILLS: Final = 100
_OF_REDIS: Final = 0.3
"""Share of the kills that Redis gets."""
_SETS: Final = 40
_LEFT: Final = 5
"""Datasets of the first that are not trained yet when the last kill comes, as far as that can be timed."""
_AHEAD: Final = 10
"""Datasets that wait at every kill, at least; so many are queued at a time."""
_WORKERS: Final = 3
_LEASE: Final = 0.5
_LONGEST_PAUSE: Final = 0.3
"""Seconds until the next kill."""


def test_a_hundred_kills_lose_no_dataset_and_train_none_twice(crew: Crew) -> None:
    names = crew.datasets(_SETS)
    chance, pause = random.Random(11), threading.Event()  # noqa: S311  the same moments in every run
    workers = [crew.work(lease=_LEASE) for _ in range(_WORKERS)]
    for kill in range(_KILLS):
        share = kill * (_SETS - _LEFT) // _KILLS
        eventually(lambda: len(crew.links().trained), lambda trained, share=share: trained >= share, what="progress")
        if len(crew.links().trained) > len(names) - _AHEAD:
            names += crew.datasets(_AHEAD, after=len(names))
        pause.wait(chance.uniform(0, _LONGEST_PAUSE))
        if chance.random() < _OF_REDIS:
            crew.redis.kill()
            pause.wait(chance.uniform(0, _LONGEST_PAUSE))
            crew.redis.start()
        else:
            victim = chance.randrange(_WORKERS)
            workers[victim].signal(signal.SIGKILL)
            assert workers[victim].wait() == -signal.SIGKILL, workers[victim].log.read_text()
            workers[victim] = crew.work(lease=_LEASE)
    assert len(crew.links().trained) < len(names), "the last kills met no work"
    assert [worker.wait() for worker in workers] == [0] * _WORKERS, [worker.log.read_text() for worker in workers]
    crew.assert_trained_once(names)
